package input_test

import (
	"testing"

	"authenticator-conformance/suites/internal/input"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestInput(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Input")
}

var _ = DescribeTable("The nearest known name", func(name, similar string) {
	known := []string{"requirement", "version", "verdict", "reason", "until", "pointer", "target-url", "rate", "ca",
		"2.1/Id", "deadline"}
	Expect(input.Nearest(name, known)).To(Equal(similar))
},
	Entry("a letter too much", "untill", "until"), Entry("a letter too few", "verson", "version"),
	Entry("another letter", "verdikt", "verdict"), Entry("letters swapped", "tagret-url", "target-url"),
	Entry("letters swapped in a short one", "rtae", "rate"),
	Entry("another case", "Reason", "reason"), Entry("the plural", "requirements", "requirement"),
	Entry("a word left out", "url", ""), Entry("the beginning", "req", ""),
	Entry("far off: id", "id", ""), Entry("far off: expires", "expires", ""), Entry("far off: a word", "waivers", ""),
	Entry("far off: one letter", "x", ""), Entry("nothing", "", ""),
	Entry("another word that is alike", "baseline", ""),
)
