package check_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/check"
)

var _ = DescribeTable("Two texts that look alike differ in", func(a, b, says string) {
	Expect(check.Unlike(a, b)).To(Equal(says))
	Expect(check.Unlike(b, a)).To(Equal(says))
	Expect(check.Unlike(a, a)).To(BeEmpty())
},
	Entry("the form of Unicode", "Mu\u0308ller", "M\u00fcller", "the same letters in another Unicode form"),
	Entry("white space at an end", "tail ", "tail", "the same but for white space at an end"),
	Entry("a zero-width space", "a\u200bb", "ab", "the same but for characters that can't be seen"),
	Entry("a control character", "a\u0007b", "ab", "the same but for characters that can't be seen"),
	Entry("a no-break space", "a\u00a0b", "a b", "the same but for the kind of white space"),
	Entry("a ligature", "\ufb01n", "fin", "the same in a compatible Unicode form"),
	Entry("nothing that looks alike", "u-1001", "u-1002", ""),
)
