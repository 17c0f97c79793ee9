package judge_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

var _ = Describe("Alike", func() {
	getUserAuth, findByUserIDs := schemas.GetUserAuth, schemas.FindByUserIDs
	reads := func(op schemas.Operation, body string) *exchange.Exchange { return answered(asked(op), 200, body) }
	refuses := func(status int, body string) *exchange.Exchange {
		return answered(altered(getUserAuth, exchange.RandomToken, "AccessToken"), status, body)
	}
	unenrolled := func(body string) *exchange.Exchange {
		ex := reads(getUserAuth, body)
		ex.Probe.User.Enrolled = false
		return ex
	}
	header := func(ex *exchange.Exchange, name, value string) *exchange.Exchange {
		ex.Header.Set(name, value)
		return ex
	}
	many := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}

	DescribeTable("tells what is judged in the same way from what is not", func(a, b *exchange.Exchange, alike bool) {
		j := newJudge()
		a.Size, b.Size = 5000, 5000 // what is kept of a body notes how long it was
		Expect(j.Alike(a, b)).To(Equal(alike))
		Expect(j.Alike(b, a)).To(Equal(alike), "the other way round")
		Expect(j.Alike(a, a) && j.Alike(b, b)).To(BeTrue(), "each to itself")
	},
		Entry("the same", reads(getUserAuth, with()), reads(getUserAuth, with()), true),
		Entry("another text in a string", reads(getUserAuth, with("Description", `"a"`)), reads(getUserAuth, with("Description", `"[secret:40]"`)), true),
		Entry("another GUID", reads(getUserAuth, with("ModeId", `"`+guidA+`"`)), reads(getUserAuth, with("ModeId", `"`+guidB+`"`)), true),
		Entry("no GUID any more", reads(getUserAuth, with("ModeId", `"`+guidA+`"`)), reads(getUserAuth, with("ModeId", `"[secret:36]"`)), false),
		Entry("no GUID before", reads(getUserAuth, with("ModeId", `"x"`)), reads(getUserAuth, with("ModeId", `"[secret:1]"`)), true),
		Entry("no date-time any more", reads(getUserAuth, with("CreatedOn", `"2026-01-02T03:04:05.678Z"`)), reads(getUserAuth, with("CreatedOn", `"[secret:24]"`)), false),
		Entry("another number that is observed", reads(getUserAuth, with("Flags", "4815")), reads(getUserAuth, with("Flags", "1111")), false),
		Entry("the user asked for no more", reads(getUserAuth, with("UserId", `"`+userID+`"`)), reads(getUserAuth, with("UserId", `"[secret:6]"`)), false),
		Entry("another name of an undocumented member", reads(getUserAuth, with("Extra", "1")), reads(getUserAuth, with("Other", "1")), false),
		Entry("a documented member that is gone", reads(getUserAuth, with()), reads(getUserAuth, with("Flags", "-")), false),
		Entry("a member of the device", reads(getUserAuth, with()), reads(getUserAuth, with("Device.Id", `"x"`)), false),
		Entry("JSON no more", reads(getUserAuth, with()), reads(getUserAuth, with()+"[secret:9]"), false),
		Entry("no JSON, neither of them", reads(getUserAuth, "refused: a"), reads(getUserAuth, "refused: b"), true),
		Entry("a list for a record", reads(getUserAuth, with()), reads(getUserAuth, "["+with()+"]"), false),
		Entry("a wrong identifier at another place", reads(findByUserIDs, `["x","`+guidA+`"]`), reads(findByUserIDs, `["`+guidA+`","x"]`), false),
		Entry("one identifier more", reads(findByUserIDs, `["`+guidA+`"]`), reads(findByUserIDs, `["`+guidA+`","`+guidA+`"]`), false),
		Entry("a wrong identifier past those that are shown", reads(findByUserIDs, many(80, "1")), reads(findByUserIDs, many(81, "1")), false),
		Entry("a wrong thing of another kind past those that are shown", reads(findByUserIDs, many(60, "1")), reads(findByUserIDs, "["+strings.Repeat("1,", 59)+`"x"]`), false),
		Entry("another wrong thing of the same kind past those that are shown", reads(findByUserIDs, many(60, "1")+""), reads(findByUserIDs, many(60, "1")+" "), true),
		Entry("a refusal in other words", refuses(401, `{"error":"a"}`), refuses(401, `{"error":"b"}`), true),
		Entry("a refusal that is no JSON any more", refuses(401, `{"error":"a"}`), refuses(401, `error`), false),
		Entry("a refusal of another status", refuses(401, ""), refuses(403, ""), false),
		Entry("a record for a bad token", refuses(401, `{"error":"a"}`), refuses(401, with()), false),
		Entry("a record for a bad token, with another text", refuses(200, with("Description", `"a"`)), refuses(200, with("Description", `"b"`)), true),
		Entry("nothing of a user without authenticators, in another shape", unenrolled("null"), unenrolled("[]"), false),
		Entry("a record of a user without authenticators", unenrolled("{}"), unenrolled(with()), false),
		Entry("another media type", reads(getUserAuth, with()), header(reads(getUserAuth, with()), "Content-Type", "text/json"), false),
		Entry("a challenge of another scheme", header(refuses(401, ""), "WWW-Authenticate", "Bearer a"), header(refuses(401, ""), "WWW-Authenticate", "Basic a"), false),
		Entry("a challenge with another realm", header(refuses(401, ""), "WWW-Authenticate", "Bearer a"), header(refuses(401, ""), "WWW-Authenticate", "Bearer [secret:9]"), true),
		Entry("a header that nobody looks at", reads(getUserAuth, with()), header(reads(getUserAuth, with()), "X-Echo", "[secret:40]"), true),
		Entry("faults of one kind", faulted(asked(getUserAuth), exchange.Transport, 0), faulted(asked(getUserAuth), exchange.Transport, 0), true),
		Entry("faults of two kinds", faulted(asked(getUserAuth), exchange.Timeout, 0), faulted(asked(getUserAuth), exchange.Bound, 200), false),
		Entry("a fault for an answer", reads(getUserAuth, with()), faulted(asked(getUserAuth), exchange.Transport, 200), false),
	)

	It("looks at well-formed and at altered probes of each kind", func() {
		j := newJudge()
		fields := []string{"Id", "UserId", "AccessToken", "ApplicationId"}
		for _, op := range schemas.Operations() {
			base := asked(op)
			for _, p := range append(append(exchange.Altered(base, fields, false), exchange.Altered(base, fields, true)...), base) {
				Expect(j.Alike(answered(p, 200, with()), answered(p, 200, with()))).To(BeTrue(), p.Name())
				Expect(j.Alike(answered(p, 200, with()), answered(p, 403, "refused"))).To(BeFalse(), p.Name())
			}
		}
	})
})
