// Package population reads users files, for runs and for sweeps: CSV, NDJSON, JSON and YAML, plain or compressed, by
// the same rules, as a stream where the form allows it. It splits users among shards and draws samples of them.
package population

import "strings"

// User is a pair known to the target, whose authenticators are looked up.
type User struct {
	// ID is a GUID and UserID a string that is not empty: the two are the lookup key of §4.1.
	ID, UserID string
	// Enrolled is true if the target has an authenticator for this user.
	Enrolled bool
	// Name is a comment.
	Name string
}

// Key is one text for one user, however a file writes it: GUIDs have no case. It is the id in lower case, a space and
// the userId.
func (u User) Key() string { return strings.ToLower(u.ID) + " " + u.UserID }

// Row is a user as one entry of a users file gives it.
type Row struct {
	User
	// EnrolledGiven is true if enrolled stood in the file. Where it did not, Enrolled is true and says nothing: a
	// population holds users without authenticators.
	EnrolledGiven bool
	// Index counts the users of the file from 0.
	Index int64
}

// The members of a user, as every form of the file names them.
const (
	columnID       = "id"
	columnUserID   = "userId"
	columnEnrolled = "enrolled"
	columnName     = "name"
)

func columns() []string { return []string{columnID, columnUserID, columnEnrolled, columnName} }
