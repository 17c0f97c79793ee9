package ginkgospecs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// filterCase is a filter, the labels that it names, and what is said if it is refused. What is refused would run too
// much, or the very probes that it was meant to hold back, or end the process in Ginkgo.
type filterCase struct {
	Filter, Focus string
	Labels        []string
	Refused       string
}

// The command runs a Ginkgo suite of its own, so that the tests of this package are plain ones.
func TestFilters(t *testing.T) {
	g, labels := NewWithT(t), ginkgospecs.KnownLabels(testkit.Contract())
	g.Expect(strings.Join(labels, " ")).To(Equal("2 2.1 2.2 2.3 3 4 4.1 4.2 4.3 5.1 5.4 7 8 9.3 9.4 auth-failure " +
		"documented findByUserIds getUserAuth negative open read v5 v5=v6 v6"))
	for _, c := range testkit.Cases[filterCase]("testdata/filters.yaml") {
		g.Expect(ginkgospecs.LabelsIn(c.Filter)).To(Equal(c.Labels), "%q", c.Filter)
		err := ginkgospecs.CheckFilters(&settings.Settings{LabelFilter: c.Filter, Focus: c.Focus}, labels)
		if c.Refused == "" {
			g.Expect(err).NotTo(HaveOccurred(), "%q %q", c.Filter, c.Focus)
			continue
		}
		g.Expect(err).To(MatchError(And(ContainSubstring(c.Refused), Not(MatchRegexp("[\x1b\n]")))), "%q %q", c.Filter,
			c.Focus)
		if strings.Contains(c.Refused, "no label") {
			g.Expect(err).To(MatchError(HaveSuffix("; the labels are: " + strings.Join(labels, ", "))))
		}
	}
}

// FuzzFilters holds that no filter panics, and that one which is taken names, by Ginkgo's own reading, labels that
// exist: a filter of unknown labels never selects by accident.
func FuzzFilters(f *testing.F) {
	for _, seed := range []string{"", "v5", "!auth-failure", "(v5||v6)&&!negative", "/a/,b", "/", "//", "v5 && /[/",
		"a: isEmpty", "k: {a,b}", "\x00", "!!v5"} {
		f.Add(seed)
	}
	labels := ginkgospecs.KnownLabels(testkit.Contract())
	f.Fuzz(func(t *testing.T, filter string) {
		for _, word := range ginkgospecs.LabelsIn(filter) {
			if strings.TrimPrefix(word, "/") == "" && word != "/" {
				t.Fatalf("%q names an empty label", filter)
			}
		}
		if filter == "" || ginkgospecs.CheckFilters(&settings.Settings{LabelFilter: filter}, labels) != nil {
			return
		}
		if _, err := types.ParseLabelFilter(filter); err != nil {
			t.Fatalf("%q is taken, and Ginkgo can't read it: %v", filter, err)
		}
		for _, word := range ginkgospecs.LabelsIn(filter) {
			if !strings.HasPrefix(word, "/") && !slices.ContainsFunc(labels,
				func(l string) bool { return strings.EqualFold(l, word) }) {
				t.Fatalf("%q is taken, and there is no label %q", filter, word)
			}
		}
	})
}
