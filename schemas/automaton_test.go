package schemas_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// somePatterns are sequences of characters, and patterns with alternatives and repetition.
var somePatterns = []string{
	"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}$", "^ab[c-e]$", "^$", "^a$", "^(?:ab)c$", "^[^.]c$", "^a+$", "^a|b$", "^(?:a|b)c$",
	"^(?i)ab$", "ab$", "^ab",
	"^a.c$", "a", "b+$", "^(?:a|ab)(?:c|bcd)?$", "^[^.]*[.]c$", "^[0-9]{2,3}$", "^a^b$", "^[a-c]{2}$",
}

var _ = DescribeTable("An automaton matches the texts that package regexp matches", func(text string) {
	for _, pattern := range somePatterns {
		automaton, err := schemas.NewAutomaton(pattern)
		Expect(err).NotTo(HaveOccurred())
		Expect(schemas.Matches(automaton, text)).To(
			Equal(isASCII(text) && regexp.MustCompile(pattern).MatchString(text)),
			"%s: %q", pattern, text)
	}
},
	Entry(nil, "xaby"), Entry(nil, "abcd"), Entry(nil, "aab"), Entry(nil, "x.c"), Entry(nil, "é.c"), Entry(nil, ""),
	Entry(nil, "a"), Entry(nil, "ab"), Entry(nil, "abc"), Entry(nil, "AB"), Entry(nil, "abd"), Entry(nil, "b"),
	Entry(nil, "bc"), Entry(nil, "aa"),
	Entry(nil, "0123abCD-00ff"), Entry(nil, "0123abCD-00fg"), Entry(nil, "0123abCD-00ff\n"), Entry(nil, "é"),
	Entry(nil, "\xe9c"), Entry(nil, ".c"), Entry(nil, "xc"), Entry(nil, "123"),
)

// isASCII reports whether a text is all ASCII. An automaton refuses every other text.
func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

var _ = It("An automaton refuses a pattern of too many states", func() {
	_, err := schemas.NewAutomaton("^(?:a|b)*a(?:a|b){12}$")
	Expect(err).To(MatchError(ContainSubstring("states")))
})

// FuzzPattern compares each automaton with package regexp.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"", "abc", "0123abCD-00ff", "aa\n", "\xff"} {
		f.Add(seed)
	}
	type compiledPattern struct {
		matches func(text string) bool
		regexp  *regexp.Regexp
	}
	var compiled []compiledPattern
	for _, pattern := range somePatterns {
		automaton, err := schemas.NewAutomaton(pattern)
		if err != nil {
			f.Fatal(err)
		}
		compiled = append(compiled, compiledPattern{func(text string) bool { return schemas.Matches(automaton, text) },
			regexp.MustCompile(pattern)})
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range compiled {
			if want := isASCII(text) && p.regexp.MatchString(text); p.matches(text) != want {
				t.Fatalf("%s: %q: expected %v", p.regexp, text, want)
			}
		}
	})
}
