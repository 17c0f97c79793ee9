package record_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

var _ = Describe("A part of a record", func() {
	var dir string
	BeforeEach(func() { dir = filepath.Join(GinkgoT().TempDir(), "v5") })
	aboutPart := func(shard int, target string) recorded.About {
		return recorded.About{Version: "v5", Shard: shard, Shards: 3, Recorded: exchange.Recorded{Target: target,
			Contract: testkit.Contract().Digest, Population: "sha256:all"}}
	}
	begin := func(name string, about recorded.About, at *record.Position) (*record.Recording, error) {
		GinkgoHelper()
		r, err := record.OpenRecording(filepath.Join(dir, name), nil, about, false, at)
		if err == nil {
			DeferCleanup(r.Close)
		}
		return r, err
	}
	addUser := func(r *record.Recording) record.Position {
		GinkgoHelper()
		Expect(r.Add([]byte(`{"key":"0000000000000001"}`+"\n"), 0)).To(Succeed())
		return testkit.Must(r.Position())
	}

	It("that has users is compared with another when that begins, is continued, and ends", func() {
		one, two := aboutPart(1, "http://one"), aboutPart(2, "http://two")
		second := testkit.Must(begin("2.ndjson.gz", two, nil)) // at the same time: the first has no user
		first := testkit.Must(begin("1.ndjson.gz", one, nil))
		at := addUser(first)
		addUser(second)

		differs := "1.ndjson.gz, a part beside this one, differs in its target (http://one, not http://two)"
		_, err := begin("3.ndjson.gz", aboutPart(3, "http://two"), nil)
		Expect(err).To(MatchError(ContainSubstring(differs)))
		Expect(fileNames(dir)).NotTo(ContainElement("3.ndjson.gz"))
		_, err = second.Finish(two)
		Expect(err).To(MatchError(ContainSubstring(differs)), "neither knew of the other when it began")
		_, err = begin("1.ndjson.gz", one, &at)
		Expect(err).To(MatchError(ContainSubstring(
			"2.ndjson.gz, a part beside this one, differs in its target (http://two")))
	})

	It("is there once, and in a folder without other files that look like records", func() {
		addUser(testkit.Must(begin("a.ndjson.gz", aboutPart(1, "http://one"), nil)))
		_, err := begin("b.ndjson.gz", aboutPart(1, "http://one"), nil)
		Expect(err).To(MatchError(ContainSubstring("a.ndjson.gz has shard 1 of 3, too: move it away")))
		testkit.Write(dir, "users.ndjson.gz", []byte("no record"))
		_, err = begin("b.ndjson.gz", aboutPart(2, "http://one"), nil)
		Expect(err).To(MatchError(And(ContainSubstring("users.ndjson.gz: is no record"),
			ContainSubstring("name another one"))))
	})
})
