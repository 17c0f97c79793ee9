package report_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

var _ = DescribeTable("What one version lacks is called what it is:", func(absent parity.Absent, says string) {
	f := check.Finding{
		Expected: check.Shown{Version: schemas.V5, Exchange: "e1", Value: "a"},
		Actual:   check.Shown{Version: schemas.V6, Exchange: "e2", Value: absent},
	}
	Expect(report.Actual(nil, f)).To(Equal("v6 shows: " + says))
},
	Entry("a member", parity.Absent{}, "nothing"),
	Entry("an element of a list that was cut", parity.Absent{Elements: 100, Other: 3000},
		"no such element (100 elements, the other version 3,000)"),
	Entry("an element that is there twice in the other version", parity.Absent{Elements: 1, Other: 2, Fewer: true},
		"that element fewer times (1 element, the other version 2)"),
)

var _ = It("The line of a cause shows the UserId that was asked for whole, whatever is in it", func() {
	for _, asked := range []string{"Anna (2)", "a; b", "a. b"} {
		r := readyRun(func(s *settings.Settings) { s.Users[0].UserID = asked })
		printed := printedOn(report.Screen{}, closeRun(addAnswer(r, `{"UserId":"u-7"}`, nil), nil))
		Expect(printed).To(ContainSubstring(`got "u-7", expected the UserId that was asked for: "` + asked + `"`))
	}
})
