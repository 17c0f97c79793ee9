package selftest_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
)

var _ = Describe("The totals of the proof", Label(proofLabel), func() {
	spec := func(label, text string, state types.SpecState, entries ...any) types.SpecReport {
		s := types.SpecReport{
			LeafNodeType: types.NodeTypeIt, LeafNodeText: text, LeafNodeLabels: []string{proofLabel, label},
			State: state,
		}
		for _, e := range entries {
			name := killEntry
			if _, ok := e.([]string); ok {
				name = traceEntry
			}
			s.ReportEntries = append(s.ReportEntries, types.ReportEntry{Name: name, Value: types.WrapEntryValue(e)})
		}
		return s
	}
	const (
		passed = types.SpecStatePassed
		failed = types.SpecStateFailed
	)
	printed := func(specs ...types.SpecReport) string {
		var b strings.Builder
		totalsOf(types.Report{SpecReports: specs}).print(&b)
		return b.String()
	}
	found := kill{mutant: "found", verdict: "fail", rows: []string{"v5 2.1/Id"},
		consequences: []string{"v5 4.1/user", "v5=v6 9.3/getUserAuth/shape"}}

	It("count what passed, and list the mutants that slipped through last", func() {
		text := printed(
			spec(mutantLabel, "found", passed, found),
			spec(mutantLabel, "certified", failed,
				kill{mutant: "certified", verdict: "pass", missed: []string{"v6 2.1/Flags"}}),
			spec(mutantLabel, "misnamed", failed,
				kill{mutant: "misnamed", verdict: "fail", missed: []string{"v6 2.1/Flags"},
					unrelated: []string{"v6 2.1/Id"}}),
			spec(mutantLabel, "stuck", types.SpecStateTimedout),
			spec(conformingLabel, "right", passed), spec(conformingLabel, "accused", failed),
			spec(hostileLabel, "wild", passed, []string{}), spec(hostileLabel, "left out", types.SpecStateSkipped),
			spec("", "another", types.SpecStatePanicked, []string{"a trace", "another trace"}),
		)
		Expect(text).To(MatchRegexp(`(?m)^mutants killed +2/4$`))
		Expect(text).To(MatchRegexp(`(?m)^mutants diagnosed +1/4$`))
		Expect(text).To(MatchRegexp(`(?m)^conforming passed +1/2$`))
		Expect(text).To(MatchRegexp(`(?m)^hostile survived +1/2 \(1 not run\)$`))
		Expect(text).To(MatchRegexp(`(?m)^other specs +0/1$`))
		Expect(text).To(MatchRegexp(`(?m)^leaks +2, in 2 runs`))
		Expect(text).To(ContainSubstring("0.67 as a consequence, 0.33 without a reason"))
		Expect(text).To(HaveSuffix("failed: accused\nfailed: another\n" +
			"slipped through: certified: the verdict is pass\n" +
			"slipped through: misnamed: not found at v6 2.1/Flags\n" +
			"slipped through: stuck: its run did not pass the checks of every run\n"))
	})

	It("list for each row the mutants that prove it, and the rows without one", func() {
		text := printed(spec(mutantLabel, "found", passed, found))
		Expect(text).To(ContainSubstring("\nv5 2.1/Id (1)\n  found\n"))
		Expect(text).To(ContainSubstring("\nv6 2.1/Id (0)\n"))
		Expect(text).To(MatchRegexp(`(?m)^rows that no mutant proves: .*v6 2\.1/Id`))
		Expect(text).NotTo(MatchRegexp(`(?m)^rows that no mutant proves: .*v5 2\.1/Id,`))
	})

	It("wrap lines at 120 columns, and break no name", func() {
		long := strings.Repeat("x", 130)
		var b strings.Builder
		names := []string{long}
		for range 40 {
			names = append(names, "mutant-of-24-characters")
		}
		wrapNames(&b, names)
		Expect(strings.Fields(b.String())).To(Equal(names))
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.TrimSpace(line) != long {
				Expect(len(line)).To(BeNumerically("<=", 120))
			}
		}
	})
})
