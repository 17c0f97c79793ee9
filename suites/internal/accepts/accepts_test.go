package accepts_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// get is an answer of getUserAuth to the ordinary user, find one of findByUserIds.
func get(body string) answer  { return answer{schemas.GetUserAuth, userID, body} }
func find(body string) answer { return answer{schemas.FindByUserIDs, userID, body} }

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

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func nines(count int) string { return strings.Repeat("9", count) }

// padded fills a body with white space up to a size.
func padded(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }

// The bounds of what is accepted: the bytes of a body, the arrays and objects around a value, the length of a number.
const (
	maxBytes  = 1 << 20
	maxDepth  = 16
	maxNumber = 32
)

var _ = DescribeTable("an answer is accepted, and right by the judge", func(a answer) {
	Expect(a.accepted()).To(BeTrue())
	for _, enrolled := range []bool{true, false} {
		Expect(right(a.judged(enrolled))).To(BeTrue(), "the judge, enrolled: %v", enrolled)
	}
},
	Entry("a record of one member", get(`{"Flags":1}`)),
	Entry("members in another order", get(`{"Flags":1,"CreatedBy":"","Id":"`+guidA+
		`","AuthenticationCountLimit":0,"ModeType":-7}`)),
	Entry("an empty device", get(`{"Device":{}}`)),
	Entry("a device alone", get(`{"Device":{"Id":"`+guidB+`","IsEnabled":true,"Comment":null}}`)),
	Entry("a list of one", get(`[{"Flags":1}]`)),
	Entry("white space everywhere", get("\r\n\t { \"Flags\" \t: 1 ,\n\"Device\"\r:\r{ \n} ,\t\"UserId\" : null } \n")),
	Entry("a body as large as is looked at", get(padded(`{"Flags":1}`, maxBytes))),

	Entry("the user", getUserAuth("u", `{"UserId":"u"}`)),
	Entry("the user in another case", getUserAuth("jürgen", `{"UserId":"JÜRGEN"}`)),
	Entry("the user in another case of folding", getUserAuth("k", "{\"UserId\":\"\u212A\"}")),
	Entry("a user in escapes", getUserAuth("é\"/😀\x00", `{"UserId":"\u00e9\"\/\ud83d\uDE00\u0000"}`)),

	Entry("zero", get(`{"Flags":0,"ModeType":-0,"AuthenticationCountLimit":0.0}`)),
	Entry("a number as long as is looked at", get(`{"Flags":`+nines(maxNumber)+`}`)),
	Entry("date-times", get(`{"CreatedOn":"2024-02-29T23:59:59.999+00:00","ExpirationDate":"0000-01-01T00:00:00","Device":{"RegistrationDate":"2023-11-14T08:30:15.1234567-03:30"}}`)),

	Entry("undocumented members",
		get(`{"x":{"a":[1.5,-0.25,"",null,true,false,{}],"Flags":"1"},"Flags":1,"flags":"one","CreatedOn ":7,"":0}`)),
	Entry("many undocumented members", get(`{`+manyIdentifiers(200)+`"Flags":1}`)),
	Entry("many undocumented members inside of one", get(`{"Flags":1,"x":{`+manyIdentifiers(200)+`"y":0}}`)),
	Entry("a documented name in escapes", get(`{"\u0046lags":1}`)),
	Entry("a date-time in escapes", get(`{"CreatedOn":"2023-11-14\u005408:30:15.250\u002B00:00"}`)),
	Entry("the user in escapes and another case", get(`{"UserId":"\u0055-1001"}`)),
	Entry("as deep as is looked at", get(`{"Flags":1,"x":`+nested(maxDepth)+`}`)),
	Entry("the same name in two objects", get(`{"x":{"a":1,"Flags":1},"Flags":1,"y":{"a":1,"Flags":1}}`)),

	Entry("identifiers, one twice", find(` ["`+guidA+`" , "`+guidB+`","`+guidA+`"]`)),
)

