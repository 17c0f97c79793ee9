package spec_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/spec"
)

const identifiers = "2.3/identifiers"

var _ = Describe("J10, identifiers", func() {
	find := func(body string) *spec.Judgement {
		return newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.FindByUserIDs), 200, body))
	}

	DescribeTable("are all counted, however many are wrong, and fifty findings are kept",
		func(element string) {
			var body strings.Builder
			body.WriteString(`["` + guidA + `"`)
			for i := range 10_000 {
				body.WriteString("," + strings.ReplaceAll(element, "#", strings.Repeat("x", i%2000)))
			}
			body.WriteString(`,"` + guidB + `"]`)
			row := find(body.String()).Rows[identifiers]
			Expect(row.Count).To(Equal(10_000))
			Expect(row.Witnesses).To(Equal(2))
			Expect(row.Findings).To(HaveLen(check.MaxFindings))
			Expect(row.Findings[0].Pointer).To(Equal("/1"))
			Expect(row.Findings[49].Pointer).To(Equal("/50"))
			Expect(row.Causes).To(HaveLen(1))
			Expect(row.Causes[0].Count).To(Equal(10_000))
		},
		Entry("texts that are alike", `"x"`),
		Entry("texts that differ", `"#"`),
		Entry("objects", `{}`),
		Entry("numbers", `1`),
	)

	It("are judged one by one where right and wrong ones alternate over many", func() {
		row := find(`[` + strings.Repeat(`"`+guidA+`",7,`, 3000) + `"` + guidB + `"]`).Rows[identifiers]
		Expect(row.Count).To(Equal(3000))
		Expect(row.Witnesses).To(Equal(3001))
		Expect(row.Findings[49].Pointer).To(Equal("/99"))
		late := find(`[` + strings.Repeat(`"`+guidA+`",`, 3000) + `7]`).Rows[identifiers]
		Expect(late.Findings[0].Pointer).To(Equal("/3000"))
	})
})
