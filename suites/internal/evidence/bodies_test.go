package evidence_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// cutEntry is what an entry says of a body of which it keeps only the beginning.
type cutEntry struct {
	Log struct {
		Entries []struct {
			Cut *exchange.Cut `json:"_cut"`
		}
	}
}

func cutsOf(archive []byte) []*exchange.Cut {
	GinkgoHelper()
	var h cutEntry
	Expect(json.Unmarshal(archive, &h)).To(Succeed())
	var list []*exchange.Cut
	for _, e := range h.Log.Entries {
		list = append(list, e.Cut)
	}
	return list
}

func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha256:" + hex.EncodeToString(sum[:])
}

var _ = Describe("A body", func() {
	DescribeTable("that is text stays as it is, and comes back byte for byte", func(body string) {
		d := newFixture()
		d.keep(answeredExchange("e1", body))
		archive := d.archive()
		content := onlyEntry(archive).Response.Content
		Expect(content.Text).To(Equal(body))
		Expect(content.Encoding).To(BeEmpty())
		Expect(content.Size).To(Equal(len(body)))
		k, err := parseArchive(archive).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(k.Body).To(Equal([]byte(body)))
		Expect(k.Cut).To(BeNil())
		Expect(k.Length()).To(Equal(len(body)))
	},
		Entry("JSON", `{"Id":"fbc1af89-7d69-4938-84f7-18fd250c67f3","Flags":1e2}`),
		Entry("JSON with escapes", `["\u0041\u003c\/\ud83d\ude00"]`),
		Entry("JSON with an unpaired surrogate", `["\ud800"]`),
		Entry("markup", `<script>alert("&amp;")</script>`),
		Entry("characters that do something", "\u202e\u2028\u0000\u001b[31m\u007f\u0085\ufeff"),
		Entry("all of Unicode", "jürgen 日本 😀 \U0010ffff"),
		Entry("nothing", ""),
	)

	DescribeTable("that is not UTF-8 is kept as size and digest (J21)", func(body string) {
		d := newFixture()
		d.keep(answeredExchange("e1", body))
		k, err := parseArchive(d.archive()).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect([]any{k.Withheld.Size, k.Withheld.Digest}).To(Equal([]any{len(body), digestOf(body)}))
		Expect(string(k.Body)).NotTo(ContainSubstring("rgen"))
	},
		Entry("Latin-1", "J\xfcrgen"), Entry("zlib", unreadableWays()["in zlib"](`{"Description":"J\u00fcrgen"}`)),
	)

	DescribeTable("past 1 MiB is cut, with its digest and full size", func(unit string, size int, cut bool) {
		d := newFixture()
		body := strings.Repeat(unit, size/len(unit)+1)[:size]
		d.keep(answeredExchange("e1", body))
		archive := d.archive()
		k, err := parseArchive(archive).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(onlyEntry(archive).Response.Content.Size).To(Equal(size))
		if !cut {
			Expect(cutsOf(archive)).To(Equal([]*exchange.Cut{nil}))
			Expect(k.Body).To(HaveLen(size))
			return
		}
		Expect(cutsOf(archive)).To(Equal([]*exchange.Cut{{Size: size, Digest: digestOf(body)}}))
		Expect(k.Cut).To(Equal(&exchange.Cut{Size: size, Digest: digestOf(body)}))
		Expect(len(k.Body)).To(And(BeNumerically("<=", 1<<20), BeNumerically(">=", 1<<20-4)),
			"how much of the body is kept")
		Expect(bytes.HasPrefix([]byte(body), k.Body)).To(BeTrue())
		Expect(k.Length()).To(Equal(size))
	},
		Entry("just not", "a", 1<<20, false),
		Entry("by one byte", "a", 1<<20+1, true),
		Entry("in the middle of a character", "日", 1<<20+2, true),
	)

	It("that is cut can't be judged again: a part is no answer", func() {
		d := newFixture()
		ex := answeredExchange("e1", `"`+strings.Repeat("a", 1<<20)+`"`)
		d.keep(ex)
		e := parseArchive(d.archive())
		_, err := e.Do(GinkgoT().Context(), ex.Probe)
		Expect(err).To(MatchError(exchange.ErrNotRecorded))
		Expect(e.Entry("e1")).NotTo(BeNil(), "it is still shown")
	})

	It("past 256 MiB in all is left out, but for its digest and size", func() {
		// A secret of one letter: to look for a longer one in so much text takes long.
		d := newFixture(func(s *settings.Settings) { s.AccessToken, s.Secrets = "x", []string{"x"} })
		body := strings.Repeat("a", 1<<20)
		for i := range 256 {
			d.keep(answeredExchange(fmt.Sprintf("e%d", i+1), body))
		}
		d.keep(answeredExchange("past", "{}"), answeredExchange("empty", ""))
		for id, stored := range map[string]int{"e1": 1 << 20, "e255": 1 << 20, "e256": 1 << 20, "past": 0, "empty": 0} {
			k, err := d.writer.Entry(id)
			Expect(err).NotTo(HaveOccurred())
			Expect(k.Body).To(HaveLen(stored), id)
			switch id {
			case "past":
				Expect(k.Cut).To(Equal(&exchange.Cut{Size: 2, Digest: digestOf("{}")}))
				Expect(k.Length()).To(Equal(2))
			default:
				Expect(k.Cut).To(BeNil(), id)
			}
		}
	})
})
