package explain_test

import (
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/explain"
	"authenticator-conformance/suites/internal/testkit"
)

func TestExplain(t *testing.T) { testkit.Specs(t, "explain") }

func exampleMessages() (list []explain.Message) {
	GinkgoHelper()
	for _, m := range testkit.Must(messages.All()) {
		list = append(list, explain.Message{Schema: m.Schema, Body: m.Body})
	}
	return list
}

var _ = Describe("An explanation", func() {
	It("Of each documented requirement has a rule, and examples that differ; that of any other has none", func() {
		explainer := testkit.Must(explain.New(testkit.Suite(), exampleMessages()))
		all := testkit.Must(explain.Select(testkit.Suite(), []string{"*"}))
		Expect(all).To(HaveLen(len(testkit.Suite().Contract.Requirements)))
		for _, r := range all {
			x := testkit.Must(explainer.Explain(r))
			Expect(x.Rule != "").To(Equal(x.Kind == schemas.Documented), x.ID)
			Expect(x.Accepted.Text != x.Refused.Text).To(Equal(x.Kind == schemas.Documented), x.ID)
			Expect(x.Accepted.Location).To(Equal(x.Refused.Location), x.ID)
			Expect(len(x.Sent) > 0).To(Equal(x.Kind != schemas.Excluded), x.ID)
			Expect(x.String()).To(And(ContainSubstring(x.Statement), ContainSubstring(x.Reason)), x.ID)
		}
	})

	It("Needs examples of what is accepted and what is refused", func() {
		_, err := explain.New(testkit.Suite(), nil)
		Expect(err).To(MatchError(ContainSubstring("no example message for")))
		var valid []explain.Message
		for _, m := range exampleMessages() {
			if !strings.Contains(m.Schema, "guid-array") || len(valid) == 0 || valid[len(valid)-1].Schema != m.Schema {
				valid = append(valid, m)
			}
		}
		selected := testkit.Must(explain.Select(testkit.Suite(), []string{"2.3/identifiers"}))
		_, err = testkit.Must(explain.New(testkit.Suite(), valid)).Explain(selected[0])
		Expect(err).To(MatchError("no example message shows what 2.3/identifiers accepts and what it refuses"))
	})
})
