package evidence_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

// unreadableWays are ways to send a text of which nobody says how it is to be read.
func unreadableWays() map[string]func(string) string {
	packed := func(compressor func(io.Writer) io.WriteCloser) func(string) string {
		return func(text string) string {
			var out bytes.Buffer
			w := compressor(&out)
			_, _ = io.WriteString(w, text) // a buffer takes everything
			_ = w.Close()
			return out.String()
		}
	}
	return map[string]func(string) string{
		"in UTF-16": func(text string) string {
			out := []byte{0xff, 0xfe}
			for _, unit := range utf16.Encode([]rune(text)) {
				out = append(out, byte(unit), byte(unit>>8))
			}
			return string(out)
		},
		"in UTF-32": func(text string) string {
			out := []byte{0xff, 0xfe, 0, 0}
			for _, r := range text {
				out = append(out, byte(r), byte(r>>8), byte(r>>16), 0)
			}
			return string(out)
		},
		"in gzip":                    packed(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"in zlib":                    packed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"in Latin-1":                 func(text string) string { return text + "\xe9" },
		"and bytes that say nothing": func(text string) string { return text + "\x01\xff\x02" },
	}
}

var _ = Describe("A body that is no UTF-8", func() {
	for name, write := range unreadableWays() {
		It("is withheld with a secret "+name+", and judged alike without it", func() {
			for _, text := range []string{"the token " + token + " is unknown", `{"error":"` + token + `"}`,
				recordWith("Description", `"`+token+`"`)} {
				for _, alteration := range []exchange.Kind{exchange.NoMutation, exchange.Null} {
					d := newFixture()
					ex := answeredExchange("e1", write(text))
					if ex.Probe.Kind = alteration; alteration != exchange.NoMutation {
						ex.Probe.Field = "UserId"
					}
					answered := *ex
					d.keep(ex)
					archive := d.archive()
					k, err := parseArchive(archive).Entry("e1")
					Expect(err).NotTo(HaveOccurred())
					Expect(k.Withheld).NotTo(BeNil())
					Expect([]any{k.Withheld.Size, k.Length(), k.Withheld.Digest}).To(
						Equal([]any{len(answered.Body), len(answered.Body), digestOf(string(answered.Body))}))
					Expect(utf8.Valid(k.Body)).To(BeTrue())
					Expect(sanitize.NewSecrets(token).Found(string(k.Body))).To(BeFalse())
					Expect(json.Valid(k.Body) || len(k.Body) == 0).To(BeTrue(), string(k.Body))
					again, err := parseArchive(archive).Do(GinkgoT().Context(), ex.Probe)
					Expect(err).NotTo(HaveOccurred())
					Expect(kindsOfFindings(again)).To(Equal(kindsOfFindings(&answered)))
					Expect(findingsIn(d.out, again)).To(Equal(findingsIn(d.out, ex)),
						"what the run says is what judging again says")
				}
			}
		})
	}

	It("is still a disclosure if it contains a record", func() {
		d := newFixture()
		ex := answeredExchange("e1", recordWith("Description", `"`+token+"\xff\"")+" \x01")
		ex.Probe.Kind, ex.Probe.Field = exchange.Absent, "Id"
		d.keep(ex)
		again, err := parseArchive(d.archive()).Do(GinkgoT().Context(), ex.Probe)
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Withheld).NotTo(BeNil())
		Expect(findingsIn(d.out, again)).To(ContainElement(ContainSubstring("4.1/Id/required: absent")))
	})

	It("of more than a MiB leaves its digest and size", func() {
		d := newFixture()
		body := strings.Repeat("a ", 1<<19) + "\xff" + token
		d.keep(answeredExchange("e1", body))
		k, err := parseArchive(d.archive()).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(k.Body).To(BeEmpty())
		Expect([]any{k.Withheld.Size, k.Withheld.Digest}).To(Equal([]any{len(body), digestOf(body)}))
	})
})

// judgementOf is what an exchange shows of the requirements.
func judgementOf(ex *exchange.Exchange) *spec.Judgement {
	return testkit.Suite().Judge(ex)
}

// findingsIn lists what is found in an exchange, as a report names it: the texts may have another place of a broken
// byte.
func findingsIn(out *sanitize.Output, ex *exchange.Exchange) []string {
	GinkgoHelper()
	var list []string
	for id, row := range judgementOf(ex).Rows {
		for _, f := range row.Findings {
			list = append(list, fmt.Sprintf("%s: %s %s", id, f.Kind, report.PointerOf(out, f, f.Pointer)))
		}
	}
	slices.Sort(list)
	return list
}

// kindsOfFindings lists for each requirement how often it was witnessed and in which ways it was broken, without any
// texts.
func kindsOfFindings(ex *exchange.Exchange) []string {
	result := judgementOf(ex)
	list := []string{fmt.Sprintf("served %v, telling %v", result.Answer.Served(), result.Answer.DisclosesData())}
	for id, row := range result.Rows {
		line := fmt.Sprintf("%s: %d witnesses, %d findings", id, row.Witnesses, row.Count)
		for _, f := range row.Findings {
			line += ", " + f.Kind
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}
