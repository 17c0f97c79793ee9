package spec_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The open points of a well-formed request", func() {
	It("J2, status and content type", func() {
		ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 203, recordWith())
		ex.Header.Set("Content-Type", `Text/JSON; Charset="UTF-8"`)
		result := newJudge().WellFormed(ex)
		Expect(findingLines(result)).To(BeEmpty())
		Expect(observedFacts(result, "open/4.3/status")).To(Equal([]string{"203"}))
		Expect(observedFacts(result, "open/4.3/content-type")).To(Equal([]string{"text/json; charset=utf-8"}))
	})

	DescribeTable("a content type reads alike however it is written",
		func(values []string, expected string) {
			ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith())
			ex.Header["Content-Type"] = values
			Expect(observedFacts(newJudge().WellFormed(ex), "open/4.3/content-type")).To(Equal([]string{expected}))
		},
		Entry("plain", []string{"application/json"}, "application/json"),
		Entry("in the other case", []string{"Application/JSON"}, "application/json"),
		Entry("with a parameter", []string{"application/json;charset=utf-8"}, "application/json; charset=utf-8"),
		Entry("with a parameter in the other case", []string{"application/json; charset=UTF-8"},
			"application/json; charset=utf-8"),
		Entry("none", nil, "no content type"),
		Entry("empty", []string{""}, "an empty content type"),
		Entry("blank", []string{" ", ""}, "an empty content type"),
		Entry("that can't be read", []string{"json?/;;"}, "json?/;;"),
		Entry("twice", []string{"application/json", "text/plain"}, "application/json, text/plain"),
	)

	It("is silent on status and content type where nothing was served", func() {
		result := newJudge().WellFormed(answeredExchange(wellFormedProbe(schemas.GetUserAuth), 404, `{}`))
		Expect(observedFacts(result, "open/4.3/status")).To(BeEmpty())
		Expect(observedFacts(result, "open/4.3/content-type")).To(BeEmpty())
	})

	It("J11, one record or a list", func() {
		Expect(observedFacts(judgeGetUserAuth(recordWith()), "open/4.3/cardinality")).To(Equal([]string{"one record"}))
		Expect(observedFacts(judgeGetUserAuth("["+recordWith()+"]"),
			"open/4.3/cardinality")).To(Equal([]string{"an array of records"}))
		Expect(observedFacts(judgeGetUserAuth("[]"), "open/4.3/cardinality")).To(BeEmpty())
	})

	It("J8, null, absent and present, in the device too", func() {
		seen := observedFacts(judgeGetUserAuth(recordWith("Flags", "null", "ModeType", "-", "Device.Model", "null",
			"Device.Comment", "-")),
			"open/2/null-or-absent")
		Expect(seen).To(ContainElements("Flags null", "ModeType absent", "Id present", "Device present",
			"Device.Model null",
			"Device.Comment absent", "Device.Id present"))
		Expect(seen).To(HaveLen(16 + 8))
	})

	It("J8, nothing of a device that is none", func() {
		Expect(observedFacts(judgeGetUserAuth(recordWith("Device", "null")), "open/2/null-or-absent")).To(HaveLen(16))
	})

	It("J9, undocumented members", func() {
		Expect(observedFacts(judgeGetUserAuth(recordWith("Extra", "1", "Device.More", "2", "flags", "3")),
			"open/2/undocumented-members")).To(
			ConsistOf(
				ContainSubstring("Extra"), ContainSubstring("More"), ContainSubstring("flags")))
	})

	It("numbers by their value", func() {
		result := judgeGetUserAuth("[" + recordWith("Flags", "1e2", "ModeType", "9007199254740993",
			"AuthenticationCountLimit", "-0") +
			"]")
		Expect(observedFacts(result, "open/2/flags")).To(Equal([]string{"100"}))
		Expect(observedFacts(result, "open/2/mode-type")).To(Equal([]string{"9007199254740993"}))
		Expect(observedFacts(result, "open/2/authentication-count-limit")).To(Equal([]string{"0"}))
		Expect(observedFacts(judgeGetUserAuth(recordWith("Flags", `"1"`)), "open/2/flags")).To(BeEmpty())
	})

	DescribeTable("the form of a UserId",
		func(recordUserID, form string) {
			Expect(observedFacts(judgeGetUserAuth(recordWith("UserId", recordUserID)),
				"open/2/user-id-format")).To(Equal([]string{form}))
		},
		Entry(nil, `""`, "empty"), Entry(nil, `"`+guidB+`"`, "GUID"), Entry(nil, `"0017"`, "digits"),
		Entry(nil, `"a@b"`, "like a mail address"), Entry(nil, `"CORP\\x"`, "other text"),
		Entry(nil, `"17\n"`, "other text"),
		Entry("of a GUID's length", `"a user id that has a GUID's length!!"`, "other text"),
	)

	It("states", func() {
		Expect(observedFacts(judgeGetUserAuth(recordWith("IsLocked", "true", "IsDisabled", `"no"`)),
			"open/3/states")).To(Equal(
			[]string{"IsDisabled not shown, IsLocked true, Device.IsEnabled true"}))
		Expect(observedFacts(judgeGetUserAuth(recordWith("Device", "[]")), "open/3/states")).To(
			HaveExactElements(HaveSuffix("Device.IsEnabled not shown")))
	})

	It("the size of an answer, and none where there is no answer", func() {
		Expect(observedFacts(judgeGetUserAuth(`{"Flags":1}`), "open/8/size")).To(Equal([]string{"11"}))
		Expect(observedFacts(newJudge().WellFormed(faultedExchange(wellFormedProbe(schemas.GetUserAuth),
			exchange.Transport,
			0)),
			"open/8/size")).To(
			BeEmpty())
	})

	DescribeTable("headers",
		func(name, value, id, expected string) {
			ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith())
			ex.Header[http.CanonicalHeaderKey(name)] = []string{value}
			Expect(observedFacts(newJudge().WellFormed(ex), id)).To(Equal([]string{expected}))
			negative := answeredExchange(mutatedProbe(schemas.GetUserAuth, exchange.Absent, "Id"), 400, "")
			negative.Header[http.CanonicalHeaderKey(name)] = []string{value}
			Expect(observedFacts(newJudge().Mutated(negative), id)).To(Equal([]string{expected}))
		},
		Entry(nil, "WWW-Authenticate", `Bearer realm="x"`, "open/5.4/header-authentication",
			"Www-Authenticate: Bearer"),
		Entry(nil, "WWW-Authenticate", "Negotiate", "open/5.4/header-authentication", "Www-Authenticate: Negotiate"),
		Entry(nil, "Set-Cookie", "sid=secret", "open/5.4/header-authentication", "Set-Cookie"),
		Entry(nil, "RateLimit-Limit", "10", "open/8/rate-limit", "Ratelimit-Limit"),
		Entry(nil, "X-RateLimit-Remaining", "10", "open/8/rate-limit", "X-Ratelimit-Remaining"),
		Entry(nil, "Retry-After", "10", "open/8/rate-limit", "Retry-After"),
		Entry(nil, "Deprecation", "@1688169599", "open/9.4/deprecation", "Deprecation: @1688169599"),
		Entry(nil, "Sunset", "Sat, 31 Dec 2044 23:59:59 GMT", "open/9.4/deprecation",
			"Sunset: Sat, 31 Dec 2044 23:59:59 GMT"),
	)

	It("stand in the catalogue, each of them", func() {
		ex := answeredExchange(wellFormedProbe(schemas.GetUserAuth), 200, recordWith("Extra", "1"))
		for _, name := range []string{"Deprecation", "Www-Authenticate", "Ratelimit"} {
			ex.Header.Set(name, "x")
		}
		for _, f := range allFacts(newJudge().WellFormed(ex)) {
			requirement, known := testkit.Contract().Requirement(f.ID)
			Expect(known).To(BeTrue(), f.ID)
			Expect(requirement.Kind).To(Equal(schemas.Open))
		}
	})
})

