package spec_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report"
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

var kindAndField = regexp.MustCompile(`^(.*?)(?: (AccessToken|ApplicationId|UserId|Id))?$`)

// newExchange is the answer to the probe of the case.
func (c answerCase) newExchange() *exchange.Exchange {
	p := wellFormedProbe(cmp.Or(c.Operation, schemas.GetUserAuth))
	p.User.Enrolled = !c.NotEnrolled
	altered := kindAndField.FindStringSubmatch(c.Altered)
	p.Kind, p.Field = exchange.Kind(altered[1]), altered[2]
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
			Expect([]any{again.Answer.Value}).To(Equal([]any{anew.Answer.Value}))
			result.Answer.Drop() // as after each large body
			for _, j := range []*spec.Judgement{again, result.Again(testkit.Suite(), second)} {
				Expect([]any{j.Rows, j.Facts, j.Shared}).To(Equal([]any{anew.Rows, anew.Facts, anew.Shared}))
			}
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

var _ = Describe("A judgement", func() {
	It("has each field of a whole record as a witness, and says what would have been accepted", func() {
		expected := []string{"4.1/user", recordServed}
		for _, member := range testkit.Contract().Record.Members() {
			expected = append(expected, "2.1/"+member)
		}
		for _, member := range testkit.Contract().Device.Members() {
			expected = append(expected, "2.2/"+member)
		}
		Expect(witnessesOf(judgeGetUserAuth(recordWith()))).To(ConsistOf(expected))
		wrong := judgeGetUserAuth(recordWith("CreatedOn", `"2024-01-01"`)).Rows["2.1/CreatedOn"].Findings[0]
		Expect(expectedText(wrong)).To(Equal(testkit.Contract().Record.Expected("CreatedOn")))
		Expect(wrong.Probe).To(Equal(wellFormedProbe(schemas.GetUserAuth)))
		for body, accepted := range map[string][]string{"": {"exactly one JSON text", "exactly one JSON text"},
			"7": {"a record or an array of records (§2.1)", "an array of GUID strings (§2.3)"}} {
			Expect(expectedText(judgeGetUserAuth(body).Rows[recordServed].Findings[0])).To(Equal(accepted[0]))
			Expect(expectedText(judgeList(body).Rows[listServed].Findings[0])).To(Equal(accepted[1]))
		}
		Expect(report.Examples).To(Equal(len(examples())), "the examples are as many as reports say")
	})

	It("has a limit on nesting, which the finding names", func() {
		nested := func(depth int) *spec.Judgement {
			lists := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
			return judgeGetUserAuth(`{"Flags":1,"x":` + lists + `}`)
		}
		Expect(findingLines(nested(512))).To(BeEmpty())
		Expect(findingLines(nested(513))).To(
			HaveExactElements(MatchRegexp(`^4/getUserAuth/served \| /x/0/0.* \| depth$`)))
		Expect(actualText(nested(513).Rows[recordServed].Findings[0])).To(ContainSubstring("512"))
	})

	It("counts all identifiers, right and wrong, and keeps fifty findings and the causes", func() {
		row := judgeList(`[` + strings.Repeat(`"`+guidA+`",7,"x",`, 1000) + `"` + guidB + `"]`).Rows["2.3/identifiers"]
		Expect([]int{row.Witnesses, row.Count, len(row.Findings)}).To(HaveExactElements(1001, 2000, check.MaxFindings))
		Expect(row.Findings[check.MaxFindings-1].Pointer).To(Equal("/74"))
		Expect(row.Causes).To(HaveLen(2))
		Expect(row.Causes[0].Count + row.Causes[1].Count).To(Equal(2000))
		late := judgeList(`[` + strings.Repeat(`"`+guidA+`",`, 3000) + `7]`).Rows["2.3/identifiers"]
		Expect(late.Findings[0].Pointer).To(Equal("/3000"))
	})
})

var _ = Describe("The facts of a judgement", func() {
	It("are counted each time, and five thousand different ones at most, always the same", func() {
		var body strings.Builder
		body.WriteString(`[{"Flags":1`)
		for i := range 6000 {
			body.WriteString(`,"x` + strconv.Itoa(i) + `":1`)
		}
		body.WriteString(`},{"Flags":2}]`)
		result := judgeGetUserAuth(body.String())
		Expect(result.Shared).To(HaveLen(5000))
		Expect(result.Shared).To(HaveKeyWithValue(spec.Fact{ID: "open/2/null-or-absent",
			Seen: check.Presence{Member: "Flags", State: "present"}}, 2))
		Expect(judgeGetUserAuth(body.String()).Shared).To(Equal(result.Shared))
	})

	It("have an order, by id and then by what was seen", func() {
		ordered := []spec.Fact{{ID: "open/2/flags", Seen: json.Number("1")},
			{ID: "open/2/flags", Seen: json.Number("2")}, {ID: "open/8/size", Seen: 1}}
		for i, one := range ordered {
			for k, other := range ordered {
				Expect(one.Compare(other)).To(Equal(cmp.Compare(i, k)))
			}
		}
	})

	It("are those of the first two rounds: what is asked again adds none", func() {
		first := judgeGetUserAuth(recordWith())
		for round, observed := range map[int]bool{1: true, 2: true, 3: false} {
			ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith())
			ex.Probe.Round = round
			for _, result := range []*spec.Judgement{testkit.Suite().Judge(ex), first.Again(testkit.Suite(), ex)} {
				Expect(len(result.Facts) > 0 && len(result.Shared) > 0).To(Equal(observed), "round %d", round)
				Expect(len(result.Facts)+len(result.Shared) > 0).To(Equal(observed), "round %d", round)
				Expect(witnessesOf(result)).To(Equal(witnessesOf(first)), "round %d", round)
			}
		}
	})
})

var _ = Describe("An outcome", func() {
	It("counts all findings and causes, and keeps the first of each", func() {
		var o check.Outcome
		for i := range 300 {
			o.Find(check.Finding{Kind: "k", Pointer: "/m" + strconv.Itoa(i), Actual: strings.Repeat("x", 10_000)})
		}
		o.Find(check.Finding{Kind: "l", Pointer: "/m7"})
		o.Find(check.Finding{Kind: "k", Pointer: "/m7"})
		Expect([]int{o.Count, len(o.Findings), len(o.Causes)}).To(HaveExactElements(302, check.MaxFindings, 201))
		Expect(o.Findings[49].Pointer).To(Equal("/m49"))
		Expect([]int{o.Causes[7].Count, o.Causes[199].Count, o.Causes[200].Count}).To(HaveExactElements(2, 1, 101))
		Expect(o.Causes[200].Kind).To(ContainSubstring("further causes"))
		Expect(o.Findings).To(HaveEach(HaveField("Actual.Characters", 10_002)))
	})

	It("of several is their sum", func() {
		var all check.Outcome
		for range 3 {
			one := check.Outcome{Witnesses: 2, Notes: []any{check.NearMiss{Documented: "Id"}}}
			for range 40 {
				one.Find(check.Finding{Kind: "k", Pointer: "/3/x"})
			}
			all.Merge(one)
		}
		Expect([]int{all.Count, all.Witnesses, len(all.Findings)}).To(HaveExactElements(120, 6, check.MaxFindings))
		Expect(all.Notes).To(HaveExactElements(check.NearMiss{Documented: "Id"}))
		Expect(all.Causes).To(HaveExactElements(check.Cause{Key: check.Key{Kind: "k", Pointer: "/*/x"}, Count: 120,
			Example: check.Finding{Kind: "k", Pointer: "/3/x", Actual: check.ExcerptOf(nil)}}))
	})
})
