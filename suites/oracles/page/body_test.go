package page_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

// entryOfFinding is the entry of a finding at a place of an answer.
func entryOfFinding(k *evidence.Entry, pointer string) element {
	GinkgoHelper()
	r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e1", pointer)))
	return rowAt(parsePage(pageOf(r, shelf{"e1": k})), "2.1/Flags/v5")
}

// answerBody is the answer's body as the page shows it.
func answerBody(entry element) string {
	GinkgoHelper()
	return strings.ReplaceAll(onlyElement(onlyElement(entry.classed("answer")).classed("body")).text(), "marked: ", "")
}

var _ = Describe("The place of a finding in a body", func() {
	DescribeTable("is highlighted", func(text, pointer string, want ...string) {
		Expect(markedTexts(entryOfFinding(keptExchange("e1", schemas.V5, text), pointer))).To(Equal(append([]string{},
			want...)))
	},
		testkit.Entries("places"),
	)

	It("is shown as it was written: order, spelling and doubled members", func() {
		entry := entryOfFinding(keptExchange("e1", schemas.V5,
			`{"b":1.0E+2,"a":"\u00e9/\/","b":[ ],"c":{},"d":[true,null]}`),
			"/a")
		Expect(answerBody(entry)).To(Equal("{\n  \"b\": 1.0E+2,\n  \"a\": \"\\u00e9/\\/\",\n  \"b\": [],\n  \"c\": {},\n  \"d\": [\n    true,\n    null\n  ]\n}"))
	})

	It("is in view in a large body, and the body is shown around it", func() {
		records := make([]string, 1000)
		for i := range records {
			records[i] = fmt.Sprintf(`{"Id":"r%d","Flags":%d,"ModeType":1}`, i, i)
		}
		entry := entryOfFinding(keptExchange("e1", schemas.V5, "["+strings.Join(records, ",")+"]"), "/900/Flags")
		Expect(markedTexts(entry)).To(Equal([]string{`"Flags": 900`}))
		Expect(answerBody(entry)).To(And(HavePrefix("… 4,478 lines\n"), ContainSubstring(`"Id": "r899"`),
			ContainSubstring(`"Id": "r901"`), HaveSuffix("… 444 lines")))
		Expect(strings.Count(answerBody(entry), "\n")).To(BeNumerically("<", 90))
	})

	It("is in view where it is the last of a large body", func() {
		entry := entryOfFinding(keptExchange("e1", schemas.V5, "["+strings.Repeat("1,", 999)+"2]"), "/999")
		Expect(markedTexts(entry)).To(Equal([]string{"2"}))
		Expect(answerBody(entry)).To(HaveSuffix("  2\n]"))
	})

	It("is in view in what there is of a body that was cut", func() {
		k := keptExchange("e1", schemas.V5, `[{"Id":"a","Flags":"x"},{"Id":"b","Fla`)
		k.Cut = &exchange.Cut{Size: 2_000_000, Digest: "sha256:abc"}
		entry := entryOfFinding(k, "/0/Flags")
		Expect(markedTexts(entry)).To(Equal([]string{`"Flags": "x"`}))
		Expect(answerBody(entry)).To(HaveSuffix("\"Id\": \"b\"\n    …"))
		Expect(entry.text()).To(ContainSubstring(
			"The evidence keeps the first 38 bytes of 2,000,000 bytes; the whole body is sha256:abc."))
	})

	DescribeTable("is ignored if the body is not JSON, which is shown as text", func(text, want string) {
		entry := entryOfFinding(keptExchange("e1", schemas.V5, text), "/Flags")
		Expect(entry.text()).To(ContainSubstring("The body is no JSON; it is shown as text."))
		Expect(answerBody(entry)).To(Equal(want))
	},
		Entry("a page", "<!DOCTYPE html>\r\n<p>", "<!DOCTYPE html>\n<p>"),
		Entry("what follows a value", "{} junk", "{} junk"),
		Entry("bytes", "\xff\xfe\x00a", `\xff\xfe\u0000a`),
		Entry("too deep", strings.Repeat("[", 20_000), strings.Repeat("[", 300)+"… (20000 characters in all)"),
		Entry("many lines", strings.Repeat("a\n", 1000), strings.TrimSuffix(strings.Repeat("a\n", 79), "\n")+
			"\n… 921 lines"),
	)

	It("keeps bytes that are no UTF-8 visible within JSON", func() {
		Expect(answerBody(entryOfFinding(keptExchange("e1", schemas.V5, "{\"Flags\":\"\xff\"}"), "/Flags"))).To(
			ContainSubstring(`"Flags": "\xff"`))
	})

	It("shows the beginning of a long text, and limits the indent of a deep one", func() {
		entry := entryOfFinding(keptExchange("e1", schemas.V5, `{"Flags":"`+strings.Repeat("x", 100_000)+`"}`),
			"/Flags")
		Expect(len(answerBody(entry))).To(BeNumerically("<", 1000))
		Expect(answerBody(entry)).To(ContainSubstring("(100002 characters in all)"))
		deep := entryOfFinding(keptExchange("e1", schemas.V5, strings.Repeat("[", 500)+strings.Repeat("]", 500)), "/0")
		Expect(len(answerBody(deep))).To(BeNumerically("<", 10_000))
	})

	It("reads only the beginning of a body of a million values", func() {
		entry := entryOfFinding(keptExchange("e1", schemas.V5, "["+strings.Repeat("1,", 1_000_000)+"1]"), "/999999")
		Expect(entry.text()).To(ContainSubstring("only its beginning was read for this page"))
	})
})

