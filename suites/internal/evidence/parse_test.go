package evidence_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
)

// small is an archive with an entry of each sort.
func small() []byte {
	GinkgoHelper()
	d := newDesk()
	d.keep(sorts()...)
	return d.archive()
}

// sorts are exchanges of each sort.
func sorts() []*exchange.Exchange {
	cut, broken := answered("e4", ""), answered("e3", "\xff")
	cut.Status, cut.Proto, cut.Header, cut.Body = 0, "", nil, nil
	cut.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "connection reset"}
	ended := answered("e5", "")
	ended.Body, ended.Fault = nil, &exchange.Fault{Kind: exchange.Ended, Detail: "the run ended"}
	ended.Probe.Round = 2
	redirect := answered("e6", "")
	redirect.Status = 302
	redirect.Header.Set("Location", "http://elsewhere.example/")
	redirect.Probe.Alteration, redirect.Probe.Field = exchange.Null, "UserId"
	get := answered("e7", "null")
	get.Probe.Alteration = exchange.WrongMethod
	return []*exchange.Exchange{answered("e1", `{"Id":"x"}`), answered("e2", ""), broken, cut, ended, redirect, get}
}

var _ = Describe("What is no evidence of this suite", func() {
	// instead is the small archive with one text in the place of another.
	instead := func(old, new string) func() string {
		return func() string {
			archive := string(small())
			Expect(archive).To(ContainSubstring(old))
			return strings.Replace(archive, old, new, 1)
		}
	}
	as := func(text string) func() string { return func() string { return text } }

	DescribeTable("is refused with the place where that shows", func(archive func() string, says ...string) {
		path := write([]byte(archive()))
		_, err := evidence.Read(path)
		Expect(err).To(HaveOccurred())
		for _, words := range append(says, path, "evidence.har") {
			Expect(err).To(MatchError(ContainSubstring(words)))
		}
	},
		Entry("an empty file", as("")),
		Entry("white space", as(" \n")),
		Entry("a text", as("evidence"), "invalid character"),
		Entry("a list", as("[]"), "byte 1"),
		Entry("a number", as("1"), "byte 1"),
		Entry("null", as("null"), "byte 4"),
		Entry("an empty object", as("{}"), "log._run"),
		Entry("a log that is none", as(`{"log":[]}`), "byte 8"),
		Entry("entries that are none", as(`{"log":{"entries":{}}}`), "log.entries"),
		Entry("the archive of a browser", as(`{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[]}}`), "log._run is missing"),
		Entry("the archive of a browser, with an entry", as(`{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-01-01T00:00:00.000Z","time":1.5,"request":{"method":"GET","url":"http://x/","httpVersion":"h3","headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"","httpVersion":"h3","headers":[],"cookies":[],"content":{"size":0,"mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":0,"_transferSize":0,"_error":null},"cache":{},"timings":{"send":0,"wait":1,"receive":0}}]}}`), "log.entries[0]", "_exchange"),
		Entry("a report", as(`{"verdict":"pass"}`), "log._run is missing"),
		Entry("_run twice", instead(`"_run":`, `"_run":{"format":1},"_run":`), "log._run", "twice"),
		Entry("_run of another name", instead(`"_run":`, `"_was":`), "log._run is missing"),
		Entry("another format", instead(`"_run":{"format":1`, `"_run":{"format":2`), "_run.format", "2"),
		Entry("no format", instead(`"_run":{"format":1,`, `"_run":{`), "_run.format", "0"),
		Entry("something after it", func() string { return string(small()) + "x" }, "byte"),
		Entry("another archive after it", func() string { return string(small()) + string(small()) }, "byte"),
		Entry("no versions", instead(`"versions":["v5","v6"]`, `"versions":[]`), "_run.settings.versions"),
		Entry("an unknown version", instead(`"versions":["v5","v6"]`, `"versions":["v5","v7"]`), "_run.settings.versions", "v7"),
		Entry("a version twice", instead(`"versions":["v5","v6"]`, `"versions":["v5","v5"]`), "_run.settings.versions"),
		Entry("versions the wrong way round", instead(`"versions":["v5","v6"]`, `"versions":["v6","v5"]`), "_run.settings.versions"),
		Entry("no users", instead(`"users":[{`, `"users":[],"was":[{`), "_run.settings.users"),
		Entry("nobody enrolled", func() string {
			head, record, _ := strings.Cut(string(small()), `"_run":`)
			return head + `"_run":` + strings.Replace(record, `"enrolled":true`, `"enrolled":false`, 1)
		}, "_run.settings.users"),
		Entry("an unknown mode of parity", instead(`"parity":"value"`, `"parity":"values"`), "_run.settings.parity", "values"),
		Entry("an unknown mode of divergence", instead(`"divergence":"report"`, `"divergence":"ignore"`), "_run.settings.divergence", "ignore"),
		Entry("no target", instead(`"target":{"v5":`, `"target":{"v4":`), "_run.settings.target.v5"),
		Entry("a record that is none", instead(`"_run":{"format":1`, `"_run":{"format":"1"`), "log._run", "format"),
		Entry("an entry without an id", instead(`"_exchange":"e1"`, `"was":"e1"`), "log.entries[0]", "_exchange"),
		Entry("an entry with an empty id", instead(`"_exchange":"e2"`, `"_exchange":""`), "log.entries[1]", "_exchange"),
		Entry("an entry with a number for an id", instead(`"_exchange":"e2"`, `"_exchange":2`), "log.entries[1]", "_exchange"),
		Entry("an entry that is none", instead(`"entries":[`, `"entries":["e0",`), "log.entries[0]"),
		Entry("an entry that is null", instead(`"entries":[`, `"entries":[null,`), "log.entries[0]"),
		Entry("an entry without a request", instead(`"request":{`, `"was":{`), "log.entries[0]", "request"),
		Entry("an entry without a response", instead(`"response":{`, `"was":{`), "log.entries[0]", "response"),
		Entry("an entry without a probe", instead(`"_probe":{`, `"was":{`), "log.entries[0]", "_probe"),
		Entry("an entry without a time", instead(`"startedDateTime":"2026-03-04`, `"startedDateTime":"yesterday`), "log.entries[0]", "startedDateTime", "yesterday"),
		Entry("a status in words", instead(`"status":200`, `"status":"200"`), "log.entries[0]", "status"),
		Entry("a body that is no text", instead(`"text":"{\"Id\":\"x\"}"`, `"text":{}`), "log.entries[0]", "text"),
		Entry("a body that is no base64", instead(`"text":"/w=="`, `"text":"?"`), "log.entries[2]", "text", "base64"),
		Entry("a header that is none", instead(`"headers":[{`, `"headers":["x",{`), "log.entries[0]", "headers"),
		Entry("an alteration that is none", instead(`"alteration":"null"`, `"alteration":7`), "log.entries[5]", "alteration"),
		Entry("a list that does not end", func() string { archive := string(small()); return archive[:strings.Index(archive, "\n],")] }),
		Entry("a name that is none", as(`{"log":{1:2}}`)),
		Entry("100,000 levels", func() string { return `{"log":{"x":` + strings.Repeat("[", 100_000) }),
	)

	It("is an archive that was cut at any byte", func() {
		d := newDesk()
		d.keep(sorts()[2])
		archive := bytes.TrimRight(d.archive(), "\n")
		for size := range len(archive) {
			_, err := evidence.Parse(bytes.NewReader(archive[:size]))
			Expect(err).To(HaveOccurred(), "the first %d bytes of %d", size, len(archive))
		}
		Expect(evidence.Parse(bytes.NewReader(archive))).NotTo(BeNil())
	})

	It("is a file that is missing, or a folder", func() {
		folder := GinkgoT().TempDir()
		for _, path := range []string{filepath.Join(folder, "evidence.har"), folder} {
			_, err := evidence.Read(path)
			Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("evidence.har"))))
		}
	})

	It("is a file that changes while it is judged", func() {
		path := write(small())
		e, err := evidence.Read(path)
		Expect(err).NotTo(HaveOccurred())
		var same bytes.Buffer
		Expect(e.WriteArchive(&same)).To(Succeed())
		Expect(same.Bytes()).To(Equal(readFile(path)))
		Expect(os.WriteFile(path, append(small(), ' '), 0o600)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(And(ContainSubstring(path), ContainSubstring("changed"))))
		Expect(os.Remove(path)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(ContainSubstring(path)))
	})

	It("is no archive that has more in it than this suite wrote", func() {
		// A tool that adds a page, a comment or a member of its own takes nothing away.
		text := instead(`"entries":[`, `"pages":[{"id":"p"}],"comment":"seen","browser":{"name":"x","version":"1"},"entries":[`)()
		text = strings.Replace(text, `"cache":{}`, `"cache":{"comment":"c"},"pageref":"p","_more":{"deep":[1,null]}`, 1)
		e := parsed([]byte(text))
		for i := range sorts() {
			Expect(e.Kept(fmt.Sprintf("e%d", i+1))).NotTo(BeNil())
		}
	})
})

func readFile(path string) []byte {
	GinkgoHelper()
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return content
}
