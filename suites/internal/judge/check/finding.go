package check

import (
	"encoding/json"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Finding is one breach of a requirement, as values. Reports turn it into sentences.
type Finding struct {
	Probe   exchange.Probe
	Against exchange.Probe // in a parity row, the probe that it is compared with
	Kind    string         // a stable word for the kind of breach, by which findings of two runs are compared
	Pointer string         // JSON Pointer (RFC 6901) from the root of the body

	// Expected is what would have been accepted: the schema's own description (a string), or one of Service,
	// OnlyRecords, AskedUser, OwnIdentifier, Refusal, Shown, Stable, SameInBoth.
	Expected any
	// Actual is what came instead: a decoded JSON value (a strictjson.Excerpt once the finding is stored), or one of
	// exchange.Fault, Status, Unreadable, Anothers, Disclosed, Shown, Changing, Behavior.
	Actual any
	// Off names the part of a value that is off, as schemas.Schema does; "" if there is none.
	Off string
	// NearMisses are the members of an object that is no record, as their names have another case.
	NearMisses []NearMiss
}

// The types of Finding.Expected.
type (
	// Service is an answer that serves an operation as J1 requires.
	Service struct{ Operation schemas.Operation }
	// OnlyRecords is an array that contains only records (J1).
	OnlyRecords struct{}
	// AskedUser is the UserId of the request (J12).
	AskedUser struct{ UserID string }
	// OwnIdentifier is an identifier of the user who was asked for (J24).
	OwnIdentifier struct{ UserID string }
	// Refusal is any answer that discloses nothing (J13), to a request with this mutation.
	Refusal struct{ Probe exchange.Probe }
	// Shown is the value of one version of a pair at the pointer (J14), or parity.Absent if it has none.
	Shown struct {
		Version  schemas.Version
		Exchange string
		Value    any
		Day      string // of the answer (UTC), if the other version answered on another one
	}
	// Stable is a value that stays the same between identical calls, or moves once in both versions (J15).
	Stable struct{}
	// SameInBoth means that the later version of a pair behaves as the earlier one does at an open point (J16).
	SameInBoth struct {
		ID   string
		Pair schemas.Pair
		From Behavior
	}
)

// The types of Finding.Actual.
type (
	// Status is a status outside 2xx, with the body that came with it.
	Status struct {
		Code     int
		Location string
		Says     exchange.Sent // what the service itself says
		Cookies  string        // the names of the cookies that it sets
		Body     Body
	}
	// Unreadable is a body that is not exactly one JSON text.
	Unreadable struct {
		Why  string // what came, as strictjson.Error has it
		Body Body
	}
	// Unserved is the answer of a version that does not serve the user, where the other one does.
	Unserved struct{ Finding }
	// Anothers is an identifier of another user: the Id of a record of theirs or, if Calls is over 0, one that all
	// their lists have, and the asked user's only at that many of all calls (J24).
	Anothers struct {
		Identifier string
		Owner      exchange.Probe // a request for that user
		Calls, All int
	}
	// Disclosed is data that the target should have refused.
	Disclosed struct {
		Status int
		Value  any
	}
	// Changing is a value that changes between identical calls to one version, with for how many users it does in each
	// version.
	Changing struct {
		Version    schemas.Version
		From, Then any
		Users      map[schemas.Version]int
	}
	// Behavior is what one version did at an open point.
	Behavior struct{ *Observed }
)

// Body is the part of an answer's body that findings keep.
type Body struct {
	strictjson.Beginning                    // of its text; "" if the body is empty
	Size                 int                // in bytes
	Withheld             *exchange.Withheld // why it is not kept; nil if it is
}

func bodyOf(ex *exchange.Exchange) Body {
	if w := ex.Unkept(); w != nil {
		return Body{Withheld: w}
	}
	return Body{Beginning: strictjson.BeginningOf(string(ex.Body)), Size: ex.Length()}
}

// Key returns the key of the finding's cause.
func (f Finding) Key() Key {
	key := Key{Kind: f.Kind, Pointer: strictjson.General(f.Pointer), Off: f.Off}
	for _, side := range []any{f.Expected, f.Actual} {
		if v, ok := side.(Shown); ok {
			side = v.Value
		}
		if v, ok := side.(Unserved); ok {
			side = v.Actual
		}
		if v, ok := side.(Status); ok {
			key.Off = "status " + strconv.Itoa(v.Code)
		}
	}
	return key
}

// excerpt returns the finding with its values cut to excerpts.
func (f Finding) excerpt() Finding {
	if v, ok := f.Expected.(Shown); ok {
		f.Expected = excerptOf(v)
	}
	f.Actual = excerptOf(f.Actual)
	return f
}

// excerptOf cuts a value to what a finding keeps: a hostile value may be as large as a whole body.
func excerptOf(value any) any {
	switch v := value.(type) {
	case Disclosed:
		v.Value = excerptOf(v.Value)
		return v
	case Shown:
		v.Value = excerptOf(v.Value)
		return v
	case Changing:
		v.From, v.Then = excerptOf(v.From), excerptOf(v.Then)
		return v
	case Unserved:
		return Unserved{v.excerpt()}
	case nil, bool, string, json.Number, []any, map[string]any:
		return ExcerptOf(value)
	}
	return value
}

// ExcerptOf returns the excerpt of a decoded JSON value, or an empty one of parity.Absent and Unserved. An excerpt is
// returned unchanged.
func ExcerptOf(value any) strictjson.Excerpt {
	switch v := value.(type) {
	case strictjson.Excerpt:
		return v
	case parity.Absent, Unserved:
		return strictjson.Excerpt{}
	}
	return strictjson.ExcerptOf(value)
}
