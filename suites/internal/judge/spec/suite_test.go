package spec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

func TestJudge(t *testing.T) { testkit.Specs(t, "judge") }

const (
	token  = "administrator-token-8Fk2Qw7Zp1Xc5Vb9"
	userID = "u-1001"
	guidA  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
	guidB  = "9D2F7C10-41AA-4E0B-B6A3-5C1E0F2D3B4A"

	recordServed = "4/getUserAuth/served"
	listServed   = "4/findByUserIds/served"
)

// wellFormedProbe is a well-formed probe of an enrolled user.
func wellFormedProbe(op schemas.Operation) exchange.Probe {
	return exchange.Probe{
		ID: "e1", Operation: op, Version: schemas.V5, Segment: "v5", Round: 1,
		User: exchange.User{ID: guidA, UserID: userID, Enrolled: true},
	}
}

// answeredExchange is an exchange with status, Content-Type application/json and body, between controls that were
// served.
func answeredExchange(p exchange.Probe, status int, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Probe: p, Status: status, Proto: "HTTP/1.1", Body: []byte(body),
		Header: http.Header{"Content-Type": {"application/json"}}, Control: &exchange.Control{Served: true,
			Answer: &exchange.Exchange{Probe: wellFormedProbe(p.Operation), Status: 200, Body: []byte("[]")}},
	}
}

// judgeGetUserAuth judges a body as the answer of getUserAuth, judgeList as that of findByUserIds.
func judgeGetUserAuth(body string) *spec.Judgement {
	return testkit.Suite().Judge(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, body))
}

func judgeList(body string) *spec.Judgement {
	return testkit.Suite().Judge(answeredExchange(wellFormedProbe(schemas.FindByUserIDs), 200, body))
}

// mustHave returns a value, or panics with the error: specs, tables and seeds are made of it before any of them runs.
func mustHave[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var examples = sync.OnceValue(func() []messages.Message { return mustHave(messages.All()) })

// recordWith is the plain valid record of the example messages, with members put in as JSON texts.
func recordWith(changes ...string) string {
	i := slices.IndexFunc(examples(), func(m messages.Message) bool { return m.Name == "authenticator/base" })
	record := mustHave(strictjson.Decode(examples()[i].Body)).(map[string]any)
	for c := range slices.Chunk(changes, 2) {
		record[c[0]] = json.RawMessage(c[1])
	}
	return string(mustHave(json.Marshal(record)))
}

// ownerOf is the user whose record a body is; the ordinary one if it does not tell.
func ownerOf(body []byte) string {
	var record struct{ UserId any }
	_ = json.Unmarshal(body, &record)
	if owner, ok := record.UserId.(string); ok {
		return owner
	}
	return userID
}

// expectedText and actualText are what reports say of a finding.
func expectedText(f check.Finding) string { return report.Expected(nil, f) }
func actualText(f check.Finding) string   { return report.Actual(nil, f) }

// findingLines lists the findings of a judgement as "row | pointer | kind", sorted; those that are not kept as a
// number.
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
	slices.Sort(list)
	return list
}

// witnessesOf lists the rows with a witness, sorted, with how many there are if there are several.
func witnessesOf(j *spec.Judgement) []string {
	list := []string{}
	for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
		if n := j.Rows[id].Witnesses; n > 1 {
			list = append(list, fmt.Sprintf("%s, %d times", id, n))
		} else if n == 1 {
			list = append(list, id)
		}
	}
	return list
}

// notesOf lists the notes of all rows, in the order of these.
func notesOf(j *spec.Judgement) (list []string) {
	for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
		for _, note := range j.Rows[id].Notes {
			list = append(list, id+": "+report.Note(nil, note))
		}
	}
	return list
}

