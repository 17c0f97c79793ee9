package judge_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge"
)

const identifiers = "2.3/identifiers"

var _ = Describe("J10, identifiers", func() {
	find := func(body string) *judge.Judgement {
		return newJudge().WellFormed(answered(asked(schemas.FindByUserIDs), 200, body))
	}

	It("are each a witness", func() {
		Expect(find(`["` + guidA + `","` + guidB + `","` + guidA + `"]`).Rows[identifiers].Witnesses).To(Equal(3))
	})

	It("witness nothing where there are none", func() {
		Expect(find(`[]`).Rows).NotTo(HaveKey(identifiers))
	})

	DescribeTable("have the text form of RFC 9562 (J3)",
		func(element, kind string) {
			result := find(`["` + guidA + `",` + element + `]`)
			Expect(findings(result)).To(Equal([]string{identifiers + " | /1 | " + kind}))
			Expect(result.Rows[identifiers].Witnesses).To(Equal(1))
			Expect(result.Rows[identifiers].Findings[0].Expected).To(ContainSubstring("GUID"))
			Expect(result.Rows[listServed].Witnesses).To(Equal(1), "the array is served all the same")
		},
		Entry("in braces", `"{`+guidA+`}"`, "not in its form"),
		Entry("as a URN", `"urn:uuid:`+guidA+`"`, "not in its form"),
		Entry("without hyphens", `"3f0c2a9e6b1d4c579a410d8e5f7b2c13"`, "not in its form"),
		Entry("with space before", `" `+guidA+`"`, "not in its form"),
		Entry("with a line break after", `"`+guidA+`\n"`, "not in its form"),
		Entry("with a letter that is no hex digit", `"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c1g"`, "not in its form"),
		Entry("with a full-width digit", `"３f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"`, "not in its form"),
		Entry("one digit short", `"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c1"`, "not in its form"),
		Entry("hyphens elsewhere", `"3f0c2a9e6-b1d-4c57-9a41-0d8e5f7b2c13"`, "not in its form"),
		Entry("empty", `""`, "not in its form"),
		Entry("null", `null`, "not of its type: null"),
		Entry("a number", `1`, "not of its type: number"),
		Entry("a boolean", `false`, "not of its type: boolean"),
		Entry("an object", `{"Id":"`+guidA+`"}`, "not of its type: object"),
		Entry("an array", `["`+guidA+`"]`, "not of its type: array"),
	)

	DescribeTable("take any GUID",
		func(element string) { Expect(findings(find(`["` + element + `"]`))).To(BeEmpty()) },
		Entry("the nil one", "00000000-0000-0000-0000-000000000000"),
		Entry("the max one", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"),
		Entry("in mixed case", "3F0c2a9E-6b1D-4c57-9A41-0d8E5f7B2c13"),
		Entry("of a version and variant that no RFC has", "3f0c2a9e-6b1d-fc57-0a41-0d8e5f7b2c13"),
		Entry("with an escaped letter", `\u0033f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13`),
	)

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
			Expect(row.Findings).To(HaveLen(judge.MostFindings))
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
	})
})
