package spec_test

import (
	"authenticator-conformance/suites/internal/testkit"

	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
)

// three is the least that makes an object a record which was served all the same.
const three = `{"Flags":0,"IsLocked":false,"Description":""}`

var _ = Describe("J13, what must not be served", func() {
	DescribeTable("is judged in the row of what was altered",
		func(op schemas.Operation, a exchange.Kind, field, row, open, text string) {
			served := newJudge().Mutated(answeredExchange(mutatedProbe(op, a, field), 200, recordWith()))
			Expect(findingLines(served)).To(Equal([]string{row + " |  | " + string(a)}))
			Expect(witnessedRows(served)).To(BeEmpty())
			f := served.Rows[row].Findings[0]
			Expect(expectedText(f)).To(And(ContainSubstring("refusal"), ContainSubstring(text)))
			Expect(actualText(f)).To(And(ContainSubstring("status 200"), ContainSubstring("AuthenticationCountLimit")))
			Expect(observedFacts(served, open)).To(HaveLen(1))

			refused := newJudge().Mutated(answeredExchange(mutatedProbe(op, a, field), 400, `{"error":"no"}`))
			Expect(findingLines(refused)).To(BeEmpty())
			Expect(witnessedRows(refused)).To(Equal([]string{row}))
			Expect(refused.Rows[row].Witnesses).To(Equal(1))
			Expect(observedFacts(refused, open)).To(HaveExactElements(HaveSuffix("400, application/json, an object")))
		},
		Entry(nil, schemas.GetUserAuth, exchange.Absent, "Id", "4.1/Id/required", "open/7/missing-field", "no Id"),
		Entry(nil, schemas.GetUserAuth, exchange.Null, "UserId", "4.1/UserId/required", "open/7/null-field",
			"a null UserId"),
		Entry(nil, schemas.GetUserAuth, exchange.Absent, "AccessToken", "4.1/AccessToken/required",
			"open/7/missing-field",
			"no AccessToken"),
		Entry(nil, schemas.GetUserAuth, exchange.EmptyToken, "AccessToken", "4.1/AccessToken/required",
			"open/7/empty-token",
			"an empty AccessToken"),
		Entry(nil, schemas.GetUserAuth, exchange.Null, "ApplicationId", "4.1/ApplicationId/required",
			"open/7/null-field",
			"a null ApplicationId"),
		Entry(nil, schemas.FindByUserIDs, exchange.Absent, "UserId", "4.2/UserId/required", "open/7/missing-field",
			"no UserId"),
		Entry(nil, schemas.FindByUserIDs, exchange.EmptyToken, "AccessToken", "4.2/AccessToken/required",
			"open/7/empty-token", "an empty AccessToken"),
		Entry(nil, schemas.FindByUserIDs, exchange.Null, "ApplicationId", "4.2/ApplicationId/required",
			"open/7/null-field",
			"a null ApplicationId"),
		Entry(nil, schemas.GetUserAuth, exchange.RandomToken, "AccessToken", "5.1/getUserAuth/token",
			"open/7/unknown-token",
			"a random AccessToken"),
		Entry(nil, schemas.GetUserAuth, exchange.ChangedToken, "AccessToken", "5.1/getUserAuth/token",
			"open/7/unknown-token",
			"changed in one character"),
		Entry(nil, schemas.FindByUserIDs, exchange.RandomToken, "AccessToken", "5.1/findByUserIds/token",
			"open/7/unknown-token", "a random AccessToken"),
	)

	for _, op := range schemas.Operations() {
		row := map[schemas.Operation]string{schemas.GetUserAuth: "4.1/UserId/required",
			schemas.FindByUserIDs: "4.2/UserId/required"}[op]
		DescribeTable("is served all the same to "+string(op)+" by",
			func(status int, body string) {
				result := newJudge().Mutated(answeredExchange(mutatedProbe(op, exchange.Absent, "UserId"), status,
					body))
				Expect(findingLines(result)).To(Equal([]string{row + " |  | absent"}))
				Expect(witnessedRows(result)).To(BeEmpty())
			},
			Entry("a record", 200, recordWith()),
			Entry("a record under a status of refusal", 400, recordWith()),
			Entry("a record under 401", 401, recordWith()),
			Entry("a record under 500", 500, recordWith()),
			Entry("a record under a redirect", 302, recordWith()),
			Entry("a record under 429", 429, recordWith()),
			Entry("a record after a byte order mark", 200, "\uFEFF"+recordWith()),
			Entry("a record with junk behind it", 200, recordWith()+"<!-- served by x -->"),
			Entry("a record twice", 200, recordWith()+recordWith()),
			Entry("a record with a member twice", 200, `{"Flags":null,`+three[1:]),
			Entry("a record with bytes that are not UTF-8", 200, "{\"CreatedBy\":\"\xff\",\"Flags\":0,\"ModeType\":1}"),
			Entry("a record with half a surrogate pair", 200, `{"CreatedBy":"\ud800","Flags":0,"ModeType":1}`),
			Entry("a record with a line break in a text", 200, "{\"CreatedBy\":\"\n\",\"Flags\":0,\"ModeType\":1}"),
			Entry("three documented members", 403, three),
			Entry("three documented members of the wrong types", 403, `{"Flags":"0","IsLocked":"no","Description":{}}`),
			Entry("three documented members beside an error", 403, `{"error":"x",`+three[1:]),
			Entry("an array with a record", 200, `[`+three+`]`),
			Entry("an array with a record behind other things", 200, `[null,{},"x",`+three+`]`),
			Entry("an array of GUIDs", 200, `["`+guidA+`"]`),
			Entry("an array of GUIDs under a status of refusal", 401, `["`+guidA+`","`+guidB+`"]`),
			Entry("an array with a GUID among others", 200, `[1,"x","`+guidB+`"]`),
			Entry("an array with a GUID behind two thousand texts", 200, `[`+strings.Repeat(`"x",`, 2000)+`"`+guidB+
				`"]`),
			Entry("an array with a GUID behind texts that look like one", 200, `[`+
				strings.Repeat(`"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2cxx",`, 2000)+`"`+guidB+`"]`),
		)
		DescribeTable("is refused by "+string(op)+" by",
			func(status int, body string) {
				result := newJudge().Mutated(answeredExchange(mutatedProbe(op, exchange.Absent, "UserId"), status,
					body))
				Expect(findingLines(result)).To(BeEmpty())
				Expect(witnessedRows(result)).To(Equal([]string{row}))
			},
			testkit.Entries("refusals"),
		)
		DescribeTable("is refused by "+string(op)+" by",
			func(kind exchange.FaultKind) {
				result := newJudge().Mutated(faultedExchange(mutatedProbe(op, exchange.Absent, "UserId"), kind, 0))
				Expect(findingLines(result)).To(BeEmpty())
				Expect(witnessedRows(result)).To(Equal([]string{row}))
				Expect(observedFacts(result, "open/7/missing-field")).To(HaveLen(1))
			},
			Entry("a closed connection", exchange.Transport), Entry("no answer in time", exchange.Timeout),
			Entry("a body past a bound", exchange.Bound), Entry("a body that can't be decoded", exchange.Encoding),
		)
	}

	It("is refused by a body past the bounds of reading", func() {
		deep := strings.Repeat("[", 600) + three + strings.Repeat("]", 600)
		Expect(findingLines(newJudge().Mutated(answeredExchange(mutatedProbe(schemas.GetUserAuth, exchange.Null, "Id"),
			200,
			deep)))).To(
			BeEmpty())
	})

	It("shows no control characters of what was served", func() {
		body := `{"Description":"` + `\u001b[2J","Flags":0,"ModeType":1}`
		result := newJudge().Mutated(answeredExchange(mutatedProbe(schemas.GetUserAuth, exchange.RandomToken,
			"AccessToken"),
			200,
			body))
		Expect(actualText(result.Rows["5.1/getUserAuth/token"].Findings[0])).NotTo(ContainSubstring("\x1b"))
	})
})

