package accepts_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// getUserAuthAnswer is an answer of getUserAuth to the ordinary user, find one of findByUserIds.
func getUserAuthAnswer(body string) answer   { return answer{schemas.GetUserAuth, userID, body} }
func findByUserIDsAnswer(body string) answer { return answer{schemas.FindByUserIDs, userID, body} }

// answerOf is an answer of an operation about a user; by default of getUserAuth about userID.
func answerOf(body string, of []string) answer {
	a := getUserAuthAnswer(body)
	if len(of) > 0 {
		a.op = schemas.Operation(of[0])
	}
	if len(of) > 1 {
		a.userID = of[1]
	}
	return a
}

// manyIdentifiers are so many undocumented members, each with a comma behind it.
func manyIdentifiers(count int) string {
	var out strings.Builder
	for i := range count {
		out.WriteString(`"x` + strings.Repeat("i", i) + `":0,`)
	}
	return out.String()
}

func nestedArrays(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func manyNines(count int) string { return strings.Repeat("9", count) }

// paddedBody fills a body with white space up to a size.
func paddedBody(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }

// The bounds of what is accepted: the bytes of a body, the arrays and objects around a value, the length of a number.
const (
	maxBytes  = 1 << 20
	maxDepth  = 16
	maxNumber = 32
)

var _ = DescribeTable("An answer is accepted, and right by the judge", func(body string, of ...string) {
	a := answerOf(body, of)
	Expect(a.accepted()).To(BeTrue())
	for _, enrolled := range []bool{true, false} {
		Expect(isRight(a.judged(enrolled))).To(BeTrue(), "the judge, enrolled: %v", enrolled)
	}
},
	testkit.Entries("accepted"),
	Entry("a body as large as is looked at", paddedBody(`{"Flags":1}`, maxBytes)),
	Entry("a number as long as is looked at", `{"Flags":`+manyNines(maxNumber)+`}`),
	Entry("many undocumented members", `{`+manyIdentifiers(200)+`"Flags":1}`),
	Entry("many undocumented members inside of one",
		`{"Flags":1,"x":{`+manyIdentifiers(200)+`"y":0}}`),
	Entry("as deep as is looked at", `{"Flags":1,"x":`+nestedArrays(maxDepth)+`}`),
)

var _ = DescribeTable("An answer that the judge finds wrong is not accepted", func(body string, of ...string) {
	a := answerOf(body, of)
	Expect(a.accepted()).To(BeFalse())
	Expect(isRight(a.judged(true))).To(BeFalse(), "the judge")
},
	testkit.Entries("wrong"),
	Entry("a member twice behind more than are looked at",
		`{`+manyIdentifiers(100)+manyIdentifiers(1)+`"Flags":1}`),
	Entry("a byte that is not UTF-8 in a text", "{\"Description\":\"ab\xff\"}"),
	Entry("a byte that is not UTF-8 in a name", "{\"Flags\":1,\"\xc3\":1}"),
	Entry("a surrogate as UTF-8", "{\"Description\":\"\xed\xa0\x80\"}"),
	Entry("a character broken by an escape", "{\"Description\":\"\xc3\\n\xa9\"}"),
	Entry("U+FFFD for a byte that is none", `{"UserId":"\ufffd"}`, string(schemas.GetUserAuth), "\xff\xfe"),
)

var _ = DescribeTable("An answer that is right but hard to prove so is left to the judge", func(a answer) {
	Expect(a.accepted()).To(BeFalse())
	Expect(isRight(a.judged(true))).To(BeTrue(), "the judge")
},
	Entry("a list of none", getUserAuthAnswer(`[]`)),
	Entry("identifiers, none", findByUserIDsAnswer(` [ ] `)),
	Entry("an exponent", getUserAuthAnswer(`{"Flags":1e2}`)),
	Entry("a long number", getUserAuthAnswer(`{"Flags":`+manyNines(maxNumber+1)+`}`)),
	Entry("a long number of an undocumented member", getUserAuthAnswer(`{"Flags":1,"x":0.`+manyNines(maxNumber)+`}`)),
	Entry("deep", getUserAuthAnswer(`{"Flags":1,"x":`+nestedArrays(maxDepth+1)+`}`)),
	Entry("large", getUserAuthAnswer(paddedBody(`{"Flags":1}`, maxBytes+1))),
)

var _ = Describe("Acceptance", func() {
	It("knows no operation but those of the document", func() {
		for _, op := range []schemas.Operation{"", "getuserauth", "listUsers"} {
			for _, body := range []string{`[]`, `{"Flags":1}`, `["` + guidA + `"]`} {
				Expect(testkit.Contract().AcceptsAnswer(op, userID, []byte(body))).To(BeFalse(), "%s %s", op, body)
			}
		}
	})

	It("looks no further than the bounds of J20", func() {
		Expect(maxDepth).To(BeNumerically("<", strictjson.MaxDepth))
		Expect(maxNumber).To(BeNumerically("<", strictjson.MaxDigits))
	})

	It("does not accept a right answer that was cut anywhere", func() {
		for _, a := range ofReference() {
			for end := range len(a.body) {
				cut := answer{a.op, a.userID, a.body[:end]}
				Expect(cut.accepted()).To(BeFalse(), cut.body)
			}
		}
	})

	It("leaves the body as it was, and reads no further than its end", func() {
		for _, a := range ofReference() {
			whole := []byte(a.body + `}]"`)
			Expect(testkit.Contract().AcceptsAnswer(a.op, a.userID, whole[:len(a.body)])).To(BeTrue())
			Expect(string(whole)).To(Equal(a.body + `}]"`))
		}
	})
})