// factsOf lists what a judgement observed as "id: text", sorted, with how often if it is not once.
func factsOf(j *spec.Judgement) (list []string) {
	for _, facts := range []spec.Facts{j.Facts, j.Shared} {
		for f, count := range facts {
			text := f.ID + ": " + check.Text(f.Seen, (*sanitize.Output)(nil))
			if count > 1 {
				text += fmt.Sprintf(", %d times", count)
			}
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// factsAt lists what a judgement observed at an open point.
func factsAt(j *spec.Judgement, id string) []string {
	list := []string{}
	for _, fact := range factsOf(j) {
		if text, found := strings.CutPrefix(fact, id+": "); found {
			list = append(list, text)
		}
	}
	return list
}

// Each is a slip of whoever extends the contract: they must read what disagrees, and where.
var _ = Describe("The specs and the catalogue", func() {
	operations := []schemas.Operation{schemas.GetUserAuth}
	catalogue := &schemas.Contract{
		Shapes: testkit.Contract().Shapes,
		Requirements: []schemas.Requirement{
			{ID: recordServed, Section: "4", Kind: schemas.Documented, Operations: operations, Risk: schemas.Read},
			{ID: "open/4/status", Section: "4", Kind: schemas.Open, Operations: operations, Risk: schemas.Read},
			{ID: "excluded/6/events", Section: "6", Kind: schemas.Excluded},
		},
	}
	served := func(s *spec.Suite) *spec.Requirement {
		return s.Requirement(recordServed).Send(spec.GetUserAuth, spec.WellFormed)
	}
	both := func(s *spec.Suite) {
		served(s).EachCall(check.IsServed)
		s.OpenPoint("open/4/status").Send(spec.GetUserAuth, spec.WellFormed).Observe(check.StatusCode)
	}

	DescribeTable("disagree, which is a defect of the suite", func(fault string, write func(*spec.Suite)) {
		_, err := spec.New(catalogue, func(s *spec.Suite) {
			s.Section("4", "Endpoints")
			write(s)
		})
		if fault == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(And(HavePrefix("defect of the suite: the specs and the catalogue "+
			"schemas/requirements.yaml disagree:\n"), ContainSubstring("\n"+fault))))
	},
		Entry("not at all", "", both),
		Entry("by a row without a spec",
			"open/4/status: expected its spec to send a request to getUserAuth, which the catalogue names",
			func(s *spec.Suite) { served(s).EachCall(check.IsServed) }),
		Entry("by a spec without a row",
			"4/nobody/served: the specs of section 4 have it, but the catalogue does not",
			func(s *spec.Suite) { both(s); s.Requirement("4/nobody/served").Send(spec.GetUserAuth) }),
		Entry("by two specs for one row", recordServed+": expected one spec in its section, got two",
			func(s *spec.Suite) { both(s); served(s) }),
		Entry("by the kind", "open/4/status: the catalogue has it as open in section 4, but the specs have it as "+
			"documented in section 4", func(s *spec.Suite) { s.Requirement("open/4/status") }),
		Entry("by the section", recordServed+": the catalogue has it as documented in section 4, but the specs have "+
			"it as documented in section 5", func(s *spec.Suite) { s.Section("5", "Another"); both(s) }),
		Entry("by a spec that checks nothing", recordServed+": expected one check in its spec, got 0",
			func(s *spec.Suite) { served(s) }),
		Entry("by a spec that checks two things", recordServed+": expected one check in its spec, got 2",
			func(s *spec.Suite) { served(s).EachCall(check.IsServed); served(s).EachList(check.EachMatchesSchema) }),
		Entry("by a spec that observes and is documented", recordServed+": expected one check in its spec, got 0",
			func(s *spec.Suite) { served(s).Observe(check.StatusCode) }),
		Entry("by a spec that sends nothing",
			recordServed+": expected its spec to send a request to getUserAuth, which the catalogue names",
			func(s *spec.Suite) { s.Requirement(recordServed).EachCall(check.IsServed) }),
		Entry("by the risk",
			recordServed+": the catalogue has risk read, but its spec sends requests of risk auth-failure",
			func(s *spec.Suite) { served(s).Send(spec.GetUserAuth, spec.RandomToken).EachCall(check.IsServed) }),
		Entry("by a comparison that is none",
			recordServed+": either the catalogue or its spec compares versions, but not both",
			func(s *spec.Suite) { served(s).EachComparison(check.HaveTheSameShape) }),
	)
})
