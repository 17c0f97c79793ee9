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
func knownLabels(t testing.TB) []string {
	t.Helper()
	contract, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	return KnownLabels(contract)
}

// What is refused would run too much, or the very probes that it was meant to hold back, or end the process in Ginkgo.
func TestCheckFilters(t *testing.T) {
	labels := knownLabels(t)
	for _, c := range []struct {
		filters, focuses []string
		culprit          string // that the error names; "" if they are taken
	}{
		{[]string{"", "v5", "V5", "!auth-failure", "!AUTH-FAILURE", "v5 && read", "(v5 || v6) && !negative", "v5,v6",
			"v5=v6", "2.1", "4.3 && getUserAuth", "/auth/", "/auth", "/^v[56]$/ && documented", "//", " v5 ",
			"!(negative||auth-failure)", "findbyuserids"}, nil, ""},
		{nil, []string{"", "2.1/Id", "^v5 ", "§2.2", ".*", "(a|b)"}, ""},
		{[]string{"!auth-failures"}, nil, `"auth-failures"`}, {[]string{"!authfailure"}, nil, `"authfailure"`},
		{[]string{"v5 && raed"}, nil, `"raed"`}, {[]string{"v7"}, nil, `"v7"`}, {[]string{"2.1/Id"}, nil, "2.1/Id"},
		{[]string{"excluded"}, nil, `"excluded"`}, {[]string{"two words"}, nil, `"two words"`},
		{[]string{"/nothing-like-it/"}, nil, "/nothing-like-it/"}, {[]string{"/^v7$/ || v5"}, nil, "/^v7$/"},
		{[]string{"!/lockout/"}, nil, "/lockout/"},
		{[]string{"v5 &&", "(v5", "v5)", "&& v5", "/[/", "Feature: containsAny {v5, v6}"}, nil, "--label-filter"},
		{nil, []string{"(", "[a", "*"}, "--focus"},
	} {
		g := NewWithT(t)
		cases := []settings.Settings{}
		for _, filter := range c.filters {
			cases = append(cases, settings.Settings{LabelFilter: filter})
		}
		for _, focus := range c.focuses {
			cases = append(cases, settings.Settings{Focus: focus})
		}
		for _, s := range cases {
			err := CheckFilters(&s, labels)
			if c.culprit == "" {
				g.Expect(err).NotTo(HaveOccurred(), "%q %q", s.LabelFilter, s.Focus)
				continue
			}
			g.Expect(err).To(MatchError(And(ContainSubstring(c.culprit), Not(MatchRegexp("[\x1b\n]")))), "%q %q",
				s.LabelFilter, s.Focus)
		}
	}
	err := CheckFilters(&settings.Settings{LabelFilter: "!lockout"}, labels)
	for _, label := range labels {
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(label)), "it names the labels that there are")
	}
}

// FuzzFilters holds that no filter panics, and that one which is taken names, by Ginkgo's own reading, labels that
// exist: a filter of unknown labels never selects by accident.
func FuzzFilters(f *testing.F) {
	for _, seed := range []string{"", "v5", "!auth-failure", "(v5||v6)&&!negative", "/a/,b", "/", "//", "v5 && /[/",
		"a: isEmpty", "k: {a,b}", "\x00", "!!v5"} {
		f.Add(seed)
	}
	labels := knownLabels(f)
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
