package check_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

const disclosed = `{"Flags":1,"ModeType":2,"IsLocked":true}`

var _ = DescribeTable("An answer serves something, and discloses data, if it is",
	func(op schemas.Operation, status int, body string, serves, discloses bool) {
		a := contract().Read(answerTo(op, status, body))
		Expect(a.ServesSomething()).To(Equal(serves))
		Expect(a.DisclosesData()).To(Equal(discloses))
	},
	Entry("a record", schemas.GetUserAuth, 200, disclosed, true, true),
	Entry("a list of a record", schemas.GetUserAuth, 200, `[`+disclosed+`]`, true, true),
	Entry("identifiers", schemas.FindByUserIDs, 200, `["`+guid+`"]`, true, true),
	Entry("a record with few members, which discloses nothing", schemas.GetUserAuth, 200, `{"Flags":1}`, true, false),
	Entry("a record beside something else, which was not served", schemas.GetUserAuth, 200, `[`+disclosed+`,7]`, true,
		false),
	Entry("but not a record with few members beside something else", schemas.GetUserAuth, 200, `[{"Flags":1},7]`,
		false, false),
	Entry("but not a list of no record", schemas.GetUserAuth, 200, `[]`, false, false),
	Entry("but not a list of texts that are no GUID", schemas.FindByUserIDs, 200, `["x"]`, false, false),
	Entry("but not a refusal", schemas.GetUserAuth, 403, disclosed, false, false),
)

var _ = DescribeTable("An object in the answer for a user who has nothing is a record only if it discloses one",
	func(body string, records int) {
		ex := answerTo(schemas.GetUserAuth, 200, body)
		ex.Probe.User.Enrolled = false
		Expect(contract().Read(ex).Count).To(Equal(records))
		Expect(recordAnswer(body).Count).To(Equal(1), "of a user who is enrolled")
	},
	Entry("a record", disclosed, 1),
	Entry("an error with the name of a member", `{"Description":"nothing enrolled"}`, 0),
)

var _ = DescribeTable("The fault of an answer is the first reason why it was not served:",
	func(op schemas.Operation, status int, fault exchange.FaultKind, body, expected string) {
		ex := answerTo(op, status, body)
		if fault != "" {
			ex.Fault = &exchange.Fault{Kind: fault}
		}
		found, any := contract().Read(ex).Fault()
		Expect(strings.TrimSpace(found.Kind + " " + found.Pointer)).To(Equal(expected))
		Expect(any).To(Equal(expected != ""))
		if found.Pointer == "" && any {
			Expect(found.Expected).To(Equal(check.Service{Operation: op}))
		}
	},
	Entry("none", schemas.GetUserAuth, 200, exchange.FaultKind(""), disclosed, ""),
	Entry("its status", schemas.GetUserAuth, 500, exchange.FaultKind(""), disclosed, "status"),
	Entry("no answer in time", schemas.GetUserAuth, 0, exchange.Timeout, "", string(exchange.Timeout)),
	Entry("an element that is no record", schemas.GetUserAuth, 200, exchange.FaultKind(""), `[`+disclosed+`,7,8]`,
		"shape /1"),
	Entry("a member twice", schemas.GetUserAuth, 200, exchange.FaultKind(""), `{"Id":null,"Flags":1,"Flags":2}`,
		"duplicate-member /Flags"),
	Entry("an object in the place of identifiers", schemas.FindByUserIDs, 200, exchange.FaultKind(""), `{"a":1}`,
		"shape"),
)

var _ = It("A refusal that discloses nothing keeps no value", func() {
	a := contract().ReadRefusal(answerTo(schemas.GetUserAuth, 403, `{"error":"no"}`))
	Expect(a.Value).To(BeNil())
	Expect(a.DisclosesOnlyOwn()).To(BeFalse())
})

var _ = DescribeTable("What a refusal discloses is kept, and whether that is a GUID of the user's own only:",
	func(body string, value any, onlyOwn bool) {
		ex := answerTo(schemas.GetUserAuth, 403, body)
		ex.Own = map[string]bool{guid: true}
		a := contract().ReadRefusal(ex)
		Expect(a.Value).To(Equal(value))
		Expect(a.Discloses()).To(BeTrue())
		Expect(a.DisclosesOnlyOwn()).To(Equal(onlyOwn))
	},
	Entry("such a GUID", `{"error":"`+guid+`"}`, guid, true),
	Entry("such a GUID in what is no text", "\xff"+guid, guid, true),
	Entry("identifiers, with such a GUID", `["`+guid+`"]`, check.ExcerptOf([]any{guid}), false),
)

var _ = DescribeTable("An object around what was expected is told from any other wrong answer:",
	func(op schemas.Operation, body string, envelope bool) {
		found, any := contract().Read(answerTo(op, 200, body)).Fault()
		Expect(any).To(BeTrue())
		Expect(found.Off).To(Equal(map[bool]string{true: check.Envelope}[envelope]))
	},
	Entry("around a record", schemas.GetUserAuth, `{"data":`+disclosed+`}`, true),
	Entry("around a list of records", schemas.GetUserAuth, `{"data":{"list":[1,`+disclosed+`]}}`, true),
	Entry("a record with few members", schemas.GetUserAuth, `{"data":{"Flags":1}}`, false),
	Entry("a list around a list of records", schemas.GetUserAuth, `[[`+disclosed+`]]`, false),
	Entry("around identifiers", schemas.FindByUserIDs, `{"data":{"list":["`+guid+`","x"]}}`, true),
	Entry("around one identifier in a list", schemas.FindByUserIDs, `{"data":["`+guid+`"]}`, true),
	Entry("around a list that does not begin with one", schemas.FindByUserIDs, `{"data":["x","`+guid+`"]}`, false),
	Entry("around an empty list", schemas.FindByUserIDs, `{"data":[]}`, false),
	Entry("around a single identifier", schemas.FindByUserIDs, `{"data":"`+guid+`"}`, false),
)

