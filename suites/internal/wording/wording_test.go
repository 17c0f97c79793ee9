package wording_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/wording"
)

func TestWording(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "wording")
}

var _ = DescribeTable("A number has the right noun", func(n int, users, noun string) {
	Expect(wording.Count(n, "user")).To(Equal(users))
	Expect(wording.Plural(n, "entry", "entries")).To(Equal(noun))
},
	Entry(nil, 0, "0 users", "0 entries"), Entry(nil, 1, "1 user", "1 entry"), Entry(nil, 2, "2 users", "2 entries"),
	Entry(nil, 1001, "1,001 users", "1,001 entries"),
)
