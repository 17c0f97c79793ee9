package fast_test

import (
	"regexp"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/fast"
)

// patterns are some that are sequences of characters, and some that are more.
var patterns = []string{
	"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}$", "^ab[c-e]$", "^$", "^a$", "^(?:ab)c$", "^[^.]c$", "^a+$", "^a|b$", "^(?:a|b)c$", "^(?i)ab$", "ab$", "^ab",
	"^é$", "^a.c$", "^[0-9]{2,3}$", "^a^b$", "^[a-c]{2}$",
}

var _ = DescribeTable("a pattern takes what package regexp takes", func(text string) {
	for _, pattern := range patterns {
		form, err := fast.CompilePattern(pattern)
		Expect(err).NotTo(HaveOccurred())
		Expect(form([]byte(text))).To(Equal(regexp.MustCompile(pattern).MatchString(text)), "%s: %q", pattern, text)
	}
},
	Entry(nil, ""), Entry(nil, "a"), Entry(nil, "ab"), Entry(nil, "abc"), Entry(nil, "AB"), Entry(nil, "abd"), Entry(nil, "b"), Entry(nil, "bc"), Entry(nil, "aa"),
	Entry(nil, "0123abCD-00ff"), Entry(nil, "0123abCD-00fg"), Entry(nil, "0123abCD-00ff\n"), Entry(nil, "é"), Entry(nil, "\xe9c"), Entry(nil, ".c"), Entry(nil, "xc"), Entry(nil, "123"),
)

// FuzzPattern holds each pattern against package regexp.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"", "abc", "0123abCD-00ff", "aa\n", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, pattern := range patterns {
			form, err := fast.CompilePattern(pattern)
			if err != nil || form([]byte(text)) != regexp.MustCompile(pattern).MatchString(text) {
				t.Fatalf("%s: %q: %v", pattern, text, err)
			}
		}
	})
}
