package sanitize_test

import (
	"errors"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// outputOf returns the way out for a token.
func outputOf(token, values string) *sanitize.Output {
	if values == settings.ValuesHide {
		return hidingOutput()
	}
	return sanitize.New(&settings.Settings{AccessToken: token, Secrets: []string{token}}, testkit.Contract(), "")
}

var _ = Describe("The way out", func() {
	const token = "9f86d081884c7d659a2feaa0c55ad015"

	It("takes out the changed token too, because it differs from the real one in one character", func() {
		// The changed form of a short token contains no part of the real one that would be found.
		for _, real := range []string{token, "k3-9fQ2x7Z"} {
			Expect(outputOf(real, "").Text(exchange.BadTokens(real).Changed,
				0)).To(MatchRegexp("^redacted-[a-zA-Z]{16}$"))
		}
	})

	It("leaves documented names, also if the token contains one", func() {
		ex := &exchange.Exchange{Body: []byte(`{"SerialNumber":"SerialNumber-5Tz81"}`)}
		stored := outputOf("serialNumber-5Tz81", "").Exchange(ex, 1<<10)
		Expect(string(stored.Body)).To(MatchRegexp(`^{"SerialNumber":"redacted-[a-zA-Z]{16}"}$`))
	})

	DescribeTable("shows an error", func(values string, err error, want string) {
		Expect(outputOf(token, values).Error(err)).To(MatchRegexp("^" + want + "$"))
	},
		Entry("as it is", "", errors.New("the folder is full"), "the folder is full"),
		Entry("without secrets", "", fmt.Errorf("it got %w", exchange.Sent("no "+token)),
			"it got no redacted-[a-zA-Z]{16}"),
		Entry("on one line", "", errors.New("a\nb"), `a\\nb`),
		Entry("with little of what was sent", "", fmt.Errorf("it got %w.", exchange.Sent(strings.Repeat("a", 300))),
			`it got a{200}… \(300 characters in all\)\.`),
		Entry("without what was sent, if values are hidden", settings.ValuesHide,
			fmt.Errorf("%w: it got %w, in %w", errors.New("e1"), exchange.Sent("person 7"), errors.New("/a")),
			"e1: it got string, 8 characters, "+digest+", in /a"),
		Entry("with a fault", "", fmt.Errorf("it ended: %w", &exchange.Fault{Detail: `got "person"`, Plain: "no HTTP"}),
			`it ended: got "person"`),
		Entry("with a fault that quotes nothing, if values are hidden", settings.ValuesHide,
			fmt.Errorf("it ended: %w", &exchange.Fault{Detail: `got "person"`, Plain: "no HTTP"}), "it ended: no HTTP"),
		Entry("with a fault of evidence, if values are hidden", settings.ValuesHide,
			fmt.Errorf("it ended: %w", &exchange.Fault{Detail: `got "person"`}),
			`it ended: no whole answer came; why is hidden \(setting values\)`),
	)

	It("has the same digests in each run with a token, so that they can be compared", func() {
		out := sanitize.New(&settings.Settings{AccessToken: "a token", Values: settings.ValuesHide}, testkit.Contract(), "")
		Expect(out.Fingerprint()).To(Equal("43bcba883a639df1"))
	})

	It("makes texts printable before the settings are known", func() {
		var none *sanitize.Output
		Expect(none.Text("a\x1bb", 0)).To(Equal(`a\u001bb`))
		Expect(none.ErrorLines(errors.New("a\n\x1bb"))).To(Equal("a\n" + `\u001bb`))
		Expect(none.Guard()).To(BeNil())
		Expect(none.Hides()).To(BeFalse())
	})
})
