package redact_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/redact"
)

var _ = DescribeTable("PrintableLines",
	func(text, expected string) { Expect(redact.PrintableLines(text)).To(Equal(expected)) },
	Entry("nothing", "", ""),
	Entry("one line", "plain", "plain"),
	Entry("line breaks stay", "a\nb\n", "a\nb\n"),
	Entry("everything else is escaped", "a\x1b[31m\nb\r", `a\u001b[31m`+"\n"+`b\r`),
)
