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

// getUserAuth is an answer of getUserAuth to some user.
func getUserAuth(user, body string) answer { return answer{schemas.GetUserAuth, user, body} }

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

var _ = DescribeTable("an answer is accepted, and right by the judge", func(a answer) {
	Expect(a.accepted()).To(BeTrue())
	for _, enrolled := range []bool{true, false} {
		Expect(isRight(a.judged(enrolled))).To(BeTrue(), "the judge, enrolled: %v", enrolled)
	}
},
	Entry("a record of one member", getUserAuthAnswer(`{"Flags":1}`)),
	Entry("members in another order", getUserAuthAnswer(`{"Flags":1,"CreatedBy":"","Id":"`+guidA+
		`","AuthenticationCountLimit":0,"ModeType":-7}`)),
	Entry("an empty device", getUserAuthAnswer(`{"Device":{}}`)),
	Entry("a device alone", getUserAuthAnswer(`{"Device":{"Id":"`+guidB+`","IsEnabled":true,"Comment":null}}`)),
	Entry("a list of one", getUserAuthAnswer(`[{"Flags":1}]`)),
	Entry("white space everywhere", getUserAuthAnswer("\r\n\t { \"Flags\" \t: 1 ,\n\"Device\"\r:\r{ \n} ,\t\"UserId\" : null } \n")),
	Entry("a body as large as is looked at", getUserAuthAnswer(paddedBody(`{"Flags":1}`, maxBytes))),

	Entry("the user", getUserAuth("u", `{"UserId":"u"}`)),
	Entry("the user in another case", getUserAuth("jürgen", `{"UserId":"JÜRGEN"}`)),
	Entry("the user in another case of folding", getUserAuth("k", "{\"UserId\":\"\u212A\"}")),
	Entry("a user in escapes", getUserAuth("é\"/😀\x00", `{"UserId":"\u00e9\"\/\ud83d\uDE00\u0000"}`)),

	Entry("zero", getUserAuthAnswer(`{"Flags":0,"ModeType":-0,"AuthenticationCountLimit":0.0}`)),
	Entry("a number as long as is looked at", getUserAuthAnswer(`{"Flags":`+manyNines(maxNumber)+`}`)),
	Entry("date-times", getUserAuthAnswer(`{"CreatedOn":"2024-02-29T23:59:59.999+00:00","ExpirationDate":"0000-01-01T00:00:00","Device":{"RegistrationDate":"2023-11-14T08:30:15.1234567-03:30"}}`)),

	Entry("undocumented members",
		getUserAuthAnswer(`{"x":{"a":[1.5,-0.25,"",null,true,false,{}],"Flags":"1"},"Flags":1,"flags":"one","CreatedOn ":7,"":0}`)),
	Entry("many undocumented members", getUserAuthAnswer(`{`+manyIdentifiers(200)+`"Flags":1}`)),
	Entry("many undocumented members inside of one",
		getUserAuthAnswer(`{"Flags":1,"x":{`+manyIdentifiers(200)+`"y":0}}`)),
	Entry("a documented name in escapes", getUserAuthAnswer(`{"\u0046lags":1}`)),
	Entry("a date-time in escapes", getUserAuthAnswer(`{"CreatedOn":"2023-11-14\u005408:30:15.250\u002B00:00"}`)),
	Entry("the user in escapes and another case", getUserAuthAnswer(`{"UserId":"\u0055-1001"}`)),
	Entry("as deep as is looked at", getUserAuthAnswer(`{"Flags":1,"x":`+nestedArrays(maxDepth)+`}`)),
	Entry("the same name in two objects", getUserAuthAnswer(`{"x":{"a":1,"Flags":1},"Flags":1,"y":{"a":1,"Flags":1}}`)),

	Entry("identifiers, one twice", findByUserIDsAnswer(` ["`+guidA+`" , "`+guidB+`","`+guidA+`"]`)),
)

