package check_test

import (
	"encoding/json"
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// refusalSeen is what is observed of a refusal.
func refusalSeen(change func(*exchange.Exchange)) string {
	ex := answerTo(schemas.GetUserAuth, 403, "{}")
	ex.Probe.Kind = exchange.UnknownUser
	change(ex)
	return check.Text(check.HowRefused(contract().ReadRefusal(ex))[0], check.AsSent{})
}

var _ = DescribeTable("What is observed of a refusal begins with what was wrong with its request, if that varies:",
	func(kind exchange.Kind, seen string) {
		Expect(refusalSeen(func(ex *exchange.Exchange) {
			ex.Probe.Kind, ex.Probe.Field, ex.Probe.Segment = kind, "UserId", "v9"
		})).To(Equal(seen + "403, no content type, {}"))
	},
	Entry(nil, exchange.Absent, "UserId: "), Entry(nil, exchange.Null, "UserId: "),
	Entry(nil, exchange.WrongType, "UserId: "), Entry(nil, exchange.RandomToken, "random token: "),
	Entry(nil, exchange.ChangedToken, "changed token: "), Entry(nil, exchange.AdjacentVersion, "v9: "),
	Entry(nil, exchange.UnknownUser, ""),
)

var _ = DescribeTable("What is observed of a refusal ends with the shape of its body:",
	func(body, shape string) {
		Expect(refusalSeen(func(ex *exchange.Exchange) { ex.Body = []byte(body) })).To(Equal("403, " + shape))
	},
	Entry(nil, "", "empty body"), Entry(nil, "null", "no content type, null"), Entry(nil, "{}", "no content type, {}"),
	Entry(nil, `{"a":1}`, "no content type, an object"), Entry(nil, disclosed, "no content type, a record"),
	Entry(nil, "[]", "no content type, []"), Entry(nil, "[1]", "no content type, an array"),
	Entry(nil, `["`+guid+`"]`, "no content type, an array with records or identifiers"),
	Entry(nil, `"no"`, "no content type, a string"), Entry(nil, "7", "no content type, a number"),
	Entry(nil, "no", "no content type, no JSON"),
)

var _ = DescribeTable("What is observed of a refusal that did not come whole is why:",
	func(kind exchange.FaultKind, seen string) {
		Expect(refusalSeen(func(ex *exchange.Exchange) { ex.Fault = &exchange.Fault{Kind: kind} })).To(Equal(seen))
	},
	Entry(nil, exchange.Timeout, "no answer in time"),
	Entry(nil, exchange.Transport, "no answer: the connection failed"),
	Entry(nil, exchange.Encoding, "403, a body that can't be decoded"),
	Entry(nil, exchange.Bound, "403, a body past what the suite reads"),
)

// texts are observations in words.
func texts(observed []any) (list []string) {
	for _, seen := range observed {
		list = append(list, check.Text(seen, check.AsSent{}))
	}
	return list
}

var _ = Describe("The members of a record and its device", func() {
	record, device := objectsOf(recordAnswer(`{"Id":null,"Flags":1,"x":1,"Device":{"Id":"a","y":1}}`))
	alone, none := objectsOf(recordAnswer(`{"Flags":1}`))

	It("are observed as present, null or absent", func() {
		seen := texts(check.Present(record, device))
		Expect(seen).To(ContainElements("Flags present", "Id null", "IsLocked absent", "Device present",
			"Device.Id present", "Device.Model absent"))
		Expect(none).To(BeNil())
		Expect(texts(check.Present(alone, none))).To(And(ContainElement("Device absent"),
			Not(ContainElement(HavePrefix("Device.")))))
	})

	It("are observed if they are not documented", func() {
		Expect(texts(check.UndocumentedMembers(record, device))).To(Equal([]string{`"x"`, `Device."y"`}))
		Expect(check.UndocumentedMembers(alone, none)).To(BeEmpty())
	})
})

var _ = It("A number is observed by its value, and nothing else is", func() {
	for body, seen := range map[string][]string{`{"Flags":10e-1}`: {"1"}, `{"Flags":"1"}`: nil, `{"Id":null}`: nil} {
		Expect(texts(check.Number("Flags")(objectsOf(recordAnswer(body))))).To(Equal(seen), body)
	}
})

var _ = DescribeTable("The form of a UserId, and whether it is that of the request (alice), are observed of",
	func(userID any, form, asked []string) {
		record, device := objectsOf(recordAnswer(`{"UserId":` + fmt.Sprint(userID) + `}`))
		Expect(texts(check.FormOfUserID(record, device))).To(Equal(form))
		Expect(texts(check.CaseOfUserID(record, device))).To(Equal(asked))
	},
	Entry("the same text", `"alice"`, says("other text"), says("as asked")),
	Entry("the text in another case", `"Alice"`, says("other text"), says("differs from the asked one in case only")),
	Entry("an empty text", `""`, says("empty"), says()),
	Entry("a GUID", `"`+guid+`"`, says("GUID"), says()),
	Entry("digits", `"0042"`, says("digits"), says()),
	Entry("a mail address", `"alice@example.org"`, says("like a mail address"), says()),
	Entry("two names", `"alice @ home"`, says("other text"), says()),
	Entry("no text", `7`, says(), says()),
)

var _ = DescribeTable("The states of a record and its device are observed together:",
	func(body, seen string) {
		Expect(texts(check.States(objectsOf(recordAnswer(body))))).To(HaveExactElements(seen))
	},
	Entry("all", `{"IsDisabled":true,"IsLocked":false,"Device":{"IsEnabled":true}}`,
		"IsDisabled true, IsLocked false, Device.IsEnabled true"),
	Entry("of no device", `{"IsDisabled":false,"IsLocked":null}`,
		"IsDisabled false, IsLocked not shown, Device.IsEnabled not shown"),
)

// quoting shows values of headers in quotes.
type quoting struct{ check.AsSent }

func (quoting) HeaderValue(_, value string) string { return strconv.Quote(value) }

var _ = It("Words in place of a content type are shown as they are, and a content type as the target sent it", func() {
	Expect(check.Text(check.ContentType{Before: "403, no content type", After: ", {}"}, quoting{})).To(
		Equal("403, no content type, {}"))
	Expect(check.Text(check.ContentType{Before: "403, ", Value: "a/b", After: ", {}"}, quoting{})).To(
		Equal(`403, "a/b", {}`))
	Expect(check.Text(json.Number("7"), quoting{})).To(Equal("7"))
})

var _ = It("Of no requests there is no time that a part of them did not exceed", func() {
	Expect(check.Quantile(nil, 0.5)).To(BeZero())
})