var _ = Describe("An answer", func() {
	DescribeTable("without a body says why", func(change func(*evidence.Entry), want string) {
		k := keptExchange("e1", schemas.V5, "")
		change(k)
		Expect(entryOfFinding(k, "").text()).To(ContainSubstring(want))
	},
		Entry("empty", func(*evidence.Entry) {}, "The body is empty."),
		Entry("dropped after it was judged", func(k *evidence.Entry) { k.Dropped = true }, "no room for it"),
		Entry("a fault", func(k *evidence.Entry) {
			k.Status, k.Proto, k.Body, k.Fault = 0, "", nil,
				&exchange.Fault{Kind: exchange.Timeout, Detail: "no answer within 10s"}
		}, "No whole answer (timeout): no answer within 10s"),
		Entry("no status", func(k *evidence.Entry) { k.Status = 0 }, "no status line came back"),
		Entry("stored as a digest only", func(
			k *evidence.Entry) {
			k.Cut = &exchange.Cut{Size: 7, Digest: "sha256:abc"}
		}, "keeps the first 0 bytes of 7 bytes"),
		Entry("withheld", func(k *evidence.Entry) {
			k.Body, k.Withheld = nil, &exchange.Withheld{Size: 7, Digest: "sha256:abc"}
		}, "The body is not kept, as it is not UTF-8 text: of its 7 bytes the evidence keeps the digest, sha256:abc."),
		Entry("withheld for a secret", func(k *evidence.Entry) {
			k.Body, k.Withheld = nil, &exchange.Withheld{Size: 7, Digest: "sha256:abc", Rule: "secret"}
		}, "The body is not kept, as it contains a secret: of its 7 bytes"),
	)

	It("shows its headers sorted by name, each value", func() {
		k := keptExchange("e1", schemas.V5, "{}")
		k.Header = map[string][]string{"X-B": {"2", "1"}, "X-A": {"3"}, "Empty": {""}}
		Expect(onlyElement(entryOfFinding(k, "").classed("headers")).tagged("pre")[0].text()).To(
			Equal("Empty\nX-A: 3\nX-B: 2\nX-B: 1\n"))
	})
})