var _ = DescribeTable("A refusal is described in words that can be compared",
	func(ex *exchange.Exchange, expected string) {
		ex.Probe = mutatedProbe(schemas.GetUserAuth, exchange.Absent, "Id")
		Expect(observedFacts(newJudge().Mutated(ex), "open/7/missing-field")).To(Equal([]string{"Id: " + expected}))
	},
	Entry("an object", answeredExchange(exchange.Probe{}, 400, `{"e":1}`), "400, application/json, an object"),
	Entry("an empty object", answeredExchange(exchange.Probe{}, 400, `{}`), "400, application/json, {}"),
	Entry("an array", answeredExchange(exchange.Probe{}, 400, `["x"]`), "400, application/json, an array"),
	Entry("an empty array", answeredExchange(exchange.Probe{}, 200, `[]`), "200, application/json, []"),
	Entry("null", answeredExchange(exchange.Probe{}, 200, `null`), "200, application/json, null"),
	Entry("a text", answeredExchange(exchange.Probe{}, 400, `"x"`), "400, application/json, a string"),
	Entry("a record", answeredExchange(exchange.Probe{}, 200, recordWith()), "200, application/json, a record"),
	Entry("records", answeredExchange(exchange.Probe{}, 200, "["+recordWith()+"]"),
		"200, application/json, an array with records or identifiers"),
	Entry("no JSON", answeredExchange(exchange.Probe{}, 400, `no`), "400, application/json, no JSON"),
	Entry("an empty body", answeredExchange(exchange.Probe{}, 204, ``), "204, empty body"),
	Entry("no answer in time", faultedExchange(exchange.Probe{}, exchange.Timeout, 0), "no answer in time"),
	Entry("a closed connection", faultedExchange(exchange.Probe{}, exchange.Transport, 0),
		"no answer: the connection failed"),
	Entry("a body past a bound", faultedExchange(exchange.Probe{}, exchange.Bound, 413),
		"413, a body past what the suite reads"),
)

var _ = It("An observation tells a body that can't be decoded from one past a bound", func() {
	ex := faultedExchange(mutatedProbe(schemas.GetUserAuth, exchange.Absent, "Id"), exchange.Encoding, 400)
	Expect(observedFacts(newJudge().Mutated(ex), "open/7/missing-field")).To(
		HaveExactElements(And(HavePrefix("Id: 400, "), Not(ContainSubstring("past")))))
})
