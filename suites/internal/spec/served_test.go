package spec_test

import (
	"fmt"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
)

const (
	recordServed = "4/getUserAuth/served"
	listServed   = "4/findByUserIds/served"
)

var _ = Describe("J1, served", func() {
	DescribeTable("getUserAuth answers one record or an array of records",
		func(body string) {
			for _, status := range []int{200, 201, 202, 206, 299} {
				result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), status, body))
				Expect(findingLines(result)).To(BeEmpty())
				Expect(result.Rows[recordServed].Witnesses).To(Equal(1))
				Expect(result.Answer.Served()).To(BeTrue())
			}
		},
		Entry("a whole record", recordWith()),
		Entry("one documented member", `{"Flags":0}`),
		Entry("one documented member that is null", `{"Flags":null}`),
		Entry("a documented member among others", `{"other":[{}],"Flags":0}`),
		Entry("an array of one", `[`+recordWith()+`]`),
		Entry("an array of several", `[`+recordWith()+`,{"Flags":0},`+recordWith("Device", "null")+`]`),
	)

	It("getUserAuth answers an empty array: neither witness nor finding, and noted", func() {
		result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, `[]`))
		Expect(findingLines(result)).To(BeEmpty())
		Expect(result.Rows[recordServed].Witnesses).To(BeZero())
		Expect(notesText(result.Rows[recordServed])).To(ConsistOf(ContainSubstring("an empty array")))
	})

	DescribeTable("findByUserIds answers an array",
		func(body string, witnesses int) {
			result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.FindByUserIDs), 200, body))
			Expect(findingLines(result)).To(BeEmpty())
			Expect(result.Rows[listServed].Witnesses).To(Equal(1))
			Expect(result.Answer.Identifiers).To(HaveLen(witnesses))
		},
		Entry("of identifiers", `["`+guidA+`","`+guidB+`"]`, 2),
		Entry("that is empty", `[]`, 0),
	)

	DescribeTable("anything else is a finding",
		func(op schemas.Operation, status int, body, pointer, kind string) {
			result := newJudge().WellFormed(answeredExchange(wellFormedProbe(op), status, body))
			id := "4/" + string(op) + "/served"
			Expect(findingLines(result)).To(Equal([]string{id + " | " + pointer + " | " + kind}))
			Expect(expectedText(result.Rows[id].Findings[0])).To(ContainSubstring("2xx"))
			Expect(actualText(result.Rows[id].Findings[0])).NotTo(BeEmpty())
			Expect(witnessedRows(result)).To(BeEmpty())
			Expect(result.Answer.Served()).To(BeFalse())
			Expect(result.Answer.DisclosesData()).To(BeFalse())
		},
		Entry("no status of success", schemas.GetUserAuth, 404, `{"error":"unknown"}`, "", "status"),
		Entry("a record under no status of success", schemas.GetUserAuth, 500, recordWith(), "", "status"),
		Entry("just below 2xx", schemas.GetUserAuth, 199, recordWith(), "", "status"),
		Entry("just above 2xx", schemas.GetUserAuth, 300, recordWith(), "", "status"),
		Entry("304", schemas.GetUserAuth, 304, "", "", "status"),
		Entry("204 without a body", schemas.GetUserAuth, 204, "", "", "empty"),
		Entry("200 without a body", schemas.FindByUserIDs, 200, "", "", "empty"),
		Entry("null", schemas.GetUserAuth, 200, "null", "", "shape"),
		Entry("null for a list", schemas.FindByUserIDs, 200, "null", "", "shape"),
		Entry("a text", schemas.GetUserAuth, 200, `"`+guidA+`"`, "", "shape"),
		Entry("an empty object", schemas.GetUserAuth, 200, `{}`, "", "shape"),
		Entry("an object without a documented member", schemas.GetUserAuth, 200, `{"error":"x","message":"y"}`, "",
			"shape"),
		Entry("a record in an envelope", schemas.GetUserAuth, 200, `{"result":`+recordWith()+`}`, "", "shape"),
		Entry("members in the other case", schemas.GetUserAuth, 200, `{"flags":0,"id":"`+guidA+`"}`, "", "shape"),
		Entry("a member of the device alone", schemas.GetUserAuth, 200, `{"AuthType":"`+guidA+`"}`, "", "shape"),
		Entry("an object for a list", schemas.FindByUserIDs, 200, `{"identifiers":["`+guidA+`"]}`, "", "shape"),
		Entry("one identifier without a list", schemas.FindByUserIDs, 200, `"`+guidA+`"`, "", "shape"),
		Entry("a byte order mark", schemas.GetUserAuth, 200, "\uFEFF"+recordWith(), "", "byte-order-mark"),
		Entry("junk after it", schemas.GetUserAuth, 200, recordWith()+" junk", "", "trailing"),
		Entry("a member twice", schemas.GetUserAuth, 200, `{"Flags":1,"Flags":1}`, "/Flags", "duplicate-member"),
		Entry("bytes that are not UTF-8", schemas.GetUserAuth, 200, "{\"CreatedBy\":\"\xff\"}", "/CreatedBy", "utf-8"),
		Entry("half a surrogate pair", schemas.GetUserAuth, 200, `{"CreatedBy":"\ud83d"}`, "/CreatedBy", "surrogate"),
		Entry("broken off", schemas.GetUserAuth, 200, `{"Flags":1`, "", "syntax"),
		Entry("a number past the bound", schemas.GetUserAuth, 200, `{"Flags":`+strings.Repeat("1", 1001)+`}`, "/Flags",
			"number-digits"),
		Entry("an exponent past the bound", schemas.GetUserAuth, 200, `{"Flags":1e10001}`, "/Flags", "number-exponent"),
	)

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

	DescribeTable("what came of no whole answer is a finding",
		func(kind exchange.FaultKind, answered bool) {
			for _, op := range schemas.Operations() {
				result := newJudge().WellFormed(faultedExchange(wellFormedProbe(op), kind, 200))
				Expect(findingLines(result)).To(Equal([]string{fmt.Sprintf("4/%s/served |  | %s", op, kind)}))
				Expect(actualText(result.Rows["4/"+string(op)+"/served"].Findings[0])).To(ContainSubstring("what happened"))
				Expect(result.Answer.Served()).To(BeFalse())
				Expect(result.Answer.Exchange.Answered()).To(Equal(answered), "past a bound the target did answer")
			}
		},
		Entry("a transport fault", exchange.Transport, false),
		Entry("a timeout", exchange.Timeout, false),
		Entry("a body past a bound", exchange.Bound, true),
		Entry("a body that can't be decoded", exchange.Encoding, true),
	)

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

