package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
)

// Observation is what the target does at an open point.
type Observation struct {
	ID        string            `json:"id"`
	Section   string            `json:"section"`
	Operation schemas.Operation `json:"operation"`
	Statement string            `json:"statement"`
	Seen      Seen              `json:"-"` // in JSON each version is a member by its name
	Shows     string            `json:"-"` // as the catalogue's row says
	Agree     *bool             `json:"agree"`
	Explained bool              `json:"explained"` // they differ only because of answers with a finding
	Compared  bool              `json:"compared"`  // false if it may differ between two identical calls
}

// Seen is what the versions under test did at an open point. One that is read from a file has the whole as one part.
type Seen map[schemas.Version]SeenBy

// SeenBy is what one version did.
type SeenBy []string

// String returns all of it in one line.
func (s SeenBy) String() string { return strings.Join(s, "; ") }

// Diverges reports whether the versions behave differently at the open point.
func (o Observation) Diverges() bool { return o.Agree != nil && !*o.Agree }

// MarshalJSON writes the observation. A version that is not under test is null.
func (o Observation) MarshalJSON() ([]byte, error) {
	members := []any{"id", o.ID, "section", o.Section, "operation", o.Operation, "statement", o.Statement}
	return strictjson.EncodeMembers(append(append(members, o.Seen.Members()...),
		"agree", o.Agree, "explained", o.Explained, "compared", o.Compared)...)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Observation) UnmarshalJSON(text []byte) (err error) {
	type plain Observation
	if err = json.Unmarshal(text, (*plain)(o)); err == nil {
		o.Seen, err = SeenIn(text)
	}
	return err
}

// Of returns what a version did, or that it was not under test.
func (s Seen) Of(v schemas.Version) SeenBy {
	if seen, tested := s[v]; tested {
		return seen
	}
	return SeenBy{"not under test"}
}

// Members returns the name and the text of each version of the API; nil if it is not under test.
func (s Seen) Members() []any {
	var members []any
	for _, v := range s.Versions() {
		var text any
		if seen, ok := s[v]; ok {
			text = seen.String()
		}
		members = append(members, string(v), text)
	}
	return members
}

// Versions returns the versions of the embedded contract, and others that were under test.
func (s Seen) Versions() []schemas.Version {
	all := Seen{}
	maps.Copy(all, s)
	for _, v := range schemas.Versions() {
		all[v] = nil
	}
	return schemas.InOrder(all)
}

// release matches the name of a version of the API.
var release = regexp.MustCompile(`^v[0-9]+$`)

// SeenIn returns the members of a JSON object that are named like versions, and are not null.
func SeenIn(text []byte) (Seen, error) {
	var members map[string]any
	err := json.Unmarshal(text, &members)
	seen := Seen{}
	for name, member := range members {
		shown, is := member.(string)
		switch {
		case member == nil || !release.MatchString(name):
		case is:
			seen[schemas.Version(name)] = SeenBy{shown}
		default:
			return nil, fmt.Errorf("%s is no text", name)
		}
	}
	return seen, err
}

func observationOf(out *sanitize.Output, o ledger.Observation) Observation {
	to := Observation{
		ID:        o.Requirement.ID,
		Section:   o.Requirement.Section,
		Operation: o.Operation,
		Statement: o.Requirement.Statement,
		Seen:      Seen{},
		Agree:     o.Agree,
		Explained: o.Explained,
		Compared:  o.Requirement.Compare,
		Shows:     o.Requirement.Shows,
	}
	for v, seen := range o.Seen {
		to.Seen[v] = parts(out, seen)
	}
	return to
}

// Latency has the durations of the well-formed requests of an operation and version, with how often each occurred.
type Latency struct {
	Operation schemas.Operation
	Version   schemas.Version
	Count     map[time.Duration]int64
}

// latenciesOf returns what was observed of durations.
func latenciesOf(observations []ledger.Observation) (list []Latency) {
	for _, o := range observations {
		for _, v := range schemas.InOrder(o.Seen) {
			if o.Seen[v] == nil {
				continue
			}
			if count := check.Durations(o.Seen[v].Count); len(count) > 0 {
				list = append(list, Latency{o.Operation, v, count})
			}
		}
	}
	return list
}