var _ = DescribeTable("what is altered without a rule is observed and never judged",
	func(a exchange.Kind, field, open, prefix string) {
		for _, body := range []string{recordWith(), `{"error":1}`} {
			p := mutatedProbe(schemas.GetUserAuth, a, field)
			if a == exchange.AdjacentVersion {
				p.Segment = "v7"
			}
			result := newJudge().Mutated(answeredExchange(p, 200, body))
			Expect(result.Rows).To(BeEmpty())
			Expect(observedFacts(result, open)).To(HaveExactElements(HavePrefix(prefix + "200, application/json, ")))
		}
	},
	Entry(nil, exchange.WrongType, "Id", "open/7/wrong-type", "Id: "),
	Entry(nil, exchange.WrongType, "AccessToken", "open/7/unknown-token", "AccessToken: "),
	Entry(nil, exchange.UnknownUser, "", "open/7/unknown-user", ""),
	Entry(nil, exchange.UnknownApplication, "", "open/7/unknown-application", ""),
	Entry(nil, exchange.NotJSON, "", "open/7/not-json", ""),
	Entry(nil, exchange.EmptyBody, "", "open/7/empty-body", ""),
	Entry(nil, exchange.ContentType, "", "open/7/content-type", ""),
	Entry(nil, exchange.WrongMethod, "", "open/7/wrong-method", ""),
	Entry(nil, exchange.ExtraMember, "", "open/7/undocumented-member", ""),
	Entry(nil, exchange.AdjacentVersion, "", "open/9.4/neighbours", "v7: "),
)

