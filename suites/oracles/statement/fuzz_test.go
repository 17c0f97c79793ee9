package statement_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/statement"
)

func FuzzOf(f *testing.F) {
	for _, text := range []string{"2.1/CreatedOn", "", `"`, `\`, "</script>", "\u2028", "\x00", "\xff", "😀",
		strings.Repeat("a", 5000)} {
		f.Add(text, "pass", true)
		f.Add(text, "fail", false)
	}
	f.Fuzz(func(t *testing.T, text, verdict string, complete bool) {
		RegisterTestingT(t)
		r := reportOf(ledger.Verdict(verdict), complete, report.Row{ID: text, Version: schemas.V5,
			Verdict: ledger.Pass},
			report.Row{ID: text, Version: schemas.V6, Verdict: ledger.Verdict(verdict)})
		r.Target[schemas.V5] = "https://access.example.com/" + text
		content, err := statement.Marshal(r, digestsOf("report.json", "x"+text))
		if !utf8.ValidString(text) {
			Expect(err).To(HaveOccurred())
			return
		}
		Expect(err).NotTo(HaveOccurred())
		s, predicate := readStatement(content)
		Expect(s.GetSubject()).To(HaveLen(2))
		Expect(predicate.GetPassedTests()).To(ContainElement(text + " v5"))
		Expect(predicate.GetConfiguration()).To(ContainElement(HaveField("Uri", r.Target[schemas.V5])))
		Expect(predicate.GetResult() == "PASSED").To(Equal(verdict == "pass" && complete))
	})
}
