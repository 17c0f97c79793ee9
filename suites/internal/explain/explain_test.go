package explain_test

import (
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/explain"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func exampleMessages() (list []explain.Message) {
	GinkgoHelper()
	all, err := messages.All()
	Expect(err).NotTo(HaveOccurred())
	for _, m := range all {
		list = append(list, explain.Message{Schema: m.Schema, Body: m.Body})
	}
	return list
}

var explainer = sync.OnceValues(func() (*explain.Explainer, error) {
	return explain.New(testkit.Suite(),
		exampleMessages())
})

func explainRequirements(ids ...string) (list []*explain.Explanation) {
	GinkgoHelper()
	e, err := explainer()
	Expect(err).NotTo(HaveOccurred())
	selected, err := explain.Select(testkit.Suite(), ids)
	Expect(err).NotTo(HaveOccurred())
	for _, r := range selected {
		x, err := e.Explain(r)
		Expect(err).NotTo(HaveOccurred())
		list = append(list, x)
	}
	return list
}

var _ = Describe("An explanation", func() {
	It("of each documented requirement has a rule, and examples that differ; that of any other has none", func() {
		all := explainRequirements("*")
		Expect(all).To(HaveLen(len(testkit.Suite().Contract.Requirements)))
		for _, x := range all {
			Expect(x.Rule != "").To(Equal(x.Kind == schemas.Documented), x.ID)
			Expect(x.Accepted.Text != x.Refused.Text).To(Equal(x.Kind == schemas.Documented), x.ID)
			Expect(x.Accepted.Location).To(Equal(x.Refused.Location), x.ID)
			Expect(len(x.Sent) > 0).To(Equal(x.Kind != schemas.Excluded), x.ID)
			Expect(x.String()).To(And(ContainSubstring(x.Statement), ContainSubstring(x.Reason)), x.ID)
		}
	})

	It("of a field shows its value", func() {
		Expect(explainRequirements("2.1/CreatedOn")[0].String()).To(Equal(
			`2.1/CreatedOn (§2.1 Authenticator record)
CreatedOn, if present and not null, is an ISO 8601 date-time in UTC with milliseconds.

  kind      documented, judged in v5 and in v6
  sent      for each user, twice to v5 and to v6, labelled read:
            well-formed: POST /api/v5/authenticator/getUserAuth {"Id":"77c0a3de-5b0e-4f43-8d11-2f4b6a8c0e21",` +
				`"UserId":"u-1001","AccessToken":"$AUTHN_ACCESS_TOKEN","ApplicationId":"example-application"}
  rule      a string that is an ISO 8601 date-time in UTC with milliseconds (YYYY-MM-DDThh:mm:ss.sss of a real date ` +
				`and time, exactly three fraction digits, then Z or +00:00), or null
  accepted  "2023-11-14T08:30:15.250Z" at /CreatedOn
  refused   "2023-11-14T08:30:15Z" at /CreatedOn
`))
	})

	DescribeTable("shows what is accepted and what is refused", func(id, location, accepted, refused string) {
		x := explainRequirements(id)[0]
		Expect([]string{x.Accepted.Location, x.Refused.Location}).To(HaveEach(location))
		Expect(x.Accepted.Text).To(HavePrefix(accepted))
		Expect(x.Refused.Text).To(HavePrefix(refused))
	},
		Entry("of a member of the device", "2.2/IsEnabled", "/Device/IsEnabled", `true`, `"true"`),
		Entry("of a list", "2.3/identifiers", "/1", `"9d2f7c10-41aa-4e0b-b6a3-5c1e0f2d3b4a"`, "null"),
		Entry("of an answer", "4/getUserAuth/served", "",
			`status 200 and {"AuthenticationCountLimit":5`, `status 400 and {"error"`),
		Entry("of a refusal", "4.1/Id/required", "",
			`status 400 and {"error"`, `status 200 and {"AuthenticationCountLimit":5`),
		Entry("of a token", "5.1/findByUserIds/token", "", `status 400 and {"error"`, `status 200 and ["3f0c2a9e`),
		Entry("of the user", "4.1/user", "/UserId", `"u-1001"`, `""`),
		Entry("of shapes", "9.3/getUserAuth/shape", "/AuthenticationCountLimit", "v5: 5, v6: 5", "v5: 5, v6: null"),
		Entry("of values", "9.3/getUserAuth/values", "/AuthenticationCountLimit", "v5: 5, v6: 5", "v5: 5, v6: 0"),
		Entry("of open points", "9.3/getUserAuth/divergence", "open/4.3/cardinality", "v5: one record, v6: one record",
			"v5: one record, v6: an array of records"),
	)

	It("names each request that is sent, and no token", func() {
		x := explainRequirements("4.1/AccessToken/required")[0]
		Expect(x.Sent).To(HaveLen(3))
		Expect(x.String()).To(And(
			ContainSubstring("for one user who is served, once to v5 and to v6, labelled negative:"),
			ContainSubstring(`absent AccessToken: POST /api/v5/authenticator/getUserAuth {"Id":`),
			ContainSubstring(`empty token: POST `), ContainSubstring(`"AccessToken":"",`)))
		Expect(explainRequirements("open/7/wrong-method")[0].String()).To(
			ContainSubstring("GET /api/v5/authenticator/getUserAuth\n"))
		Expect(explainRequirements("open/9.4/neighbours")[0].String()).To(
			ContainSubstring("POST /api/v7/authenticator/getUserAuth {"))
	})

	It("says why a requirement can't be observed", func() {
		Expect(explainRequirements("excluded/6/events")[0].String()).To(ContainSubstring(
			"excluded, never judged: Events go to receivers inside the service's own estate"))
	})

	It("needs examples", func() {
		_, err := explain.New(testkit.Suite(), nil)
		Expect(err).To(MatchError(ContainSubstring("no example message for")))
		var valid []explain.Message
		for _, m := range exampleMessages() {
			if !strings.Contains(m.Schema, "guid-array") || len(valid) == 0 || valid[len(valid)-1].Schema != m.Schema {
				valid = append(valid, m)
			}
		}
		e, err := explain.New(testkit.Suite(), valid)
		Expect(err).NotTo(HaveOccurred())
		selected, err := explain.Select(testkit.Suite(), []string{"2.3/identifiers"})
		Expect(err).NotTo(HaveOccurred())
		_, err = e.Explain(selected[0])
		Expect(err).To(MatchError("no example message shows what 2.3/identifiers accepts and what it refuses"))
	})
})

