package sanitize_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
)

// compressed writes a text with a compressor.
func compressed[W io.WriteCloser](text string, compressor func(io.Writer) W) []byte {
	var out bytes.Buffer
	w := compressor(&out)
	_, _ = io.WriteString(w, text) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func gzipped(text string) []byte { return compressed(text, gzip.NewWriter) }

func deflated(text string) []byte {
	return compressed(text, func(w io.Writer) *flate.Writer {
		deflate, err := flate.NewWriter(w, flate.BestCompression)
		Expect(err).NotTo(HaveOccurred())
		return deflate
	})
}

// placed puts each character of ASCII on so many bytes, at a place among them.
func placed(text string, size, place int) []byte {
	out := make([]byte, size*len(text))
	for i := range len(text) {
		out[size*i+place] = text[i]
	}
	return out
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

var _ = Describe("Withhold", func() {
	const token = "9f86d081884c7d659a2feaa0c55ad015"
	s := sanitize.NewSecrets(token)
	secret, other := `{"error":"the token `+token+` is unknown, é"}`, `{"error":"this token is unknown, é"}`
	bom16, bom32 := []byte{0xff, 0xfe}, []byte{0xff, 0xfe, 0, 0}

	DescribeTable("keeps a text that can be read another way and is free of secrets, and no other",
		func(write func(string) []byte) {
			Expect(s.Withhold(write(secret))).To(BeTrue())
			Expect(s.Withhold(write(other))).To(BeFalse())
			var none *sanitize.Secrets
			Expect(none.Withhold(write(other))).To(BeFalse(), "evidence is judged again without secrets")
		},
		Entry("UTF-16LE", utf16Text),
		Entry("UTF-16LE with a mark", func(text string) []byte { return joined(bom16, utf16Text(text)) }),
		Entry("UTF-16BE with a mark", func(text string) []byte {
			return joined([]byte{0xfe, 0xff}, placed(strings.ReplaceAll(text, "é", "e"), 2, 1))
		}),
		Entry("UTF-32LE with a mark", func(text string) []byte {
			return joined(bom32, placed(strings.ReplaceAll(text, "é", "e"), 4, 0))
		}),
		Entry("UTF-32BE with a mark", func(text string) []byte {
			return joined([]byte{0, 0, 0xfe, 0xff}, placed(strings.ReplaceAll(text, "é", "e"), 4, 3))
		}),
		Entry("Latin-1", func(text string) []byte { return []byte(strings.ReplaceAll(text, "é", "\xe9")) }),
		Entry("gzip", gzipped),
		Entry("zlib", func(text string) []byte { return compressed(text, zlib.NewWriter) }),
	)

	DescribeTable("keeps nothing that can't be read", func(body []byte) { Expect(s.Withhold(body)).To(BeTrue()) },
		Entry("deflate without a header", deflated(other)),
		Entry("gzip that breaks off", gzipped(other)[:40]),
		Entry("something after gzip", joined(gzipped(other), []byte("x"))),
		Entry("something after zlib", joined(compressed(other, zlib.NewWriter), []byte("\xff"))),
		Entry("gzip in gzip", gzipped(string(gzipped(other)))),
		Entry("gzip of more than a MiB", gzipped(strings.Repeat("a", 1<<20+1))),
		Entry("gzip in a text", joined([]byte(`{"a":"`), gzipped(other), []byte(`"}`))),
		Entry("UTF-16 of an odd length", joined(bom16, []byte("{\x00}"))),
		Entry("mostly no ASCII", []byte("\xe9\xe8\xe7 abc")),
		Entry("more than a MiB", joined([]byte("\xe9"), bytes.Repeat([]byte("a"), 1<<20))),
	)

	It("keeps what is UTF-8: it is searched as it is", func() {
		for _, text := range []string{"", secret, "\x00\x1b", string(placed("UTF-16 of ASCII", 2, 0))} {
			Expect(s.Withhold([]byte(text))).To(BeFalse(), text)
		}
	})
})
