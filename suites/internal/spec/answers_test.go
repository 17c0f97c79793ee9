package spec_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
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
	Body                string
	Finds, Shows        []string // the findings, and what each says that came
	Witnessed, Observed []string
	Served, Discloses   bool
}

// exchange is the answer to the probe of the case.
func (c answerCase) exchange() *exchange.Exchange {
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
	if c.Fault != "" {
		return faultedExchange(p, c.Fault, cmp.Or(c.Status, 200))
	}
	return answeredExchange(p, cmp.Or(c.Status, 200), strings.ReplaceAll(c.Body, "$record", recordWith()))
}

// witnessesOf lists the rows with a witness, sorted, with how many there are if there are several.
func witnessesOf(j *spec.Judgement) []string {
	list := witnessedRows(j)
	for i, id := range list {
		if n := j.Rows[id].Witnesses; n > 1 {
			list[i] = fmt.Sprintf("%s, %d times", id, n)
		}
	}
	return list
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

// observations lists the facts of a judgement that was asked for them.
func (c answerCase) observations(j *spec.Judgement) (list []string) {
	if c.Altered == "" && !c.NotEnrolled {
		return nil
	}
	for _, f := range allFacts(j) {
		list = append(list, f.ID+": "+check.Text(f.Seen, (*sanitize.Output)(nil)))
	}
	slices.Sort(list)
	return list
}

var _ = Describe("An answer is judged:", func() {
	whole := func() []string { return witnessesOf(judgeGetUserAuth(recordWith())) }
	for _, c := range testkit.Cases[answerCase](filepath.Join("testdata", "answers.yaml")) {
		It(c.Name, func() {
			result := newJudge().Judge(c.exchange())
			Expect(findingLines(result)).To(HaveExactElements(c.Finds))
			if slices.Equal(c.Witnessed, []string{"$record"}) {
				c.Witnessed = whole()
			}
			Expect(shownBy(result)).To(HaveExactElements(c.Shows))
			Expect(witnessesOf(result)).To(HaveExactElements(c.Witnessed))
			Expect(c.observations(result)).To(Equal(c.Observed))
			Expect(result.Answer.Served()).To(Equal(c.Served))
			Expect(result.Answer.DisclosesData()).To(Equal(c.Discloses))
		})
	}
})