var _ = DescribeTable("A finding has the request, what was expected, what came and what is off there:",
	func(out check.Outcome, expected, actual any, off string) {
		Expect(out.Findings).To(HaveLen(1))
		f := out.Findings[0]
		Expect(f.Probe.ID).To(Equal("e1"))
		Expect(f.Expected).To(Equal(expected))
		Expect(check.ExcerptOf(f.Actual)).To(Equal(check.ExcerptOf(actual)))
		Expect(f.Off).To(Equal(off))
	},
	Entry("a number in quotation marks", memberOf("Flags", check.MatchesSchema, `"7"`),
		expectedAt("Flags"), "7", "a number in quotation marks"),
	Entry("another user", memberOf("UserId", check.EqualsTheOneAsked, `"alice "`),
		check.AskedUser{UserID: "alice"}, "alice ", "the same but for white space at an end"),
	Entry("an element of another form", check.EachMatchesSchema(listAnswer(`["{`+guid+`}"]`)),
		"a string that is a GUID (RFC 9562 text form 8-4-4-4-12, hex digits of either case)", "{"+guid+"}",
		"in braces"),
	Entry("another shape", check.IsServed(recordAnswer(`"no"`), nil), check.Service{Operation: schemas.GetUserAuth},
		"no", ""),
	Entry("an object in the place of identifiers", check.IsServed(listAnswer(`{"a":1}`), nil),
		check.Service{Operation: schemas.FindByUserIDs}, map[string]any{"a": json.Number("1")}, ""),
)

// memberOf is the outcome of a check of a member with a value.
func memberOf(name string, checks func(check.Value) check.Outcome, value string) check.Outcome {
	object, _ := objectsOf(recordAnswer(`{"` + name + `":` + value + `}`))
	return check.Member(name, checks)(object)
}

// expectedAt is what the schema expects of a member of a record.
func expectedAt(name string) string {
	return testkit.Contract().Shapes.Record.Check(map[string]any{name: []any{}})[0].Expected
}

var _ = It("A finding of an answer that can't be read has what came, and why it can't be", func() {
	found, _ := recordAnswer(`{"Flags":`).Fault()
	Expect(found.Actual).To(And(HaveField("Why", Not(BeEmpty())), HaveField("Body.Text", `{"Flags":`)))
	ex := answerTo(schemas.GetUserAuth, 0, "")
	ex.Fault = &exchange.Fault{Kind: exchange.Timeout, Plain: "late"}
	found, _ = contract().Read(ex).Fault()
	Expect(found.Actual).To(Equal(*ex.Fault))
})

var _ = It("A finding of a refusal that discloses data has the request that should be refused", func() {
	ex := answerTo(schemas.GetUserAuth, 200, disclosed)
	ex.Probe.Kind = exchange.UnknownUser
	f := check.DisclosesNothing(contract().ReadRefusal(ex)).Findings[0]
	Expect(f.Probe).To(Equal(ex.Probe))
	Expect(f.Expected).To(Equal(check.Refusal{Probe: ex.Probe}))
})

var _ = It("An empty list of identifiers was served, as the user may have none", func() {
	Expect(check.IsServed(listAnswer(`[]`), nil)).To(outcomeOf(1))
})

var _ = It("An element of a list is right if the schema says so, of whatever type", func() {
	reader := check.NewReader(&testkit.EditionWith(map[string]func(string) string{
		"guid-array.schema.json": func(string) string {
			return `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array",` +
				`"items":{"description":"a text or an integer","type":["string","integer"]}}`
		},
	}).Shapes)
	a := reader.Read(answerTo(schemas.FindByUserIDs, 200, `[1,"",null,1]`))
	Expect(check.EachMatchesSchema(a)).To(outcomeOf(3, "not of its type: null /2"))
})

var _ = Describe("The undocumented members of a record", func() {
	It("are listed in order, and near misses in the order of the document", func() {
		record, device := objectsOf(recordAnswer(`{"Flags":1,"g":0,"c":0,"b":0,"f":0,"a":0,"e":0,"d":0}`))
		var names []string
		for _, seen := range check.UndocumentedMembers(record, device) {
			names = append(names, seen.(check.MemberName).Name)
		}
		Expect(names).To(Equal([]string{"a", "b", "c", "d", "e", "f", "g"}))
		found, _ := recordAnswer(`{"created_by":"a","id":"x","tenant":"b","flags":1}`).Fault()
		Expect(found.NearMisses).To(Equal([]check.NearMiss{{Seen: "flags", Documented: "Flags"},
			{Seen: "id", Documented: "Id"}, {Seen: "created_by", Documented: "CreatedBy"}}))
	})

	DescribeTable("are near misses up to a kibibyte", func(hyphens, notes int) {
		object, _ := objectsOf(recordAnswer(`{"Id":null,"f` + strings.Repeat("-", hyphens) + `lags":1}`))
		Expect(check.Member("Flags", check.MatchesSchema)(object).Notes).To(HaveLen(notes))
	},
		Entry("with as many bytes as may be", 1<<10-6, 1), Entry("with one more", 1<<10-5, 0),
	)
})