var _ = Describe("a user marked as not enrolled", func() {
	unenrolled := func(op schemas.Operation) exchange.Probe {
		p := wellFormedProbe(op)
		p.User.Enrolled = false
		return p
	}
	DescribeTable("has nothing to answer: what comes is observed",
		func(op schemas.Operation, status int, body, observed string) {
			result := newJudge().WellFormed(answeredExchange(unenrolled(op), status, body))
			Expect(findingLines(result)).To(BeEmpty())
			Expect(witnessedRows(result)).To(BeEmpty())
			Expect(observedFacts(result, "open/4.3/empty-result")).To(Equal([]string{observed}))
			Expect(observedFacts(result, "open/4.3/status")).To(BeEmpty(),
				"the status of a success is another open point")
		},
		Entry("404", schemas.GetUserAuth, 404, `{"error":1}`, "404, application/json, an object"),
		Entry("204", schemas.GetUserAuth, 204, ``, "204, empty body"),
		Entry("null", schemas.GetUserAuth, 200, `null`, "200, application/json, null"),
		Entry("an empty array", schemas.GetUserAuth, 200, `[]`, "200, application/json, []"),
		Entry("an empty array of identifiers", schemas.FindByUserIDs, 200, `[]`, "200, application/json, []"),
		Entry("an empty object", schemas.GetUserAuth, 200, `{}`, "200, application/json, {}"),
		Entry("a text", schemas.GetUserAuth, 200, `"none"`, "200, application/json, a string"),
		Entry("no JSON", schemas.FindByUserIDs, 500, `oops`, "500, application/json, no JSON"),
	)
	It("is judged like any other where a record comes back all the same", func() {
		result := newJudge().WellFormed(answeredExchange(unenrolled(schemas.GetUserAuth), 200,
			recordWith("Flags", "true", "UserId", `"another"`)))
		Expect(findingLines(result)).To(Equal([]string{"2.1/Flags | /Flags | not of its type: boolean",
			"4.1/user | /UserId | another user"}))
		Expect(witnessedRows(result)).To(ContainElement("2.1/Id"))
	})
	It("is judged like any other where identifiers come back all the same", func() {
		result := newJudge().WellFormed(answeredExchange(unenrolled(schemas.FindByUserIDs), 200, `["`+guidA+`","x"]`))
		Expect(findingLines(result)).To(Equal([]string{"2.3/identifiers | /1 | not in its form"}))
	})
	It("may bring a fault, which is observed too", func() {
		result := newJudge().WellFormed(faultedExchange(unenrolled(schemas.GetUserAuth), exchange.Timeout, 0))
		Expect(findingLines(result)).To(BeEmpty())
		Expect(observedFacts(result, "open/4.3/empty-result")).To(HaveLen(1))
	})
})
