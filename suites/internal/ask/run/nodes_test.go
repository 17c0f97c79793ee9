package run_test

import (
	"fmt"
	"net/http"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/fronts"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/testkit"
)

// wrongNode returns a mutant over the reference, and the rows that it breaks.
func wrongNode(name string) (service http.Handler, rows []string) {
	GinkgoHelper()
	m, found := mutants.Find(name)
	Expect(found).To(BeTrue(), name)
	for _, v := range []string{"v5", "v6"} {
		if m.Version == "" || string(m.Version) == v {
			rows = append(rows, fmt.Sprintf("%s %s fail", m.Expect[0], v))
		}
	}
	return m.Handler(kit.Reference(kit.Users(), fixtures.AccessToken)), rows
}

var _ = Describe("Of two nodes that answer in turn, the one that is wrong is found (J13):", func() {
	for _, name := range []string{
		"get-user-auth-application-id-null-served-v5", "find-by-user-ids-access-token-null-served-v6",
		"get-user-auth-id-absent-served-v5", "find-by-user-ids-access-token-empty-served-v6",
		"get-user-auth-token-unchecked", "find-by-user-ids-token-unchecked",
	} {
		for _, turns := range []struct {
			of    string
			nodes func(...http.Handler) http.Handler
		}{
			{"requests", fronts.Nodes}, {"requests of a version", fronts.NodesByVersion},
			{"connections", fronts.NodesByConnection},
		} {
			for wrong := range 2 {
				It(fmt.Sprintf("%s, at number %d of %s", name, wrong+1, turns.of), func(ctx SpecContext) {
					all := slices.Repeat([]http.Handler{kit.Reference(kit.Users(), fixtures.AccessToken)}, 2)
					var rows []string
					all[wrong], rows = wrongNode(name)
					target := testkit.Serve(turns.nodes(all...))
					r := run.New(testkit.Settings(target, threeUsers), testkit.Suite(), "0.0.0", run.Input{})
					Expect(r.Execute(ctx, nil)).To(Succeed())
					Expect(rowsNotPassing(r)).To(ConsistOf(rows))
				}, NodeTimeout(limit))
			}
		}
	}
})
