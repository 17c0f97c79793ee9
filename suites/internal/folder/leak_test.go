package folder_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
)

// The secrets of these specs; the second has what every encoding must escape.
const (
	plain = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	odd   = `W<x"Y&z'9+k/L=m%p\R;q~{n}[o] v^2|T~u:8?h@j`
)

// aroundLimits are sizes of what goes before a secret, so that it stands across two writes wherever these end.
func aroundLimits() []int {
	return []int{0, 1, 4096 - 20, 1<<16 - 41, 1<<16 - 20, 1<<16 - 1, 1 << 16, 3<<16 - 7}
}

var _ = Describe("The guard against leaks", func() {
	base := func(encoding *base64.Encoding, before string) func(string) string {
		return func(s string) string { return encoding.EncodeToString([]byte(before + s + "...")) }
	}
	inJSON := func(s string) string {
		text, _ := json.Marshal(s) // a string always has a JSON form
		return string(text[1 : len(text)-1])
	}
	forms := map[string]func(string) string{
		"raw":                                  func(s string) string { return s },
		"in capitals":                          strings.ToUpper,
		"in JSON":                              inJSON,
		"in JSON that escapes no HTML":         func(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) },
		"for a query":                          url.QueryEscape,
		"for a path":                           url.PathEscape,
		"in HTML":                              html.EscapeString,
		"in hexadecimal":                       func(s string) string { return hex.EncodeToString([]byte(s)) },
		"in base64":                            base(base64.StdEncoding, ""),
		"in base64 after one byte":             base(base64.StdEncoding, ":"),
		"in base64 after two bytes":            base(base64.StdEncoding, "a:"),
		"in base64 for URLs":                   base(base64.URLEncoding, ""),
		"in base64 for URLs, after one byte":   base(base64.RawURLEncoding, ":"),
		"in base64 for URLs, after two bytes":  base(base64.RawURLEncoding, "a:"),
		"in base64 without its last padding":   base(base64.RawStdEncoding, "xyz"),
		"in base64 of a header of credentials": base(base64.StdEncoding, "administrator:"),
	}

	for name, write := range forms {
		It("keeps back every file where the evidence holds a secret "+name, func() {
			f, dir := begun()
			unchanged := contents(dir)
			for _, secret := range []string{plain, odd} {
				for _, before := range aroundLimits() {
					content := passing(strings.Repeat("-", before) + write(secret) + strings.Repeat("-", 100))
					content.Guard = redact.NewGuard("", secret)
					var leak *redact.Leak
					err := f.Write(content)
					Expect(errors.As(err, &leak)).To(BeTrue(), "%q after %d bytes: %v", write(secret), before, err)
					Expect(leak.File).To(Equal(report.EvidenceFile))
					Expect(leak.Form).NotTo(BeEmpty())
					Expect(err.Error()).To(ContainSubstring("defect of the suite"))
					Expect(err.Error()).NotTo(ContainSubstring(secret[:12]))
					Expect(contents(dir)).To(Equal(unchanged))
				}
			}
		})
	}

	It("sees a secret that is written byte by byte, and in two parts", func() {
		for _, size := range []int{1, 7, 20} {
			f, dir := begun()
			unchanged := contents(dir)
			content := passing("")
			content.Guard = redact.NewGuard("", plain)
			content.Archive = func(w io.Writer) error {
				for rest := plain; rest != ""; {
					part := rest[:min(size, len(rest))]
					if _, err := io.WriteString(w, part); err != nil {
						return err
					}
					rest = rest[len(part):]
				}
				return nil
			}
			Expect(f.Write(content)).To(BeAssignableToTypeOf(&redact.Leak{}))
			Expect(contents(dir)).To(Equal(unchanged))
		}
	})

	DescribeTable("looks into every file", func(change func(*report.Report), file string) {
		f, dir := begun()
		unchanged := contents(dir)
		content := passing("nothing in it")
		change(content.Report)
		content.Report.Judge()
		content.Guard = redact.NewGuard("", plain)
		err := f.Write(content)
		var leak *redact.Leak
		Expect(errors.As(err, &leak)).To(BeTrue(), "%v", err)
		Expect(leak.File).To(BeElementOf(file, report.PageFile), "the page shows nearly everything, and is made first")
		Expect(contents(dir)).To(Equal(unchanged))
	},
		Entry("a note", func(r *report.Report) { r.Notes = []string{"note " + plain} }, report.PageFile),
		Entry("a setting", func(r *report.Report) { r.Settings = []report.Setting{{Name: "x", Value: plain, Source: "default"}} }, report.JSONFile),
		Entry("what a row notes", func(r *report.Report) { r.Requirements[0].Notes = []string{plain} }, report.JUnitFile),
		Entry("the id of the run", func(r *report.Report) { r.Run = plain }, report.JSONFile),
		Entry("why it failed", func(r *report.Report) {
			row := &r.Requirements[0]
			row.Verdict, row.FindingCount = ledger.Fail, 1
			row.Findings = []report.Finding{{Exchange: "e1", Message: plain, Actual: plain, Repeat: "curl " + plain}}
			row.Causes = []report.Cause{{Kind: "x", Count: 1, Example: plain}}
		}, report.JUnitFile),
		Entry("why it was not carried out", func(r *report.Report) { why := "no route to " + plain; r.Error = &why }, report.PageFile),
	)

	It("lets pass what holds no secret, and what only looks like a part of one", func() {
		f, dir := begun()
		content := passing(plain[:39] + " " + plain[1:] + " " + strings.Repeat("q7Zt", 30))
		content.Guard = redact.NewGuard("", plain, odd)
		Expect(f.Write(content)).To(Succeed())
		Expect(whole(dir)).To(Equal(alike("pass")))
	})

	It("looks for nothing where no secret is known", func() {
		f, _ := begun()
		Expect(f.Write(passing(plain))).To(Succeed())
		content := passing(plain)
		content.Guard = redact.NewGuard("")
		Expect(f.Write(content)).To(Succeed())
	})
})
