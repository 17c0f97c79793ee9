package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	token  = "administrator-token-8Fk2Qw7Zp1Xc5Vb9"
	userID = "u-1001"
	guidA  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	guidB  = "9D2F7C10-41AA-4E0B-B6A3-5C1E0F2D3B4A"
)

// judge is the suite, with one method for each kind of request.
type judge struct{ *conformance.Requirements }

func (j judge) WellFormed(ex *exchange.Exchange) *spec.Judgement { return j.Judge(ex) }
func (j judge) Mutated(ex *exchange.Exchange) *spec.Judgement    { return j.Judge(ex) }
func (j judge) Again(earlier *spec.Judgement, ex *exchange.Exchange) *spec.Judgement {
	return earlier.Again(j.Requirements, ex)
}

func newJudge() judge { return judge{testkit.Suite()} }

// expected, actual and notes are what reports say of a finding, and of a row.
func expectedText(f check.Finding) string { return report.Expected(nil, f) }
func actualText(f check.Finding) string   { return report.Actual(nil, f) }

func notesText(row *check.Outcome) []string {
	list := []string{}
	if row != nil {
		for _, note := range row.Notes {
			list = append(list, report.Note(nil, note))
		}
	}
	return list
}

// wellFormedProbe is a well-formed probe of an enrolled user.
func wellFormedProbe(op schemas.Operation) exchange.Probe {
	return exchange.Probe{
		ID: "e1", Operation: op, Version: schemas.V5, Segment: "v5", Round: 1,
		User: settings.User{ID: guidA, UserID: userID, Enrolled: true},
	}
}

// mutatedProbe is a probe that departs from a well-formed one.
func mutatedProbe(op schemas.Operation, a exchange.Kind, field string) exchange.Probe {
	p := wellFormedProbe(op)
	p.Kind, p.Field = a, field
	return p
}

// probeFor is a probe for the user whose record a message is.
func probeFor(body []byte) exchange.Probe {
	p := wellFormedProbe(schemas.GetUserAuth)
	var record struct{ UserId any }
	if json.Unmarshal(body, &record) == nil {
		if recordUserID, ok := record.UserId.(string); ok {
			p.User.UserID = recordUserID
		}
	}
	return p
}

// answeredExchange is an exchange with status, Content-Type application/json and body.
func answeredExchange(p exchange.Probe, status int, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Probe: p, Status: status, Proto: "HTTP/1.1", Body: []byte(body),
		Header: http.Header{"Content-Type": {"application/json"}},
	}
}

// faultedExchange is an exchange that brought no whole answer.
func faultedExchange(p exchange.Probe, kind exchange.FaultKind, status int) *exchange.Exchange {
	return &exchange.Exchange{Probe: p, Status: status, Fault: &exchange.Fault{Kind: kind, Detail: "what happened"}}
}

// The example messages do not change either.
var examples = sync.OnceValue(func() []messages.Message {
	all, err := messages.All()
	if err != nil {
		panic(err)
	}
	return all
})

// baseRecord is the plain valid record of the example messages.
func baseRecord() map[string]any {
	i := slices.IndexFunc(examples(), func(m messages.Message) bool { return m.Name == "authenticator/base" })
	var record map[string]any
	decoder := json.NewDecoder(bytes.NewReader(examples()[i].Body))
	decoder.UseNumber()
	if err := decoder.Decode(&record); err != nil {
		panic(err)
	}
	return record
}

// recordWith is the base record as text, with members put in as JSON texts; "-" leaves one out, and a name with a dot
// is a member of the device.
func recordWith(changes ...string) string {
	record := baseRecord()
	for i := 0; i < len(changes); i += 2 {
		object, name := record, changes[i]
		if member, ok := strings.CutPrefix(name, "Device."); ok {
			object, name = record["Device"].(map[string]any), member
		}
		if changes[i+1] == "-" {
			delete(object, name)
		} else {
			object[name] = json.RawMessage(changes[i+1])
		}
	}
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// findingLines writes the findings of a judgement one to a line, "row pointer kind", sorted; those beyond the cap are
// counted.
func findingLines(j *spec.Judgement) []string {
	list := []string{}
	for id, row := range j.Rows {
		for _, f := range row.Findings {
			list = append(list, fmt.Sprintf("%s | %s | %s", id, f.Pointer, f.Kind))
		}
		if more := row.Count - len(row.Findings); more > 0 {
			list = append(list, fmt.Sprintf("%s | and %d more", id, more))
		}
	}
	sort.Strings(list)
	return list
}

// witnessedRows lists the rows with a witness, sorted.
func witnessedRows(j *spec.Judgement) []string {
	list := []string{}
	for id, row := range j.Rows {
		if row.Witnesses > 0 {
			list = append(list, id)
		}
	}
	sort.Strings(list)
	return list
}

// allFacts are the facts of a judgement, each once.
func allFacts(j *spec.Judgement) []spec.Fact {
	return slices.Concat(slices.Collect(maps.Keys(j.Facts)), slices.Collect(maps.Keys(j.Shared)))
}

// observedFacts lists what a judgement observed at an open point, each as often as it was seen.
func observedFacts(j *spec.Judgement, id string) []string {
	list := []string{}
	for _, f := range allFacts(j) {
		if f.ID == id {
			list = append(list, slices.Repeat([]string{check.Text(f.Seen, (*sanitize.Output)(nil))},
				j.Facts[f]+j.Shared[f])...)
		}
	}
	slices.Sort(list)
	return list
}
