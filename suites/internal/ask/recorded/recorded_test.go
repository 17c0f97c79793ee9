package recorded_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/recorded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

func TestRecorded(t *testing.T) { testkit.Specs(t, "recorded") }

func user(n int) exchange.User {
	return exchange.User{ID: fmt.Sprintf("%08X-0000-4000-8000-%012x", n, n), UserID: fmt.Sprintf("user-%d", n)}
}

// answer is an answer to getUserAuth; its body shows the user and the round.
func answer(n, round int, body string) *exchange.Exchange {
	return &exchange.Exchange{Probe: exchange.Probe{Operation: schemas.GetUserAuth, Version: "v5", User: user(n),
		Round: round}, Started: time.UnixMilli(1_700_000_000_000), Duration: time.Millisecond, Status: 200,
		Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

func pack(lines ...[]byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, one := range lines {
		_ = testkit.Must(w.Write(one))
	}
	Expect(w.Close()).To(Succeed())
	return b.Bytes()
}

// line is the line of a user, with all that came.
func line(n int, exchanges ...*exchange.Exchange) (text []byte, withheld int64) {
	GinkgoHelper()
	text, withheld, err := recorded.Encode(user(n), exchanges,
		func(ex *exchange.Exchange) exchange.Exchange { return *ex })
	Expect(err).NotTo(HaveOccurred())
	return text, withheld
}

// write writes a record of users.
func write(dir, name string, about recorded.About, from, to int) string {
	GinkgoHelper()
	var lines [][]byte
	for n := from; n < to; n++ {
		body := fmt.Sprintf(`{"n":%d, "x":"\"é"}`, n)
		text, _ := line(n, answer(n, 1, body), answer(n, 2, body))
		lines = append(lines, text)
	}
	return writeLines(dir, name, about, lines...)
}

// writeLines writes a record with these lines, and a member for every three of them.
func writeLines(dir, name string, about recorded.About, lines ...[]byte) string {
	GinkgoHelper()
	if about.Contract == "" {
		about.Contract = testkit.Contract().Digest
	}
	content := pack(testkit.Must(about.Header()))
	about.Users, about.Population = int64(len(lines)), "sha256:all"
	for member := range slices.Chunk(lines, 3) {
		content = append(content, pack(member...)...)
	}
	about.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	return testkit.Write(dir, name, append(content, pack(testkit.Must(about.Footer()))...))
}

func one() recorded.About { return recorded.About{Version: "v5", Shard: 1, Shards: 1} }

func open(path string) (*recorded.Record, error) {
	GinkgoHelper()
	r, err := recorded.Open(path, "v5", testkit.Contract(), GinkgoT().TempDir())
	if r != nil {
		DeferCleanup(r.Close)
	}
	return r, err
}

func bodyOf(r *recorded.Record, n, round int) string {
	GinkgoHelper()
	ex, err := r.Do(context.Background(), answer(n, round, "").Probe)
	if errors.Is(err, exchange.ErrNotRecorded) {
		return "not recorded"
	}
	Expect(err).NotTo(HaveOccurred())
	return string(ex.Body)
}

var _ = Describe("A record", func() {
	It("has the answers of each user in both rounds, in whatever order it is asked, and of nobody else", func() {
		r := testkit.Must(open(write(GinkgoT().TempDir(), "v5.ndjson.gz", one(), 0, 20)))
		for _, n := range []int{0, 1, 2, 10, 3, 19, 4, 18, 0, 7, 7} {
			for round := 1; round <= 2; round++ {
				Expect(bodyOf(r, n, round)).To(Equal(fmt.Sprintf(`{"n":%d, "x":"\"é"}`, n)), "user %d", n)
			}
		}
		Expect(bodyOf(r, 20, 1)).To(Equal("not recorded"))
		Expect(bodyOf(r, 5, 3)).To(Equal("not recorded"))
		Expect(r.Users).To(BeEquivalentTo(20))
	})

	It("has a status, a fault and a body that is no JSON as they came, but not a body that was not kept", func() {
		dir := GinkgoT().TempDir()
		broken, faulted, cut := answer(1, 1, "no\njson\""), answer(1, 2, ""), answer(1, 3, "beginning")
		broken.Status, broken.Header = 500, map[string][]string{"Content-Type": {"a", "b\""}}
		faulted.Fault = &exchange.Fault{Kind: exchange.Timeout, Detail: "too late"}
		cut.Cut = &exchange.Cut{Size: 5 << 20, Digest: "sha256:x"}
		text, withheld := line(1, broken, faulted, cut)
		Expect(withheld).To(BeEquivalentTo(1))
		other, _ := line(2)
		key := len(`{"key":"0123456789abcdef`)
		mixed := append(bytes.Clone(other[:key]), text[key:]...) // as if both users had one key
		r := testkit.Must(open(writeLines(dir, "v5.ndjson.gz", one(), mixed, text)))
		all := testkit.Must(r.Find(user(1)))
		first := all.Exchange(broken.Probe)
		Expect(string(first.Body)).To(Equal("no\njson\""))
		Expect(first.Status).To(Equal(500))
		Expect(first.Header).To(Equal(broken.Header))
		Expect(all.Exchange(faulted.Probe).Fault).To(Equal(faulted.Fault))
		Expect(all.Exchange(cut.Probe)).To(BeNil())
		Expect(r.Find(user(2))).To(BeNil(), "the line is of another user")
	})

	It("counts the users of a shard, whatever was read before", func() {
		r := testkit.Must(open(write(GinkgoT().TempDir(), "v5.ndjson.gz", one(), 0, 50)))
		_ = bodyOf(r, 30, 1)
		first, second := testkit.Must(r.Count(1, 2)), testkit.Must(r.Count(2, 2))
		Expect(first + second).To(BeEquivalentTo(50))
		Expect(first).To(BeNumerically(">", 5))
		Expect(second).To(BeNumerically(">", 5))
	})

	It("joins the files of all shards, and no others", func() {
		dir := GinkgoT().TempDir()
		header := one()
		header.Shards, header.Target, header.Settings = 2, "https://old", "sha256:of the old target"
		write(dir, "v5-1-of-2.ndjson.gz", header, 0, 5)
		_, err := open(dir)
		Expect(err).To(MatchError(ContainSubstring("the record of shard 2 of 2 is missing")))
		header.Shard = 2
		second := write(dir, "v5-2-of-2.ndjson.gz", header, 5, 9)
		r := testkit.Must(open(dir))
		Expect(r.Users).To(BeEquivalentTo(9))
		Expect(bodyOf(r, 7, 1) + bodyOf(r, 2, 1)).To(Equal(`{"n":7, "x":"\"é"}{"n":2, "x":"\"é"}`))
		Expect(os.Rename(second, filepath.Join(dir, "a.ndjson.gz"))).To(Succeed())
		write(dir, "again.ndjson.gz", header, 5, 9)
		_, err = open(dir)
		Expect(err).To(MatchError(ContainSubstring("shard 2 of 2 is there twice")))
		header.Target, header.Shard = "https://other", 1
		header.Settings = "sha256:of the other target"
		write(dir, "v5-1-of-2.ndjson.gz", header, 0, 5)
		_, err = open(dir)
		Expect(err).To(MatchError(ContainSubstring("is of another sweep than a.ndjson.gz: they differ in its target " +
			"(https://other, not https://old); name")))
	})

	It("is refused if it was changed at any byte, or cut anywhere", func() {
		dir := GinkgoT().TempDir()
		whole := testkit.Read(write(dir, "v5.ndjson.gz", one(), 0, 4))
		for at := range whole {
			changed := bytes.Clone(whole)
			changed[at] ^= 1
			r, err := open(testkit.Write(dir, "changed.ndjson.gz", changed))
			if at >= len(whole)-300 && err == nil { // time and system in the footer's own head of gzip mean nothing
				Expect(r.Users).To(BeEquivalentTo(4))
				continue
			}
			Expect(err).To(HaveOccurred(), "byte %d of %d", at, len(whole))
			_, err = open(testkit.Write(dir, "cut.ndjson.gz", whole[:at]))
			Expect(err).To(HaveOccurred(), "cut at byte %d of %d", at, len(whole))
		}
	})

	It("is refused if it is of another version or contract, or no record", func() {
		dir := GinkgoT().TempDir()
		other := one()
		other.Version = "v6"
		_, err := open(write(dir, "a.ndjson.gz", other, 0, 1))
		Expect(err).To(MatchError(ContainSubstring("is a record of v6, not of v5: give it as v6=FILE")))
		other = one()
		other.Contract = "sha256:other"
		_, err = open(write(dir, "b.ndjson.gz", other, 0, 1))
		Expect(err).To(MatchError(ContainSubstring("was recorded by another contract (sha256:other)")))
		_, err = open(testkit.Write(dir, "c.ndjson.gz", []byte("id,userId\n")))
		Expect(err).To(MatchError(HaveSuffix("is no record; name the file as conformance sweep --record wrote it")))
		whole := testkit.Read(write(dir, "d.ndjson.gz", one(), 0, 1))
		_, err = open(testkit.Write(dir, "e.ndjson.gz", whole[:20]))
		Expect(err).To(MatchError(ContainSubstring("is no record, or was changed or cut;")))
		for _, junk := range []string{"junk", "\x1f\x8b\x08junk"} {
			_, err = open(testkit.Write(dir, "junk.ndjson.gz", slices.Concat(whole, []byte(junk))))
			Expect(err).To(MatchError(ContainSubstring("junk.ndjson.gz: was changed: %d bytes follow after its end; "+
				"name the file as conformance sweep --record wrote it", len(junk))))
		}
		text := testkit.Must(io.ReadAll(testkit.Must(gzip.NewReader(bytes.NewReader(whole)))))
		_, err = open(testkit.Write(dir, "f.ndjson.gz",
			pack(bytes.Replace(text, []byte("user-0"), []byte("user-1"), 1))))
		Expect(err).To(MatchError(ContainSubstring("was unpacked and packed again, so that it may have been changed;")))
		later := bytes.Replace(testkit.Must(one().Header()), []byte(`"format":"1.0"`),
			[]byte(`"format":"2.0","suite":"1.4.0 0f1e2d3c"`), 1)
		path := testkit.Write(dir, "g.ndjson.gz", pack(later))
		says := "release 1.4.0 of the suite wrote it in format 2.0, which this release does not read; "
		_, err = open(path)
		Expect(err).To(MatchError(path + ": " + says + "compare with that release, or record again"))
		Expect(recorded.CheckFree(path, true)).To(MatchError(path + ": " + says +
			"it is not replaced: name another file"))
		_, err = open(filepath.Join(dir, "none.ndjson.gz"))
		Expect(err).To(MatchError(os.ErrNotExist))
	})
})