var _ = DescribeTable("an answer that the judge finds wrong is not accepted", func(a answer) {
	Expect(a.accepted()).To(BeFalse())
	Expect(right(a.judged(true))).To(BeFalse(), "the judge")
},
	Entry("nothing", get(``)),
	Entry("null", get(`null`)),
	Entry("no documented member", get(`{}`)),
	Entry("undocumented members alone", get(`{"flags":1,"x":{"Flags":1}}`)),
	Entry("a list with an empty object", get(`[{"Flags":1},{}]`)),
	Entry("a list with null", get(`[{"Flags":1},null]`)),
	Entry("a record for identifiers", find(`{"Flags":1}`)),
	Entry("null among identifiers", find(`["`+guidA+`",null]`)),
	Entry("an identifier that is no GUID", find(`["`+guidA+`","{`+guidB+`}"]`)),

	Entry("a byte order mark", get("\uFEFF{\"Flags\":1}")),
	Entry("text behind it", get(`{"Flags":1} junk`)),
	Entry("a closing bracket too few", get(`[{"Flags":1}`)),
	Entry("a comma too many in an object", get(`{"Flags":1,}`)),
	Entry("a comma too many in a list", get(`[{"Flags":1},]`)),
	Entry("white space that is none of JSON", get("{\"Flags\":\v1}")),

	Entry("a documented member twice", get(`{"Flags":1,"ModeType":1,"Flags":1}`)),
	Entry("a documented member twice, once in escapes", get(`{"Flags":1,"\u0046lags":1}`)),
	Entry("a member of the device twice", get(`{"Device":{"Id":null,"Id":null}}`)),
	Entry("an undocumented member twice", get(`{"x":1,"Flags":1,"x":1}`)),
	Entry("an undocumented member twice, once in escapes", get(`{"x":1,"Flags":1,"\u0078":1}`)),
	Entry("a member twice far inside", get(`{"Flags":1,"x":[{"y":{"a":1,"b":2,"a":1}}]}`)),
	Entry("a member twice behind more than are looked at",
		get(`{`+manyIdentifiers(100)+manyIdentifiers(1)+`"Flags":1}`)),

	Entry("a byte that is not UTF-8 in a text", get("{\"Description\":\"ab\xff\"}")),
	Entry("a byte that is not UTF-8 in a name", get("{\"Flags\":1,\"\xc3\":1}")),
	Entry("a surrogate as UTF-8", get("{\"Description\":\"\xed\xa0\x80\"}")),
	Entry("a character broken by an escape", get("{\"Description\":\"\xc3\\n\xa9\"}")),
	Entry("a control character in a text", get("{\"Description\":\"a\nb\"}")),
	Entry("a control character in a name", get("{\"Flags\":1,\"a\tb\":1}")),
	Entry("a text without an end", get(`{"Description":"a`)),
	Entry("a text whose end is escaped", get(`{"Description":"a\"}`)),
	Entry("an escape of no meaning", get(`{"Description":"\a"}`)),
	Entry("an escape of other letters", get(`{"Description":"\u12g4"}`)),
	Entry("a high surrogate alone", get(`{"Description":"\ud83d"}`)),
	Entry("a high surrogate before another character", get(`{"Description":"\ud83d\u0041"}`)),
	Entry("a low surrogate alone", get(`{"Description":"\udd11"}`)),
	Entry("a surrogate alone in an undocumented text", get(`{"Flags":1,"x":"\udd11"}`)),

	Entry("a sign alone", get(`{"Flags":-}`)),
	Entry("a plus sign", get(`{"Flags":+1}`)),
	Entry("a leading zero", get(`{"Flags":01}`)),
	Entry("no digit before the point", get(`{"Flags":.5}`)),
	Entry("no digit behind the point", get(`{"Flags":1.}`)),
	Entry("a fraction", get(`{"Flags":1.5}`)),
	Entry("a small fraction", get(`{"Flags":1.000000000000001}`)),
	Entry("an exponent without digits", get(`{"Flags":1e}`)),
	Entry("a literal cut short", get(`{"IsLocked":tru}`)),
	Entry("zero for a boolean", get(`{"IsLocked":0}`)),
	Entry("an array for the device", get(`{"Device":[{}]}`)),
	Entry("a wrong member under an escaped name", get(`{"\u0046lags":"1"}`)),
	Entry("another user under an escaped name", get(`{"User\u0049d":"u-1002"}`)),
	Entry("a wrong member behind one in another order", get(`{"Flags":1,"CreatedOn":"x"}`)),
	Entry("a wrong member of the device", get(`{"Device":{"IsEnabled":"true"}}`)),
	Entry("a wrong record in a list", get(`[{"Flags":1},{"Flags":"1"}]`)),

	Entry("another user", get(`{"UserId":"u-1002"}`)),
	Entry("another user in the second record", get(`[{"UserId":"`+userID+`"},{"UserId":"u-1002"}]`)),
	Entry("the user with more behind it", get(`{"UserId":"`+userID+`0"}`)),
	Entry("the user with space around it", get(`{"UserId":" `+userID+`"}`)),
	Entry("an identifier for a user without", getUserAuth("", `{"UserId":"u"}`)),
	Entry("another user in escapes", get(`{"UserId":"\u0075-1002"}`)),
	Entry("the beginning of the user in escapes", get(`{"UserId":"\u0075-100"}`)),
	Entry("the user in escapes with more behind it", get(`{"UserId":"\u0075-10010"}`)),
	Entry("another form of the same letter", getUserAuth("é", `{"UserId":"e`+"\u0301"+`"}`)),
	Entry("U+FFFD for a byte that is none", getUserAuth("\xff\xfe", `{"UserId":"\ufffd"}`)),
)

var _ = DescribeTable("an answer that is right but hard to prove so is left to the judge", func(a answer) {
	Expect(a.accepted()).To(BeFalse())
	Expect(right(a.judged(true))).To(BeTrue(), "the judge")
},
	Entry("a list of none", get(`[]`)),
	Entry("identifiers, none", find(` [ ] `)),
	Entry("an exponent", get(`{"Flags":1e2}`)),
	Entry("a long number", get(`{"Flags":`+nines(maxNumber+1)+`}`)),
	Entry("a long number of an undocumented member", get(`{"Flags":1,"x":0.`+nines(maxNumber)+`}`)),
	Entry("deep", get(`{"Flags":1,"x":`+nested(maxDepth+1)+`}`)),
	Entry("large", get(padded(`{"Flags":1}`, maxBytes+1))),
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
