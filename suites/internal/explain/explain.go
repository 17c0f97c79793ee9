// Package explain describes a requirement: which requests it sends, by which rule answers are judged, and an accepted
// and a rejected answer. The examples are not written by hand. They are found by the code that judges a run.
package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
)

// Message is an example message: one JSON text.
type Message struct {
	Schema string // the name of a schema file of package schemas
	Body   []byte
}

// Explainer explains requirements using example messages. It is safe for concurrent use.
type Explainer struct {
	suite       *spec.Suite
	user        settings.User
	application string
	answers     map[schemas.Operation][]answer // possible answers, the simplest first
}

// answer is a possible answer to a request.
type answer struct {
	status int
	body   []byte
	value  any // the decoded body
}

// New returns an Explainer. The first message for each schema of the contract must be a simple one that the schema
// accepts.
func New(suite *spec.Suite, messages []Message) (*Explainer, error) {
	c := suite.Contract
	bodies := map[*schemas.Schema][][]byte{}
	for _, m := range messages {
		for _, schema := range []*schemas.Schema{c.GetUserAuthRequest, c.Record, c.Device, c.Identifiers} {
			if schema.File() == m.Schema {
				bodies[schema] = append(bodies[schema], m.Body)
			}
		}
	}
	for _, schema := range []*schemas.Schema{c.GetUserAuthRequest, c.Record, c.Identifiers} {
		if len(bodies[schema]) == 0 {
			return nil, fmt.Errorf("there is no example message for %s", schema.File())
		}
	}
	e := &Explainer{suite: suite, answers: map[schemas.Operation][]answer{}}
	var request struct{ ID, UserID, ApplicationID string }
	if err := json.Unmarshal(bodies[c.GetUserAuthRequest][0], &request); err != nil {
		return nil, fmt.Errorf("the example of a request can't be read: %w", err)
	}
	e.user = settings.User{ID: request.ID, UserID: request.UserID, Enrolled: true}
	e.application = request.ApplicationID

	records := bodies[c.Record]
	records = append(records, untold(c.Record, records)...)
	for _, device := range append(bodies[c.Device], untold(c.Device, bodies[c.Device])...) {
		records = append(records, slices.Concat([]byte(`{"Device":`), device, []byte("}")))
	}
	records = append(records, slices.Concat([]byte("["), records[0], []byte("]")))
	return e, errors.Join(e.add(schemas.GetUserAuth, records), e.add(schemas.FindByUserIDs, bodies[c.Identifiers]))
}

// untold returns an object with a value of each JSON type for each member that no message has: a new member needs no
// messages of its own.
func untold(schema *schemas.Schema, messages [][]byte) (objects [][]byte) {
	all := bytes.Join(messages, nil)
	for name := range schema.EachMember() {
		if bytes.Contains(all, []byte(`"`+name+`"`)) {
			continue
		}
		for _, value := range []string{`"text"`, "7", "true", "{}", "[]", `"00000000-0000-4000-8000-000000000000"`,
			`"2027-01-31T12:00:00.000Z"`} {
			objects = append(objects, []byte(`{"`+name+`":`+value+`}`))
		}
	}
	return objects
}

// refusal is the body of a refusal. A target may refuse in any form, as long as it discloses no data.
const refusal = `{"error":"refused"}`

// add adds as possible answers these bodies, a refusal, and the first body with another 2xx status.
func (e *Explainer) add(op schemas.Operation, bodies [][]byte) error {
	answers := []answer{{status: http.StatusOK, body: bodies[0]},
		{status: http.StatusBadRequest, body: []byte(refusal)}}
	for _, body := range bodies[1:] {
		answers = append(answers, answer{status: http.StatusOK, body: body})
	}
	answers = append(answers, answer{status: http.StatusCreated, body: bodies[0]})
	for i := range answers {
		var err error
		if answers[i].value, err = strictjson.Decode(answers[i].body); err != nil {
			return fmt.Errorf("the example of an answer to %s can't be read: %w", op, err)
		}
	}
	e.answers[op] = answers
	return nil
}

// Explanation is everything there is to know about a requirement.
type Explanation struct {
	schemas.Requirement
	Title string // of the requirement's section
	Sent  []Request
	// Rule describes what is accepted. It is "" if answers are observed and not judged; the examples then show
	// observations.
	Rule              string
	Accepted, Refused Example

	pairs []schemas.Pair // that are compared
}

// Request is one of the requests that a requirement sends.
type Request struct {
	Name, Method, Path string // the path is that of its first version
	Body               string // with a placeholder for the token
	WellFormed         bool   // sent for every user; any other request is sent for one user only
}

// Example is an answer or a value in one, of one version or of a pair.
type Example struct {
	Location string // the JSON Pointer of the value, or the id of an open point; "" for the whole answer
	Text     string
}

// Explain explains a requirement. An error means a bug in the suite: the examples show no accepted or no
// rejected answer.
func (e *Explainer) Explain(r *spec.Requirement) (*Explanation, error) {
	x := &Explanation{Requirement: r.Requirement, Title: e.title(r.Section),
		pairs: e.suite.Contract.PairsOf(r.Requirement.Versions)}
	for _, op := range r.Operations {
		for _, p := range e.probes(r, op) {
			x.Sent = append(x.Sent, e.request(p))
		}
	}
	if r.Kind != schemas.Documented {
		return x, nil
	}
	accepted, refused := e.examples(r)
	if accepted == nil || refused == nil {
		return nil, fmt.Errorf("no example message shows what %s accepts and what it refuses", r.ID)
	}
	x.Rule = e.rule(refused.outcome.Findings[0])
	x.Accepted, x.Refused = e.shown(accepted, refused)
	return x, nil
}

func (e *Explainer) title(section string) string {
	for _, s := range e.suite.Sections {
		if s.Number == section {
			return s.Title
		}
	}
	return ""
}

// probes returns the requests that a requirement sends to an operation in the first version for which it holds, without
// duplicates.
func (e *Explainer) probes(r *spec.Requirement, op schemas.Operation) []exchange.Probe {
	first := r.Requirement.Versions[0]
	base := exchange.Probe{Operation: op, Version: first, User: e.user}
	mutations := r.Sends(op)
	if slices.Contains(mutations, spec.WellFormed) {
		return exchange.Rounds(base, []schemas.Version{first}, 1, 1)
	}
	return exchange.Mutated(base, mutations)
}

func (e *Explainer) request(p exchange.Probe) Request {
	name := p.Name()
	if p.WellFormed() {
		name = "well-formed"
	}
	body := p.Body(e.suite.Contract.Of(p.Version).Request(p.Operation), exchange.Shown(exchange.UnknownToken),
		e.application)
	return Request{Name: name, Method: p.Method(), Path: p.Path(), Body: string(body), WellFormed: p.WellFormed()}
}
