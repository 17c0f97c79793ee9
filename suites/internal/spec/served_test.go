package spec_test

import (
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/spec"
)

const (
	recordServed = "4/getUserAuth/served"
	listServed   = "4/findByUserIds/served"
)

var _ = Describe("J1, served", func() {
	It("getUserAuth answers an empty array: neither witness nor finding, and noted", func() {
		result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, `[]`))
		Expect(findingLines(result)).To(BeEmpty())
		Expect(result.Rows[recordServed].Witnesses).To(BeZero())
		Expect(notesText(result.Rows[recordServed])).To(ConsistOf(ContainSubstring("an empty array")))
	})

	It("has a bound on nesting, which the finding names", func() {
		deep := func(depth int) *spec.Judgement {
			return judgeGetUserAuth(`{"Flags":1,"x":` + strings.Repeat("[", depth-1) + strings.Repeat("]",
				depth-1) + `}`)
		}
		Expect(findingLines(deep(512))).To(BeEmpty())
		Expect(findingLines(deep(513))).To(HaveExactElements(
			And(HavePrefix(recordServed+" | /x/0/0"), HaveSuffix(" | depth"))))
		Expect(actualText(deep(513).Rows[recordServed].Findings[0])).To(ContainSubstring("512"))
	})

	It("judges the records of an array even where another element is none", func() {
		result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200,
			`[`+recordWith("Flags",
				`"1"`)+
				`,17,{"x":1},null,[`+recordWith()+`]]`))
		Expect(findingLines(result)).To(Equal([]string{
			"2.1/Flags | /0/Flags | not of its type: string",
			recordServed + " | /1 | shape", recordServed + " | /2 | shape", recordServed + " | /3 | shape",
			recordServed +
				" | /4 | shape",
		}))
		Expect(witnessedRows(result)).To(ContainElements("2.1/Id", "2.2/Model", "4.1/user"))
		Expect(result.Rows[recordServed].Witnesses).To(BeZero())
	})

	It("keeps fifty findings of an array of ten thousand and counts them all", func() {
		result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200,
			`[`+strings.Repeat("0,",
				9_999)+`0]`))
		row := result.Rows[recordServed]
		Expect(row.Count).To(Equal(10_000))
		Expect(row.Findings).To(HaveLen(check.MaxFindings))
		Expect(row.Findings[49].Pointer).To(Equal("/49"))
		total := 0
		for _, cause := range row.Causes {
			Expect(cause.Kind).To(Equal("shape"))
			Expect(cause.Pointer).To(Equal("/*"))
			total += cause.Count
		}
		Expect(total).To(Equal(10_000))
	})

	DescribeTable("a redirect is a finding that names where it led (J17)",
		func(status int) {
			Expect(actualText(newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), status,
				"")).Rows[recordServed].Findings[0])).To(
				HaveSuffix("status " + strconv.Itoa(status) + ", empty body"))
			ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), status, "moved")
			ex.Header.Set("Location", "https://elsewhere.example/?t=\x1b[2J")
			result := newJudge().WellFormed(ex)
			Expect(findingLines(result)).To(Equal([]string{recordServed + " |  | status"}))
			actual := actualText(result.Rows[recordServed].Findings[0])
			Expect(actual).To(HavePrefix("status " + strconv.Itoa(status) + ", a redirect to "))
			Expect(actual).To(And(ContainSubstring("https://elsewhere.example/"), ContainSubstring("redirect"),
				Not(ContainSubstring("\x1b"))))
		},
		Entry(nil, 301), Entry(nil, 302), Entry(nil, 303), Entry(nil, 307), Entry(nil, 308),
	)

	It("tells what each operation should have answered", func() {
		for op, words := range map[schemas.Operation]string{schemas.GetUserAuth: "an authenticator record",
			schemas.FindByUserIDs: "an array of GUID strings"} {
			Expect(expectedText(newJudge().WellFormed(answeredExchange(wellFormedProbe(op), 500,
				"")).Rows["4/"+string(op)+
				"/served"].Findings[0])).To(
				ContainSubstring(words))
		}
	})

	It("tells what is wrong with a body that is no JSON text, and how it begins where it has a beginning", func() {
		Expect(actualText(judgeGetUserAuth("<html>").Rows[recordServed].Findings[0])).To(And(
			HavePrefix("expected a value, got "), ContainSubstring("at byte 0"),
			HaveSuffix("; the body begins <html>")))
		name := `"` + strings.Repeat("\u202e", 200) + `":1`
		long, _, _ := strings.Cut(actualText(judgeGetUserAuth("{" + name + "," + name + "}").Rows[recordServed].Findings[0]),
			"; the body begins ")
		Expect(long).To(ContainSubstring("expected each member name once"))
		Expect(len(long)).To(BeNumerically("<", 500))
		Expect(actualText(judgeGetUserAuth("").Rows[recordServed].Findings[0])).To(
			And(HavePrefix("expected a JSON text, "), Not(ContainSubstring("begins"))))
	})

	It("shows of a body nothing that does something to a terminal, and no more than a part", func() {
		ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 401, "\x1b[31mno: "+strings.Repeat("x", 10_000))
		actual := actualText(newJudge().WellFormed(ex).Rows[recordServed].Findings[0])
		Expect(actual).To(And(ContainSubstring("401"), ContainSubstring("no: "), Not(ContainSubstring("\x1b"))))
		Expect(len(actual)).To(BeNumerically("<", 500))
	})
})