var _ = Describe("A selection", func() {
	idsOf := func(list []*spec.Requirement) (ids []string) {
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		return ids
	}

	It("takes ids and patterns, and lists each requirement once, in the catalogue's order", func() {
		selected, err := explain.Select(testkit.Suite(), []string{"5.1/*", "2.2/Id", "*/token", "4/*/served"})
		Expect(err).NotTo(HaveOccurred())
		Expect(idsOf(selected)).To(Equal([]string{
			"2.2/Id", "4/getUserAuth/served", "4/findByUserIds/served", "5.1/getUserAuth/token",
			"5.1/findByUserIds/token",
		}))
	})

	DescribeTable("names what matches nothing", func(name string, parts ...string) {
		_, err := explain.Select(testkit.Suite(), []string{"2.1/Id", name})
		Expect(err).To(HaveOccurred())
		for _, part := range parts {
			Expect(err.Error()).To(ContainSubstring(part))
		}
	},
		Entry("a slip", "2.1/createdon", `"2.1/createdon" is not a requirement`, "did you mean 2.1/CreatedOn"),
		Entry("a name without its section", "CreatedOn", "2.1/CreatedOn"),
		Entry("a pattern", "3.1/*", `no requirement matches the pattern "3.1/*"`, "conformance requirements"),
		Entry("nothing", "", `"" is not a requirement`),
		Entry("what a terminal would obey", "\x1b[31m", `\x1b`),
	)

	It("names several ids that are near", func() {
		_, err := explain.Select(testkit.Suite(), []string{"2.2/SerialNumbr"})
		Expect(err).To(MatchError(HaveSuffix("did you mean 2.2/SerialNumber, 2.1/SerialNumber?")))
	})
})