var _ = DescribeTable("an answer tells where it holds what a refusal must not hold",
	func(op schemas.Operation, status int, body string, disclosing bool) {
		Expect(newJudge().WellFormed(answeredExchange(wellFormedProbe(op), status,
			body)).Answer.DisclosesData()).To(Equal(disclosing))
	},
	Entry("a record", schemas.GetUserAuth, 200, recordWith(), true),
	Entry("a list with a record", schemas.GetUserAuth, 200, "["+recordWith()+"]", true),
	Entry("identifiers", schemas.FindByUserIDs, 200, `["`+guidA+`"]`, true),
	Entry("a record that shows too little", schemas.GetUserAuth, 200, `{"Id":"`+guidA+`","UserId":"`+userID+
		`","Flags":1,"ModeType":1}`, false),
	Entry("an empty list of records", schemas.GetUserAuth, 200, `[]`, false),
	Entry("an empty list of identifiers", schemas.FindByUserIDs, 200, `[]`, false),
	Entry("identifiers that are none", schemas.FindByUserIDs, 200, `["x"]`, false),
	Entry("a record that was not served", schemas.GetUserAuth, 500, recordWith(), false),
	Entry("a record with junk behind it", schemas.GetUserAuth, 200, recordWith()+"junk", false),
)

var _ = It("keeps what an answer tells after its value was let go", func() {
	answer := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith())).Answer
	answer.Drop()
	Expect(answer.Value).To(BeNil())
	Expect(answer.RecordIDs()).To(BeEmpty())
	Expect(answer.DisclosesData()).To(BeTrue())
	Expect(answer.Served()).To(BeTrue())
})

var _ = It("counts of one outcome and another all, and keeps the first fifty", func() {
	var all check.Outcome
	for range 3 {
		var one check.Outcome
		one.Witnesses, one.Notes = 2, []any{check.NearMiss{Documented: "Id"}}
		for range 40 {
			one.Find(check.Finding{Kind: "k", Pointer: "/3/x"})
		}
		all.Merge(one)
	}
	Expect(all.Count).To(Equal(120))
	Expect(all.Findings).To(HaveLen(check.MaxFindings))
	Expect(all.Witnesses).To(Equal(6))
	Expect(all.Notes).To(Equal([]any{check.NearMiss{Documented: "Id"}}))
	Expect(all.Causes).To(HaveExactElements(check.Cause{Kind: "k", Pointer: "/*/x", Count: 120,
		Example: check.Finding{Kind: "k", Pointer: "/3/x", Actual: check.ExcerptOf(nil)}}))
})
