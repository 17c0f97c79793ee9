package check

import (
	"encoding/json"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/strictjson"
)

// Finding is one breach of a requirement, in values: reports put it in words.
type Finding struct {
	Probe   exchange.Probe
	Against exchange.Probe // what it is compared with, in a row of parity
	Kind    string         // a stable word for how it broke, by which findings of two runs are compared
	Pointer string         // RFC 6901, from the root of the body

	// Expected is what would have been accepted: what the schema says of itself (a string), or one of Service,
	// OnlyRecords, AskedUser, Refusal, ShownByV5, StandsStill, AlikeInBoth.
	Expected any
	// Came is what came instead: a decoded JSON value (an Excerpt once the finding is kept), or one of exchange.Fault,
	// Status, Unreadable, Disclosed, ShownByV6, Changing, Words.
	Came any
}

// What may be expected.
type (
	// Service is an answer as J1 wants it for an operation.
	Service struct{ Operation schemas.Operation }
	// OnlyRecords are nothing but records in an array (J1).
	OnlyRecords struct{}
	// AskedUser is the UserId that was asked for (J12).
	AskedUser struct{ UserID string }
	// Refusal is any answer that discloses nothing (J13), to a request with this fault.
	Refusal struct{ Probe exchange.Probe }
	// ShownByV5 is the value of v5 at the same place (J14); parity.Absent if there is none.
	ShownByV5 struct {
		Exchange string
		Value    any
	}
	// StandsStill is a value that does not change between identical calls, or does in both versions (J15).
	StandsStill struct{}
	// AlikeInBoth is an open point at which both versions do what v5 does (J16).
	AlikeInBoth struct {
		ID string
		V5 string
	}
)

// What may come.
type (
	// Status is a status that is not 2xx, with what came along.
	Status struct {
		Code     int
		Location string
		Body     Body
	}
	// Unreadable is a body that is not one JSON text.
	Unreadable struct {
		Why  string
		Body Body
	}
	// Disclosed is what should have been refused.
	Disclosed struct {
		Status int
		Value  any
	}
	// ShownByV6 is the value of v6 at the same place; parity.Absent if there is none.
	ShownByV6 struct{ Value any }
	// Changing is a value that keeps changing between identical calls to one version.
	Changing struct {
		Version    schemas.Version
		From, Then any
	}
	// Words are what an open point said.
	Words string
)

// Body is an answer's body as far as findings show it.
type Body struct {
	Excerpt  string             // the beginning of its text; "" for an empty one
	Withheld *exchange.Withheld // how it was withheld; nil if it was not
}

func bodyOf(ex *exchange.Exchange) Body {
	if ex.Withheld != nil {
		return Body{Withheld: ex.Withheld}
	}
	return Body{Excerpt: redact.Printable(string(ex.Body), MostShown)}
}

func statusOf(ex *exchange.Exchange) Status {
	return Status{Code: ex.Status, Location: ex.Header.Get("Location"), Body: bodyOf(ex)}
}

// MostShown is how many characters of a value a finding keeps.
const MostShown = 200

// Excerpt is a decoded JSON value as far as findings show it.
type Excerpt struct {
	Type string // of strictjson.TypeOf; "" for a value that is absent
	JSON string
}

func (v Disclosed) excerpt() any { v.Value = excerptOf(v.Value); return v }
func (v ShownByV5) excerpt() any { v.Value = excerptOf(v.Value); return v }
func (v ShownByV6) excerpt() any { v.Value = excerptOf(v.Value); return v }
func (v Changing) excerpt() any {
	v.From, v.Then = excerptOf(v.From), excerptOf(v.Then)
	return v
}

// excerpt is the finding with its values reduced to what is kept of them.
func (f Finding) excerpt() Finding {
	if v, ok := f.Expected.(ShownByV5); ok {
		f.Expected = v.excerpt()
	}
	f.Came = excerptOf(f.Came)
	return f
}

// excerptOf bounds what a finding keeps: a hostile value may be as large as a body.
func excerptOf(value any) any {
	if v, wraps := value.(interface{ excerpt() any }); wraps {
		return v.excerpt()
	}
	switch value.(type) {
	case nil, bool, string, json.Number, []any, map[string]any, parity.Absent:
		return ExcerptOf(value)
	}
	return value
}

// ExcerptOf is the excerpt of a decoded JSON value or parity.Absent; of an excerpt itself.
func ExcerptOf(value any) Excerpt {
	switch v := value.(type) {
	case Excerpt:
		return v
	case parity.Absent:
		return Excerpt{}
	}
	return Excerpt{strictjson.TypeOf(value), redact.JSON(value, MostShown)}
}
