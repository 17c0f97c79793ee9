package fast_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/xeipuuv/gojsonschema"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/fast"
)

// formats lists the formats that the contract's text forms name.
var formats = sync.OnceValue(func() []string {
	var file struct {
		Definitions map[string]struct{ Format string }
	}
	if err := json.Unmarshal(must(fs.ReadFile(schemas.Files(), "formats.schema.json")), &file); err != nil {
		panic(err)
	}
	var names []string
	for _, definition := range file.Definitions {
		names = append(names, definition.Format)
	}
	slices.Sort(names)
	return names
})

// disagreement names the formats by which a text is judged otherwise here than by package schemas, which makes its formats
// known to gojsonschema as the contract is loaded.
func disagreement(text string) []string {
	contract()
	var names []string
	for _, name := range formats() {
		form := fast.FormOf(name)
		if form == nil || !gojsonschema.FormatCheckers.Has(name) || form([]byte(text)) != gojsonschema.FormatCheckers.IsFormat(name, text) {
			names = append(names, name)
		}
	}
	return names
}

var _ = Describe("the forms", func() {
	It("are those of the contract", func() {
		Expect(formats()).To(HaveLen(3))
		for _, name := range formats() {
			Expect(fast.FormOf(name)).NotTo(BeNil(), name)
		}
		for _, name := range []string{"", "uuid", "date-time", "authn-guid "} {
			Expect(fast.FormOf(name)).To(BeNil(), name)
		}
	})

	DescribeTable("judge like package schemas whatever stands at one place of", func(text string, taken ...string) {
		Expect(disagreement(text)).To(BeEmpty())
		for _, name := range formats() {
			Expect(fast.FormOf(name)([]byte(text))).To(Equal(slices.Contains(taken, name)), name)
		}
		for i := range len(text) {
			for c := range 256 {
				changed := text[:i] + string([]byte{byte(c)}) + text[i+1:]
				Expect(disagreement(changed)).To(BeEmpty(), "%q", changed)
			}
			for _, changed := range []string{text[:i], text[i:], text[:i] + text[i+1:], text[:i] + text[i:i+1] + text[i:], text + text[i:], text[:i] + text} {
				Expect(disagreement(changed)).To(BeEmpty(), "%q", changed)
			}
		}
	},
		Entry("a GUID", guidA, "authn-guid"),
		Entry("a GUID in both cases", "3f0c2A9e-FFFF-4c57-aaaa-0d8e5f7b2c13", "authn-guid"),
		Entry("a date-time in UTC with milliseconds", "2023-11-14T08:30:15.250Z", "authn-date-time", "authn-utc-milliseconds"),
		Entry("the same with an offset", "2024-02-29T23:59:59.000+00:00", "authn-date-time", "authn-utc-milliseconds"),
		Entry("another offset", "2023-11-14T08:30:15.250-23:59", "authn-date-time"),
		Entry("no offset", "2023-11-14T08:30:15.250", "authn-date-time"),
		Entry("no fraction", "2023-11-14T08:30:15Z", "authn-date-time"),
		Entry("neither", "2000-12-31T00:00:00", "authn-date-time"),
		Entry("a long fraction", "0000-01-01T00:00:00.0000000001Z", "authn-date-time"),
		Entry("no date-time before the milliseconds", "x.123Z", "authn-utc-milliseconds"),
	)

	It("judge like package schemas every day, hour, minute, second and offset", func() {
		for _, year := range []int{0, 1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999} {
			for month := range 100 {
				for day := range 33 {
					text := fmt.Sprintf("%04d-%02d-%02dT00:00:00Z", year, month, day)
					Expect(disagreement(text)).To(BeEmpty(), text)
				}
			}
		}
		for n := range 100 {
			for _, form := range []string{"2024-01-01T%02d:00:00Z", "2024-01-01T00:%02d:00Z", "2024-01-01T00:00:%02dZ", "2024-01-%02dT00:00:00Z",
				"2024-01-01T00:00:00+%02d:00", "2024-01-01T00:00:00-%02d:00", "2024-01-01T00:00:00+00:%02d"} {
				text := fmt.Sprintf(form, n)
				Expect(disagreement(text)).To(BeEmpty(), text)
			}
		}
	})
})

var _ = It("passes over a string to the first byte that has to be looked at", func() {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				body := slices.Repeat([]byte{' '}, size)
				body[at] = byte(c)
				if at+1 < size {
					body[at+1] = '!' // one above what is looked for, so that a borrow would show
				}
				expected := at
				if c >= ' ' && c < 0x80 && c != '"' && c != '\\' {
					expected = size
				}
				for start := range at + 1 {
					if pass := fast.Pass(body, start); pass != expected {
						Expect(pass).To(Equal(expected), "%q from %d", body, start)
					}
				}
			}
		}
	}
})

// FuzzForms holds the forms against those of package schemas.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{
		guidA, guidB, "2023-11-14T08:30:15.250Z", "2024-02-29T23:59:59.000+00:00", "2023-11-14T08:30:15", "2023-11-14T08:30:15.1-03:30", "", ".", "x.000Z", "é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if names := disagreement(text); len(names) > 0 {
			t.Fatalf("%q is judged otherwise by %v of package schemas", text, names)
		}
	})
}
