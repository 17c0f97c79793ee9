package ginkgospecs

import (
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// The command runs a Ginkgo suite of its own, so that its tests are plain ones.

func TestLabelsIn(t *testing.T) {
	for filter, expected := range map[string][]string{
		"":                              nil,
		"   ":                           nil,
		"v5":                            {"v5"},
		"!auth-failure":                 {"auth-failure"},
		" ! auth-failure ":              {"auth-failure"},
		"v5 && read":                    {"v5", "read"},
		"v5&&!(negative||auth-failure)": {"v5", "negative", "auth-failure"},
		"v5,v6":                         {"v5", "v6"},
		"v5=v6":                         {"v5=v6"},
		"2.1 || 2.2":                    {"2.1", "2.2"},
		"two words && v5":               {"two words", "v5"},
		"/v[56]/":                       {"/v[56]"},
		"/^(a|b)&&c,d!$/ && v5":         {"/^(a|b)&&c,d!$", "v5"},
		"v5 && /x/":                     {"v5", "/x"},
		"/a/ || /b/":                    {"/a", "/b"},
		"//":                            {"/"},
		"((v5))":                        {"v5"},
		"Feature: containsAny {v5, v6}": {"Feature: containsAny {v5", "v6}"},
		"v5 && \tauth-failure\n":        {"v5", "auth-failure"},
		"&&||!(),":                      nil,
	} {
		NewWithT(t).Expect(labelsIn(filter)).To(Equal(expected), "%q", filter)
	}
}

// knownLabels are the labels of the specs.
func knownLabels(t *testing.T) []string {
	t.Helper()
	contract, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	return KnownLabels(contract)
}

func TestCheckFiltersTakes(t *testing.T) {
	for _, filter := range []string{
		"", "v5", "V5", "!auth-failure", "!AUTH-FAILURE", "v5 && read", "(v5 || v6) && !negative", "v5,v6", "v5=v6",
		"2.1", "4.3 && getUserAuth", "/auth/", "/auth", "/^v[56]$/ && documented", "//", " v5 ", "!(negative||auth-failure)", "findbyuserids",
	} {
		NewWithT(t).Expect(CheckFilters(&settings.Settings{LabelFilter: filter}, knownLabels(t))).To(Succeed(), "%q",
			filter)
	}
	for _, focus := range []string{"", "2.1/Id", "^v5 ", "§2.2", ".*", "(a|b)"} {
		NewWithT(t).Expect(CheckFilters(&settings.Settings{Focus: focus}, knownLabels(t))).To(Succeed(), "%q", focus)
	}
}

// Each of these would run too much, or the very probes that it was meant to hold back, or end the process in Ginkgo.
func TestCheckFiltersRefuses(t *testing.T) {
	for _, c := range []struct{ filter, focus, culprit string }{
		{"!auth-failures", "", `"auth-failures"`},
		{"!authfailure", "", `"authfailure"`},
		{"v5 && raed", "", `"raed"`},
		{"v7", "", `"v7"`},
		{"2.1/Id", "", "2.1/Id"},
		{"excluded", "", `"excluded"`},
		{"two words", "", `"two words"`},
		{"v5 &&", "", "--label-filter"},
		{"(v5", "", "--label-filter"},
		{"v5)", "", "--label-filter"},
		{"&& v5", "", "--label-filter"},
		{"/[/", "", "--label-filter"},
		{"/nothing-like-it/", "", "/nothing-like-it/"},
		{"/^v7$/ || v5", "", "/^v7$/"},
		{"!/lockout/", "", "/lockout/"},
		{"Feature: containsAny {v5, v6}", "", "--label-filter"},
		{"v5", "(", "--focus"},
		{"", "[a", "--focus"},
		{"", "*", "--focus"},
	} {
		g := NewWithT(t)
		err := CheckFilters(&settings.Settings{LabelFilter: c.filter, Focus: c.focus}, knownLabels(t))
		g.Expect(err).To(MatchError(ContainSubstring(c.culprit)), "%q %q", c.filter, c.focus)
		g.Expect(err.Error()).NotTo(Or(ContainSubstring("\x1b"), ContainSubstring("\n")), "%q %q", c.filter, c.focus)
	}
}

func TestCheckFiltersNamesTheLabels(t *testing.T) {
	err := CheckFilters(&settings.Settings{LabelFilter: "!lockout"}, knownLabels(t))
	for _, label := range knownLabels(t) {
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(label)))
	}
}

// FuzzFilters holds that no filter panics, and that one which is taken names, by Ginkgo's own reading, labels that
// exist: a filter of unknown labels never selects by accident.
func FuzzFilters(f *testing.F) {
	for _, seed := range []string{"", "v5", "!auth-failure", "(v5||v6)&&!negative", "/a/,b", "/", "//", "v5 && /[/",
		"a: isEmpty", "k: {a,b}", "\x00", "!!v5"} {
		f.Add(seed)
	}
	contract, err := schemas.Load()
	if err != nil {
		f.Fatal(err)
	}
	labels := KnownLabels(contract)
	f.Fuzz(func(t *testing.T, filter string) {
		for _, word := range labelsIn(filter) {
			if strings.TrimPrefix(word, "/") == "" && word != "/" {
				t.Fatalf("%q names an empty label", filter)
			}
		}
		if filter == "" || CheckFilters(&settings.Settings{LabelFilter: filter}, labels) != nil {
			return
		}
		if _, err := types.ParseLabelFilter(filter); err != nil {
			t.Fatalf("%q is taken, and Ginkgo can't read it: %v", filter, err)
		}
		for _, word := range labelsIn(filter) {
			if !strings.HasPrefix(word, "/") && !slices.ContainsFunc(labels,
				func(l string) bool { return strings.EqualFold(l, word) }) {
				t.Fatalf("%q is taken, and there is no label %q", filter, word)
			}
		}
	})
}
