package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/explain"
	"authenticator-conformance/suites/internal/testkit"
)

func TestExplain(t *testing.T) { testkit.Specs(t, "explain") }

var _ = It("An explanation has the statement, what is sent, each rule, and the line of its member", func() {
	suite := testkit.Suite()
	placed := map[string]string{}
	for _, r := range testkit.Must(explain.Select(suite, []string{"*"})) {
		text := explain.Explain(suite, r)
		Expect(text).To(And(ContainSubstring(r.Statement), ContainSubstring(r.Reason)), r.ID)
		Expect(strings.Contains(text, "\n  sent ")).To(Equal(r.Kind != schemas.Excluded), r.ID)
		Expect(strings.Count(text, "\n  rule ")).To(Equal(len(r.Rules)), r.ID)
		if _, place, found := strings.Cut(text, "\n  schema  "); found {
			var file string
			var line int
			place, expected, _ := strings.Cut(place, ": ")
			_, err := fmt.Sscan(strings.Replace(place, ":", " ", 1), &file, &line)
			Expect(err).NotTo(HaveOccurred())
			placed[r.ID] = strings.Split(string(suite.Contract.Files[file]), "\n")[line-1]
			Expect(strings.TrimSpace(expected)).NotTo(BeEmpty(), r.ID)
		}
	}
	for _, member := range suite.Contract.Record.Members() {
		Expect(placed).To(HaveKeyWithValue("2.1/"+member, ContainSubstring(`"`+member+`": {`)))
	}
	Expect(placed["2.2/Model"]).To(ContainSubstring(`"Model": {`))
	Expect(placed["4.1/Id/required"]).To(ContainSubstring(`"Id": {`))
	Expect(placed["5.1/findByUserIds/token"]).To(ContainSubstring(`"AccessToken": {`))
	Expect(placed["2.3/identifiers"]).To(ContainSubstring(`"description": "a JSON array`))
	for id := range placed {
		Expect(slices.Contains([]string{"4.1/user"}, id) || strings.HasPrefix(id, "9.3/")).To(BeFalse(), id)
	}
})
