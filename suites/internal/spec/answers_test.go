package spec_test

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// answerCase is a case of testdata/answers.yaml.
type answerCase struct {
	Name                string
	Operation           schemas.Operation
	Altered             string // kind and field of the probe's alteration
	NotEnrolled         bool   `yaml:"notEnrolled"`
	Fault               exchange.FaultKind
	Status              int
	Header              map[string]string
	Body                string
	Finds, Shows        []string // the findings, and what each says that came
	Witnessed, Observed []string
	Facts               map[string][]string // what is observed at some open points
	Notes               []string
	Served, Discloses   bool
}

// newExchange is the answer to the probe of the case.
func (c answerCase) newExchange() *exchange.Exchange {
	p := wellFormedProbe(cmp.Or(c.Operation, schemas.GetUserAuth))
	p.User.Enrolled = !c.NotEnrolled
	for _, field := range []string{"AccessToken", "ApplicationId", "UserId", "Id", ""} {
		if kind, found := strings.CutSuffix(c.Altered, " "+field); found || field == "" {
			p.Kind = exchange.Kind(kind)
			if found {
				p.Field = field
			}
			break
		}
	}
	if p.Kind == exchange.AdjacentVersion {
		p.Segment = "v7"
	}
	ex := answeredExchange(p, cmp.Or(c.Status, 200), strings.ReplaceAll(c.Body, "$record", recordWith()))
	for name, value := range c.Header {
		ex.Header.Set(name, value)
	}
	if c.Fault != "" {
		ex.Header, ex.Body, ex.Fault = nil, nil, &exchange.Fault{Kind: c.Fault, Detail: "what happened"}
	}
	return ex
}

// shownBy lists what the findings say that came, in the order of their rows.
func shownBy(j *spec.Judgement) (list []string) {
	for _, id := range slices.Sorted(maps.Keys(j.Rows)) {
		for _, f := range j.Rows[id].Findings {
			list = append(list, strings.ReplaceAll(actualText(f), recordWith(), "$record"))
		}
	}
	return list
}

var _ = Describe("An answer is judged:", func() {
	for _, c := range testkit.Cases[answerCase](filepath.Join("testdata", "answers.yaml")) {
		It(c.Name, func() {
			result := testkit.Suite().Judge(c.newExchange())
			Expect(findingLines(result)).To(HaveExactElements(c.Finds))
			if slices.Equal(c.Witnessed, []string{"$record"}) {
				c.Witnessed = witnessesOf(judgeGetUserAuth(recordWith()))
			}
			Expect(shownBy(result)).To(HaveExactElements(c.Shows))
			Expect(witnessesOf(result)).To(HaveExactElements(c.Witnessed))
			Expect(notesOf(result)).To(HaveExactElements(c.Notes))
			if c.Altered != "" || c.NotEnrolled {
				Expect(factsOf(result)).To(HaveExactElements(c.Observed))
			}
			for id, texts := range c.Facts {
				Expect(factsAt(result, id)).To(HaveExactElements(texts), id)
			}
			Expect(result.Answer.Served()).To(Equal(c.Served))
			Expect(result.Answer.DisclosesData()).To(Equal(c.Discloses))
			if c.Altered != "" || c.Fault != "" {
				return
			}
			// An equal answer to another request is judged in the same way, whatever differs beside status and body.
			second := c.newExchange()
			second.Probe.ID, second.Probe.Round, second.Duration = "e3", 2, time.Second
			second.Header.Set("Deprecation", "true")
			second.Header.Set("Content-Type", "text/json")
			again, anew := result.Again(testkit.Suite(), second), testkit.Suite().Judge(second)
			Expect([]any{again.Rows, again.Facts, again.Shared, again.Covers, again.Answer.Value}).To(
				Equal([]any{anew.Rows, anew.Facts, anew.Shared, anew.Covers, anew.Answer.Value}))
			Expect(again.Answer.Exchange).To(BeIdenticalTo(second))
			Expect(again.Answer.Served()).To(Equal(c.Served))
			Expect(again.Answer.DisclosesData()).To(Equal(c.Discloses))
			for _, row := range result.Rows {
				for _, f := range row.Findings {
					Expect(f.Probe.ID).To(Equal("e1"), "the earlier one stays as it was")
				}
			}
		})
	}
})
