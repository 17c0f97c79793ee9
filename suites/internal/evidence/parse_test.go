package evidence_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

// smallArchive is an archive with an entry of each sort.
func smallArchive() []byte {
	GinkgoHelper()
	d := newFixture()
	d.keep(exchangesOfEachSort()...)
	return d.archive()
}

// exchangesOfEachSort are exchanges of each sort.
func exchangesOfEachSort() []*exchange.Exchange {
	cut, broken := answeredExchange("e4", ""), answeredExchange("e3", "abc\xff")
	cut.Status, cut.Proto, cut.Header, cut.Body = 0, "", nil, nil
	cut.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "connection reset"}
	ended := answeredExchange("e5", "")
	ended.Body, ended.Fault = nil, &exchange.Fault{Kind: exchange.Ended, Detail: "the run ended"}
	ended.Probe.Round = 2
	redirect := answeredExchange("e6", "")
	redirect.Status = 302
	redirect.Header.Set("Location", "http://elsewhere.example/")
	redirect.Probe.Kind, redirect.Probe.Field = exchange.Null, "UserId"
	get := answeredExchange("e7", "null")
	get.Probe.Kind = exchange.WrongMethod
	return []*exchange.Exchange{answeredExchange("e1", `{"Id":"x"}`), answeredExchange("e2", ""), broken, cut, ended,
		redirect, get}
}

// expectRefused expects an archive to be refused with its path and these words.
func expectRefused(archive string, says ...string) {
	GinkgoHelper()
	path := writeFile([]byte(archive))
	_, err := evidence.Read(path, schemas.Versions())
	Expect(err).To(HaveOccurred())
	for _, words := range append(says, path, "evidence.har") {
		Expect(err).To(MatchError(ContainSubstring(words)))
	}
}

var _ = Describe("What is no evidence of this suite", func() {
	DescribeTable("is refused with the place where that shows", func(old, new string, says ...string) {
		archive := new
		if old != "" {
			Expect(string(smallArchive())).To(ContainSubstring(old))
			archive = strings.Replace(string(smallArchive()), old, new, 1)
		}
		expectRefused(archive, says...)
	},
		testkit.Entries("refused"),
	)

	DescribeTable("is refused too", func(archive func() string, says ...string) { expectRefused(archive(), says...) },
		Entry("something after it", func() string { return string(smallArchive()) + "x" }, "byte"),
		Entry("another archive after it", func() string { return string(smallArchive()) + string(smallArchive()) },
			"byte"),
		Entry("no users", func() string {
			before, rest, _ := strings.Cut(string(smallArchive()), `"users":[`)
			_, after, _ := strings.Cut(rest, `]`)
			return before + `"users":[]` + after
		}, "_run.settings.users"),
		Entry("nobody enrolled", func() string {
			head, record, _ := strings.Cut(string(smallArchive()), `"_run":`)
			return head + `"_run":` + strings.Replace(record, `"enrolled":true`, `"enrolled":false`, 1)
		}, "_run.settings.users"),
		Entry("a list that does not end", func() string {
			archive := string(smallArchive())
			return archive[:strings.Index(archive, "\n],")]
		}),
		Entry("100,000 levels", func() string { return `{"log":{"x":` + strings.Repeat("[", 100_000) }),
	)

	It("is an archive that was cut at any byte", func() {
		d := newFixture()
		d.keep(exchangesOfEachSort()[2])
		archive := bytes.TrimRight(d.archive(), "\n")
		for size := range len(archive) {
			_, err := evidence.Parse(bytes.NewReader(archive[:size]), schemas.Versions())
			Expect(err).To(HaveOccurred(), "the first %d bytes of %d", size, len(archive))
		}
		Expect(evidence.Parse(bytes.NewReader(archive), schemas.Versions())).NotTo(BeNil())
	})

	It("is a file that is missing, or a folder", func() {
		folder := GinkgoT().TempDir()
		for _, path := range []string{filepath.Join(folder, "evidence.har"), folder} {
			_, err := evidence.Read(path, schemas.Versions())
			Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("evidence.har"))))
		}
	})

	It("is a file that changes while it is judged", func() {
		path := writeFile(smallArchive())
		e, err := evidence.Read(path, schemas.Versions())
		Expect(err).NotTo(HaveOccurred())
		var same bytes.Buffer
		Expect(e.WriteArchive(&same)).To(Succeed())
		Expect(same.Bytes()).To(Equal(readFile(path)))
		Expect(os.WriteFile(path, append(smallArchive(), ' '), 0o600)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(And(ContainSubstring(path), ContainSubstring("changed"))))
		Expect(os.Remove(path)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(ContainSubstring(path)))
	})

	It("is no archive that has more in it than this suite wrote", func() {
		// A tool that adds a page, a comment or a member of its own takes nothing away.
		text := strings.Replace(string(smallArchive()), `"entries":[`,
			`"pages":[{"id":"p"}],"comment":"seen","browser":{"name":"x","version":"1"},"entries":[`, 1)
		text = strings.Replace(text, `"cache":{}`, `"cache":{"comment":"c"},"pageref":"p","_more":{"deep":[1,null]}`, 1)
		e := parseArchive([]byte(text))
		for i := range exchangesOfEachSort() {
			Expect(e.Entry(fmt.Sprintf("e%d", i+1))).NotTo(BeNil())
		}
	})
})

var _ = It("Evidence of format 1 is judged, but for what is marked in it", func() {
	read, null := answeredExchange("e1", `{"Id":"x"}`), answeredExchange("e2", "{}")
	null.Probe.Kind, null.Probe.Field = exchange.Null, "UserId"
	d := newFixture()
	d.keep(read, null)
	text := strings.Replace(string(d.archive()), `"_run":{"format":2`, `"_run":{"format":1`, 1)
	e := parseArchive([]byte(strings.Replace(text, `"_exchange":"e2"`,
		`"_exchange":"e2","_unjudgeable":"it was judged otherwise"`, 1)))
	_, err := e.Do(context.Background(), read.Probe)
	Expect(err).NotTo(HaveOccurred())
	_, err = e.Do(context.Background(), null.Probe)
	Expect(err).To(MatchError(exchange.ErrNotRecorded))
})

func readFile(path string) []byte {
	GinkgoHelper()
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return content
}
