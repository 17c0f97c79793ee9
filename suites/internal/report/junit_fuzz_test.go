package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// FuzzJUnit holds of junit.xml that it is XML with the same cases, whatever a text holds.
func FuzzJUnit(f *testing.F) {
	for _, text := range []string{
		"", "words", hostile, "]]>", "]]]]><![CDATA[>", "<![CDATA[", "<x/>", "&amp;&#0;&x;", `"'`,
		"\x00\x08\x0b\x1f\x7f",
		"\xff\xfe", "\ufffe\uffff\ufdd0", "\ud7ff\ue000",
		"a\nb\r\nc\td", "[[ATTACHMENT|/etc/passwd]]", "<?xml version=\"1.1\"?>", "<!DOCTYPE x [<!ENTITY a \"b\">]>",
		"😀",
		strings.Repeat("]", 5000),
	} {
		f.Add(text, "fail")
		f.Add(text, "inconclusive")
	}
	f.Fuzz(func(t *testing.T, text, verdict string) {
		RegisterTestingT(t)
		reason := ledger.Reason(text)
		row := report.Row{ID: "2.1/Id", Section: "2.1", Version: schemas.V5, Statement: text,
			Verdict: ledger.Verdict(verdict), Reason: &reason, Notes: []string{text},
			FindingCount: 2, Findings: []report.Finding{{Message: text, Repeat: text}}}
		waived, odd := row, row
		waived.ID, waived.Waiver = "2.1/Flags", &report.Waiver{Reason: text, Until: text}
		odd.ID, odd.Version, odd.Section, odd.Findings, odd.Reason = text, schemas.Version(text), text, nil, nil
		r := &report.Report{
			Verdict: ledger.Verdict(verdict), Suite: report.Suite{Name: text, Version: text, Contract: text},
			Target:       map[schemas.Version]string{schemas.V5: text},
			Requirements: []report.Row{row, waived, odd}, Stale: []string{text},
			Gate: &report.Gate{New: []report.Entry{{Requirement: text, Kind: text, Pointer: text}}},
		}
		if verdict == "error" {
			r.Error = &text
		}
		var out bytes.Buffer
		Expect(report.WriteJUnit(&out, r)).To(Succeed())
		var all suites
		Expect(xml.Unmarshal(out.Bytes(), &all)).To(Succeed())
		Expect(all.Tests).To(Equal(4))
		count := 0
		for _, s := range all.Suites {
			shown := s.Name
			for _, c := range s.Cases {
				count++
				shown += c.Name
				for _, reportedTo := range []*result{c.Failure, c.Error, c.Skipped} {
					if reportedTo != nil {
						shown += reportedTo.Message + reportedTo.Data
					}
				}
			}
			Expect(strings.ContainsFunc(shown, func(r rune) bool {
				return unicode.IsControl(r) && r != '\n' || r == '\u202e'
			})).To(BeFalse(), "%q", shown)
		}
		Expect(count).To(Equal(4))
	})
}
