package target_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// packGzip returns a text as gzip.
func packGzip(text string) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// startEncoded starts a target that answers with content codings and a body.
func startEncoded(codings []string, body []byte) string {
	return startServer(func(w http.ResponseWriter, _ *http.Request) {
		for _, coding := range codings {
			w.Header().Add("Content-Encoding", coding)
		}
		_, _ = w.Write(body) // fails if the client has read up to its limit and closed
	})
}

var _ = Describe("A body", func() {
	DescribeTable("with a content encoding is decoded",
		func(ctx SpecContext, codings []string, body func() []byte, expected string) {
			ex := sendProbe(ctx, clientFor(startEncoded(codings, body())), wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).To(BeNil())
			Expect(string(ex.Body)).To(Equal(expected))
			Expect(ex.Header.Values("Content-Encoding")).To(Equal(codings), "the evidence keeps what was sent")
		},
		Entry("none", nil, func() []byte { return []byte(`{"a":1}`) }, `{"a":1}`),
		Entry("gzip", []string{"gzip"}, func() []byte { return packGzip(`{"a":1}`) }, `{"a":1}`),
		Entry("gzip by its old name", []string{"x-gzip"}, func() []byte { return packGzip(`{"a":1}`) }, `{"a":1}`),
		Entry("gzip in the other case", []string{"GZIP"}, func() []byte { return packGzip(`{"a":1}`) }, `{"a":1}`),
		Entry("gzip and identity", []string{"identity, gzip"}, func() []byte { return packGzip(`{"a":1}`) }, `{"a":1}`),
		Entry("identity", []string{"identity"}, func() []byte { return []byte(`{"a":1}`) }, `{"a":1}`),
		Entry("an empty header", []string{""}, func() []byte { return []byte(`{"a":1}`) }, `{"a":1}`),
		Entry("gzip in two members", []string{"gzip"},
			func() []byte { return append(packGzip(`{"a"`), packGzip(`:1}`)...) }, `{"a":1}`),
		Entry("gzip of nothing", []string{"gzip"}, func() []byte { return packGzip(``) }, ``),
		Entry("gzip, but no body at all", []string{"gzip"}, func() []byte { return nil }, ``),
		Entry("an unknown one, but no body at all", []string{"br"}, func() []byte { return nil }, ``),
		Entry("gzip that was not announced stays as it is", nil, func() []byte { return packGzip(`x`) },
			string(packGzip(`x`))),
	)

	DescribeTable("that can't be decoded is a fault of the encoding, not of the transport",
		func(ctx SpecContext, codings []string, body func() []byte, detail string) {
			ex := sendProbe(ctx, clientFor(startEncoded(codings, body())), wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			Expect(ex.Fault.Kind).To(Equal(exchange.Encoding))
			Expect(ex.Fault.Detail).To(ContainSubstring(detail))
			Expect(ex.Body).To(BeNil())
			Expect(ex.Status).To(Equal(200))
			Expect(ex.Answered()).To(BeTrue())
		},
		Entry("not gzip", []string{"gzip"}, func() []byte { return []byte(`{"a":1}`) }, "not gzip"),
		Entry("half a gzip header", []string{"gzip"}, func() []byte { return packGzip(`{"a":1}`)[:5] }, "gzip"),
		Entry("an incomplete gzip", []string{"gzip"}, func() []byte { b := packGzip(`{"a":1}`); return b[:len(b)-9] },
			"broken"),
		Entry("a gzip without its check sum", []string{"gzip"},
			func() []byte { b := packGzip(`{"a":1}`); return b[:len(b)-8] }, "broken"),
		Entry("a gzip with a wrong check sum", []string{"gzip"},
			func() []byte { b := packGzip(`{"a":1}`); b[len(b)-5] ^= 1; return b }, "broken"),
		Entry("junk after a gzip", []string{"gzip"}, func() []byte { return append(packGzip(`{"a":1}`), "junk"...) },
			"broken"),
		Entry("another coding", []string{"br"}, func() []byte { return []byte("x") }, `"br"`),
		Entry("deflate", []string{"deflate"}, func() []byte { return []byte("x") }, `"deflate"`),
		Entry("gzip twice", []string{"gzip, gzip"}, func() []byte { return packGzip(string(packGzip(`{"a":1}`))) },
			`"gzip, gzip"`),
		Entry("gzip twice, in two lines", []string{"gzip", "gzip"},
			func() []byte { return packGzip(string(packGzip(`{"a":1}`))) }, `"gzip, gzip"`),
		Entry("a coding with a control character", []string{"a\u0085b"}, func() []byte { return []byte("x") },
			`"a\u0085b"`),
	)

	It("of exactly the limit is read completely", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor(startEncoded(nil, bytes.Repeat([]byte(" "), bound))),
			wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Body).To(HaveLen(bound))
	})

	DescribeTable("over the limit is a fault that names it",
		func(ctx SpecContext, codings []string, body func() []byte) {
			ex := sendProbe(ctx, clientFor(startEncoded(codings, body())), wellFormed(schemas.GetUserAuth))
			Expect(ex.Fault).NotTo(BeNil())
			Expect(ex.Fault.Kind).To(Equal(exchange.Bound))
			Expect(ex.Fault.Detail).To(ContainSubstring("16 MiB"))
			Expect(ex.Body).To(BeNil())
			Expect(ex.Answered()).To(BeTrue())
		},
		Entry("as it is", nil, func() []byte { return bytes.Repeat([]byte(" "), bound+1) }),
		Entry("decoded from a small one", []string{"gzip"},
			func() []byte { return packGzip(strings.Repeat(" ", bound+1)) }),
		Entry("decoded from many members", []string{"gzip"}, func() []byte {
			return bytes.Repeat(packGzip(strings.Repeat(" ", bound/4)), 5)
		}),
		Entry("encoded", []string{"gzip"}, func() []byte { return bytes.Repeat([]byte("x"), bound+1) }),
	)

	It("of exactly the limit when decoded is read completely", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor(startEncoded([]string{"gzip"}, packGzip(strings.Repeat(" ", bound)))),
			wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Body).To(HaveLen(bound))
	})

	It("without an end is read up to the limit", func(ctx SpecContext) {
		address := startServer(func(w http.ResponseWriter, r *http.Request) {
			for part := bytes.Repeat([]byte("x"), 1<<20); r.Context().Err() == nil; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		ex := sendProbe(ctx, clientFor(address), wellFormed(schemas.GetUserAuth))
		Expect(ex.Fault).NotTo(BeNil())
		Expect(ex.Fault.Kind).To(Equal(exchange.Bound))
	}, NodeTimeout(nodeTimeout))
})
