package evidence_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("What is no evidence of this suite", func() {
	DescribeTable("is refused with the place where that shows", func(old, new string, says ...string) {
		archive := new
		if old != "" {
			Expect(string(smallArchive())).To(ContainSubstring(old))
			archive = strings.Replace(string(smallArchive()), old, new, 1)
		}
		path := testkit.Write(GinkgoT().TempDir(), "any.har", []byte(archive))
		_, err := evidence.Read(path, schemas.Versions())
		for _, words := range append(says, path, "evidence.har") {
			Expect(err).To(MatchError(ContainSubstring(words)))
		}
	},
		testkit.Entries("refused"), Entry("100,000 levels", "", `{"log":{"x":`+strings.Repeat("[", 100_000)),
	)

	It("is an archive that was cut at any byte", func() {
		f := newFixture()
		f.keepAll(exchangesOfEachSort()[2])
		archive := bytes.TrimRight(f.makeArchive(), "\n")
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
		path := testkit.Write(GinkgoT().TempDir(), "evidence.har", smallArchive())
		e := testkit.Must(evidence.Read(path, schemas.Versions()))
		var same bytes.Buffer
		Expect(e.WriteArchive(&same)).To(Succeed())
		Expect(same.Bytes()).To(Equal(testkit.Read(path)))
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
