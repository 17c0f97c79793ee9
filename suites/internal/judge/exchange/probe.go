// Package exchange contains probes and exchanges. A probe is a request that the suite plans to send; an exchange is a
// probe with the answer to it. The package sends and judges nothing.
package exchange

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
)

// Probe is a request that the suite plans to send.
type Probe struct {
	// ID is its position in the plan, such as "e17", so that reports name the same request in every run.
	ID        string            `json:"-"`
	Operation schemas.Operation `json:"operation"`
	Version   schemas.Version   `json:"version"`
	Segment   string            `json:"segment"` // of the path; differs from Version only for AdjacentVersion
	User      User              `json:"user"`
	Position  int               `json:"-"`     // in the users file, from 1, in a sweep; 0 if it is not known
	Round     int               `json:"round"` // which repetition of this request it is, starting at 1
	Kind      Kind              `json:"alteration,omitempty"`
	Field     string            `json:"field,omitempty"` // the request field that was changed; "" if none was
	// Control is true for the well-formed request of a user who was served, asked again to see whether the target still
	// serves (J23). Its round is 0.
	Control bool `json:"control,omitempty"`
	// Again is true for a request that is sent again for a user who was refused while others were served (J23).
	Again bool `json:"again,omitempty"`
}

// Number returns the number in the probe's ID, such as 17 of "e17"; 0 if it has none.
func (p Probe) Number() int {
	number, _ := strconv.Atoi(strings.TrimLeft(p.ID, "e"))
	return number
}

// WellFormed reports whether the probe has no mutation. A known user must then be served (J1).
func (p Probe) WellFormed() bool { return p.Kind == NoMutation }

// Mutation returns how the probe differs from the well-formed request.
func (p Probe) Mutation() Mutation {
	m := Mutation{Kind: p.Kind, Field: p.Field}
	if p.Kind == AdjacentVersion {
		m.Segment = p.Segment
	}
	return m
}

// Risk returns what the probe may cause on a live service.
func (p Probe) Risk() schemas.Risk { return p.Mutation().Risk() }

// Name returns a short name for the probe, for example "null UserId".
func (p Probe) Name() string {
	switch {
	case p.Control:
		return "control"
	case p.WellFormed() && p.Again:
		return "well-formed, round " + strconv.Itoa(p.Round) + ", once more"
	case p.WellFormed():
		return "well-formed, round " + strconv.Itoa(p.Round)
	case p.Kind == AdjacentVersion:
		return "neighbouring release " + p.Segment
	case p.Field != "" && p.Kind != RandomToken && p.Kind != ChangedToken && p.Kind != EmptyToken:
		return string(p.Kind) + " " + p.Field
	default:
		return string(p.Kind)
	}
}

// User is a user that the target knows, whose authenticators are requested.
type User struct {
	// ID is a GUID and UserID a non-empty string. Together they are the lookup key of §4.1.
	ID     string `json:"id"`
	UserID string `json:"userId"`
	// Enrolled is true if the target has an authenticator for this user.
	Enrolled bool `json:"enrolled"`
	// Name is a comment for readers of the file.
	Name string `json:"name,omitempty"`
}

// Key returns the id in lower case, a space and the userId. It is equal for equal users, because the case of a GUID
// does not matter.
func (u User) Key() string { return strings.ToLower(u.ID) + " " + u.UserID }

// Hash returns a number that depends only on the user, and is the same on every machine and in every release: the first
// 8 bytes of the SHA-256 of the Key, big-endian.
func (u User) Hash() uint64 {
	sum := sha256.Sum256([]byte(u.Key()))
	return binary.BigEndian.Uint64(sum[:])
}
