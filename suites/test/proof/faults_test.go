package proof_test

import (
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

// faultsOfForm are mutants of which each breaks another rule of form.
const faultsOfForm = `
get-user-auth-html-page-v6 get-user-auth-status-404-v6 get-user-auth-redirect-302-v6 get-user-auth-null-v6
get-user-auth-trailing-text-v6 get-user-auth-truncated-v6 get-user-auth-in-string-v6 get-user-auth-foreign-object-v6
get-user-auth-list-with-string-v6 get-user-auth-by-user-v6 get-user-auth-doubled-null-v6 get-user-auth-invalid-utf-8-v6
get-user-auth-swapped-surrogates-v6 get-user-auth-long-number-v6 get-user-auth-leading-zero-v6
get-user-auth-unoffered-encoding-v6 get-user-auth-encoded-unsaid-v6 get-user-auth-script-call-v6
find-by-user-ids-empty-body-v6 find-by-user-ids-byte-order-mark-v6 find-by-user-ids-utf-16-v6 find-by-user-ids-xml-v6
find-by-user-ids-in-object-v6 find-by-user-ids-number-v6
created-on-no-milliseconds-v6 created-on-microseconds-v6 created-on-two-digit-fraction-v5 created-on-no-zone-v6
created-on-as-rfc-1123-v6 created-on-date-only-v6 created-on-space-for-t-v6 created-on-small-z-v6
created-on-comma-fraction-v6 created-on-offset-hours-only-v6 created-on-leap-day-in-1900-v6 created-on-as-digits-v6
expiration-date-as-slash-date-v6 expiration-date-as-number-v6 expiration-date-time-only-v6 expiration-date-small-t-v6
expiration-date-offset-no-colon-v6 expiration-date-space-before-v6
device-id-in-braces-v6 device-id-as-urn-v6 id-in-parentheses-v6 id-no-hyphens-v6 id-too-long-v6 id-as-empty-string-v6
device-id-moved-hyphen-v6 device-id-not-hexadecimal-v6 identifiers-first-in-braces-v6 identifiers-last-in-list-v6
flags-fraction-v6 mode-type-in-list-v6 is-disabled-as-number-v6 is-locked-as-string-v6 description-as-boolean-v6
created-on-by-another-name-v6 user-anothers-record-v6
get-user-auth-shape-absent-for-null-v6 get-user-auth-shape-null-for-device-v6 get-user-auth-shape-lists-v6
get-user-auth-values-guid-case-v6 get-user-auth-values-locked-v6 get-user-auth-access-token-missing-served-v6`

// firstLines are the first two lines that a reader sees of a run.
func firstLines(r *report.Report) string {
	document := r.Document()
	items := testkit.ItemsOf(document, "failures")
	if len(items) == 0 {
		items = testkit.ItemsOf(document, "inconclusive")
	}
	if len(items) == 0 {
		return "  " + address.ReplaceAllString(document.Error, "$1:PORT") + "\n"
	}
	text := "  " + items[0].Name + ": " + items[0].Text + "\n"
	for _, line := range append(items[0].Lines, items[0].More...)[:1] {
		text += "  " + line + "\n"
	}
	return text
}

// expectFirstLines compares the first lines of the runs of faultsOfForm with their golden file.
func expectFirstLines(lines map[string]string) {
	GinkgoHelper()
	text := ""
	for _, name := range strings.Fields(faultsOfForm) {
		Expect(lines).To(HaveKey(name), "there is no such mutant")
		text += name + "\n" + lines[name]
	}
	testkit.ExpectGolden(filepath.Join("testdata", "faults.txt"), text)
}