var _ = DescribeTable("an answer that the judge finds wrong is not accepted", func(a answer) {
	Expect(a.accepted()).To(BeFalse())
	Expect(isRight(a.judged(true))).To(BeFalse(), "the judge")
},
	Entry("nothing", getUserAuthAnswer(``)),
	Entry("null", getUserAuthAnswer(`null`)),
	Entry("no documented member", getUserAuthAnswer(`{}`)),
	Entry("undocumented members alone", getUserAuthAnswer(`{"flags":1,"x":{"Flags":1}}`)),
	Entry("a list with an empty object", getUserAuthAnswer(`[{"Flags":1},{}]`)),
	Entry("a list with null", getUserAuthAnswer(`[{"Flags":1},null]`)),
	Entry("a record for identifiers", findByUserIDsAnswer(`{"Flags":1}`)),
	Entry("null among identifiers", findByUserIDsAnswer(`["`+guidA+`",null]`)),
	Entry("an identifier that is no GUID", findByUserIDsAnswer(`["`+guidA+`","{`+guidB+`}"]`)),

	Entry("a byte order mark", getUserAuthAnswer("\uFEFF{\"Flags\":1}")),
	Entry("text behind it", getUserAuthAnswer(`{"Flags":1} junk`)),
	Entry("a closing bracket too few", getUserAuthAnswer(`[{"Flags":1}`)),
	Entry("a comma too many in an object", getUserAuthAnswer(`{"Flags":1,}`)),
	Entry("a comma too many in a list", getUserAuthAnswer(`[{"Flags":1},]`)),
	Entry("white space that is none of JSON", getUserAuthAnswer("{\"Flags\":\v1}")),

	Entry("a documented member twice", getUserAuthAnswer(`{"Flags":1,"ModeType":1,"Flags":1}`)),
	Entry("a documented member twice, once in escapes", getUserAuthAnswer(`{"Flags":1,"\u0046lags":1}`)),
	Entry("a member of the device twice", getUserAuthAnswer(`{"Device":{"Id":null,"Id":null}}`)),
	Entry("an undocumented member twice", getUserAuthAnswer(`{"x":1,"Flags":1,"x":1}`)),
	Entry("an undocumented member twice, once in escapes", getUserAuthAnswer(`{"x":1,"Flags":1,"\u0078":1}`)),
	Entry("a member twice far inside", getUserAuthAnswer(`{"Flags":1,"x":[{"y":{"a":1,"b":2,"a":1}}]}`)),
	Entry("a member twice behind more than are looked at",
		getUserAuthAnswer(`{`+manyIdentifiers(100)+manyIdentifiers(1)+`"Flags":1}`)),

	Entry("a byte that is not UTF-8 in a text", getUserAuthAnswer("{\"Description\":\"ab\xff\"}")),
	Entry("a byte that is not UTF-8 in a name", getUserAuthAnswer("{\"Flags\":1,\"\xc3\":1}")),
	Entry("a surrogate as UTF-8", getUserAuthAnswer("{\"Description\":\"\xed\xa0\x80\"}")),
	Entry("a character broken by an escape", getUserAuthAnswer("{\"Description\":\"\xc3\\n\xa9\"}")),
	Entry("a control character in a text", getUserAuthAnswer("{\"Description\":\"a\nb\"}")),
	Entry("a control character in a name", getUserAuthAnswer("{\"Flags\":1,\"a\tb\":1}")),
	Entry("a text without an end", getUserAuthAnswer(`{"Description":"a`)),
	Entry("a text whose end is escaped", getUserAuthAnswer(`{"Description":"a\"}`)),
	Entry("an escape of no meaning", getUserAuthAnswer(`{"Description":"\a"}`)),
	Entry("an escape of other letters", getUserAuthAnswer(`{"Description":"\u12g4"}`)),
	Entry("a high surrogate alone", getUserAuthAnswer(`{"Description":"\ud83d"}`)),
	Entry("a high surrogate before another character", getUserAuthAnswer(`{"Description":"\ud83d\u0041"}`)),
	Entry("a low surrogate alone", getUserAuthAnswer(`{"Description":"\udd11"}`)),
	Entry("a surrogate alone in an undocumented text", getUserAuthAnswer(`{"Flags":1,"x":"\udd11"}`)),

	Entry("a sign alone", getUserAuthAnswer(`{"Flags":-}`)),
	Entry("a plus sign", getUserAuthAnswer(`{"Flags":+1}`)),
	Entry("a leading zero", getUserAuthAnswer(`{"Flags":01}`)),
	Entry("no digit before the point", getUserAuthAnswer(`{"Flags":.5}`)),
	Entry("no digit behind the point", getUserAuthAnswer(`{"Flags":1.}`)),
	Entry("a fraction", getUserAuthAnswer(`{"Flags":1.5}`)),
	Entry("a small fraction", getUserAuthAnswer(`{"Flags":1.000000000000001}`)),
	Entry("an exponent without digits", getUserAuthAnswer(`{"Flags":1e}`)),
	Entry("a literal cut short", getUserAuthAnswer(`{"IsLocked":tru}`)),
	Entry("zero for a boolean", getUserAuthAnswer(`{"IsLocked":0}`)),
	Entry("an array for the device", getUserAuthAnswer(`{"Device":[{}]}`)),
	Entry("a wrong member under an escaped name", getUserAuthAnswer(`{"\u0046lags":"1"}`)),
	Entry("another user under an escaped name", getUserAuthAnswer(`{"User\u0049d":"u-1002"}`)),
	Entry("a wrong member behind one in another order", getUserAuthAnswer(`{"Flags":1,"CreatedOn":"x"}`)),
	Entry("a wrong member of the device", getUserAuthAnswer(`{"Device":{"IsEnabled":"true"}}`)),
	Entry("a wrong record in a list", getUserAuthAnswer(`[{"Flags":1},{"Flags":"1"}]`)),

	Entry("another user", getUserAuthAnswer(`{"UserId":"u-1002"}`)),
	Entry("another user in the second record", getUserAuthAnswer(`[{"UserId":"`+userID+`"},{"UserId":"u-1002"}]`)),
	Entry("the user with more behind it", getUserAuthAnswer(`{"UserId":"`+userID+`0"}`)),
	Entry("the user with space around it", getUserAuthAnswer(`{"UserId":" `+userID+`"}`)),
	Entry("an identifier for a user without", getUserAuth("", `{"UserId":"u"}`)),
	Entry("another user in escapes", getUserAuthAnswer(`{"UserId":"\u0075-1002"}`)),
	Entry("the beginning of the user in escapes", getUserAuthAnswer(`{"UserId":"\u0075-100"}`)),
	Entry("the user in escapes with more behind it", getUserAuthAnswer(`{"UserId":"\u0075-10010"}`)),
	Entry("another form of the same letter", getUserAuth("é", `{"UserId":"e`+"\u0301"+`"}`)),
	Entry("U+FFFD for a byte that is none", getUserAuth("\xff\xfe", `{"UserId":"\ufffd"}`)),
)

var _ = DescribeTable("an answer that is right but hard to prove so is left to the judge", func(a answer) {
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

var _ = Describe("acceptance", func() {
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
