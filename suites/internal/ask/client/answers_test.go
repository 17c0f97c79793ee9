package client_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

const statusOK = "HTTP/1.1 200 OK\r\n"

var _ = It("A redirect is an answer and is never followed (J17)", func(ctx SpecContext) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere, seen := startRecorder()
		c := clientFor(startServer(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+"/?x", status)
		}))
		ex := sendProbe(ctx, c, wellFormed)
		Expect(ex.Fault).To(BeNil())
		Expect(ex.Status).To(Equal(status))
		Expect(ex.Header.Get("Location")).To(Equal(elsewhere + "/?x"))
		Expect(seen()).To(BeEmpty())
		Expect(c.Counts().Requests).To(BeEquivalentTo(1))
	}
})

var _ = Describe("The fault of a target", func() {
	texts := strings.NewReplacer("$TOKEN", token, "$OK\r\n", statusOK,
		"$NO-HTTP", "the answer is not HTTP or is incomplete; its text is hidden (setting values)")

	DescribeTable("that answers no HTTP says what came, and never shows the token or control characters (J21)",
		func(ctx SpecContext, answer, kind, detail, plain string) {
			c := clientFor(startRaw(1, texts.Replace(answer)))
			ex := sendProbe(ctx, c, wellFormed)
			expectFault(ex, exchange.FaultKind(kind), detail)
			Expect(ex.Fault.Plain).To(Equal(texts.Replace(plain)), "it quotes nothing of an answer")
			Expect(c.Counts().Requests).To(BeEquivalentTo(1), "nothing is sent again")
			for _, values := range []string{settings.ValuesShow, settings.ValuesHide} {
				out := sanitize.New(&settings.Settings{Secrets: []string{token}, Values: values},
					testkit.Contract(), "")
				Expect(out.Fault(*ex.Fault).Detail).NotTo(Or(ContainSubstring(token[:12]), ContainSubstring("\x1b")))
			}
		}, testkit.Entries("answers"))

	It("that does not listen names the operation and the error of the system", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor("http://127.0.0.1:1"), wellFormed)
		expectFault(ex, exchange.Transport, "connection refused")
		Expect(ex.Fault.Plain).To(Equal("dial tcp: connection refused"))
	})
})

var _ = DescribeTable("A request that this machine can't send is an error of the run, and no fault of the target",
	func(operation string, errno syscall.Errno, isHere bool) {
		err := &net.OpError{Op: operation, Net: "tcp", Err: os.NewSyscallError("socket", errno)}
		failed := client.FailedHere(fmt.Errorf("post: %w", err), &settings.Settings{Concurrency: 8})
		if !isHere {
			Expect(failed).NotTo(HaveOccurred())
			return
		}
		Expect(failed).To(MatchError(And(ContainSubstring("this machine can't open another connection: post: "+
			operation+" tcp: socket: "+errno.Error()), ContainSubstring("--concurrency"))))
	},
	Entry("without a file left", "dial", syscall.EMFILE, true),
	Entry("without a port left", "dial", syscall.EADDRNOTAVAIL, true),
	Entry("at a closed port", "dial", syscall.ECONNREFUSED, false),
	Entry("at a reset", "read", syscall.ECONNRESET, false),
)

const body = `{"a":1}`

var (
	packed    = packGzip(body)
	wrongSum  = append(append([]byte{}, packed[:len(packed)-5]...), packed[len(packed)-5]^1, 0, 0, 0, 0)
	packTwice = packGzip(string(packed))
)

// packGzip returns a text as gzip.
func packGzip(text string) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// askEncoded asks a target that answers with content codings and a body.
func askEncoded(ctx SpecContext, p exchange.Probe, codings []string, body []byte) *exchange.Exchange {
	GinkgoHelper()
	return sendProbe(ctx, clientFor(startServer(func(w http.ResponseWriter, _ *http.Request) {
		for _, coding := range codings {
			w.Header().Add("Content-Encoding", coding)
		}
		_, _ = w.Write(body) // fails if the client has read up to its limit and closed
	}), func(s *settings.Settings) { s.Timeout = time.Minute }), p) // a busy machine reads a large body slowly
}

var _ = Describe("A body", func() {
	DescribeTable("with a content encoding is decoded, or is a fault of the encoding, not of the transport",
		func(ctx SpecContext, codings []string, body []byte, expected, fault string) {
			ex := askEncoded(ctx, wellFormed, codings, body)
			Expect(ex.Status).To(Equal(200))
			if fault != "" {
				expectFault(ex, exchange.Encoding, fault)
				return
			}
			Expect(ex.Fault).To(BeNil())
			Expect(string(ex.Body)).To(Equal(expected))
			Expect(ex.Header.Values("Content-Encoding")).To(Equal(codings), "the evidence keeps what was sent")
		},
		Entry("gzip", []string{"gzip"}, packed, body, ""),
		Entry("gzip by its old name", []string{"x-gzip"}, packed, body, ""),
		Entry("gzip in the other case", []string{"GZIP"}, packed, body, ""),
		Entry("gzip and identity", []string{"identity, gzip"}, packed, body, ""),
		Entry("gzip in two members", []string{"gzip"}, append(packGzip(`{"a"`), packGzip(`:1}`)...), body, ""),
		Entry("gzip of nothing", []string{"gzip"}, packGzip(""), "", ""),
		Entry("gzip, but no body at all", []string{"gzip"}, nil, "", ""),
		Entry("an unknown one, but no body at all", []string{"br"}, nil, "", ""),
		Entry("identity", []string{"identity"}, []byte(body), body, ""),
		Entry("an empty header", []string{""}, []byte(body), body, ""),
		Entry("gzip that was not announced stays as it is", nil, packed, string(packed), ""),
		Entry("not gzip", []string{"gzip"}, []byte(body), "", "the body is not gzip"),
		Entry("half a gzip header", []string{"gzip"}, packed[:5], "", "the body is not gzip"),
		Entry("an incomplete gzip", []string{"gzip"}, packed[:len(packed)-9], "", "the gzip body is broken"),
		Entry("a gzip without its check sum", []string{"gzip"}, packed[:len(packed)-8], "", "the gzip body is broken"),
		Entry("a gzip with a wrong check sum", []string{"gzip"}, wrongSum, "", "the gzip body is broken"),
		Entry("junk after a gzip", []string{"gzip"}, append(packGzip(body), "junk"...), "", "the gzip body is broken"),
		Entry("another coding", []string{"br"}, []byte("x"), "",
			`Content-Encoding is "br", but only gzip was offered`),
		Entry("gzip twice", []string{"gzip, gzip"}, packTwice, "", `"gzip, gzip"`),
		Entry("gzip twice, in two lines", []string{"gzip", "gzip"}, packTwice, "", `"gzip, gzip"`),
		Entry("a coding with a control character", []string{"a\u0085b"}, []byte("x"), "", "\"a\u0085b\""),
	)

	DescribeTable("of a request that should be refused is decoded as far as it can be, whatever the fault",
		func(ctx SpecContext, coding string, body []byte, expected string) {
			ex := askEncoded(ctx, changedBy(exchange.Null, "Id"), []string{coding}, body)
			Expect(string(ex.Body)).To(Equal(expected))
			Expect(ex.Fault.Kind).To(Equal(exchange.Encoding))
		},
		Entry("an incomplete gzip", "gzip", packed[:len(packed)-9], body),
		Entry("text that only says that it has another coding", "br", []byte(body), body),
		Entry("but not another coding", "br", []byte("\x8b\x02"), ""),
		Entry("nor gzip twice", "gzip, gzip", packTwice, ""),
	)

	DescribeTable("is read up to 16 MiB", func(ctx SpecContext, codings []string, what string) {
		for _, size := range []int{bound, bound + 1} {
			body := bytes.Repeat([]byte(" "), size)
			if codings != nil {
				body = packGzip(string(body))
			}
			ex := askEncoded(ctx, wellFormed, codings, body)
			if size > bound {
				expectFault(ex, exchange.Bound, "the "+what+" is larger than 16 MiB")
				continue
			}
			Expect(ex.Fault).To(BeNil())
			Expect(ex.Body).To(HaveLen(bound))
		}
	}, Entry("as it is sent", nil, "body"), Entry("decoded from a small one", []string{"gzip"}, "decoded body"))
})

var _ = DescribeTable("What a target sent in place of an answer stands in its fault as it was sent:",
	func(ctx SpecContext, sent string) {
		ex := sendProbe(ctx, clientFor(startRaw(1, sent+"\r\n")), wellFormed)
		expectFault(ex, exchange.Transport, `"`+sent+`"`)
	},
	Entry("a text", "token"), Entry("one that is encoded", `\u0074\u006f\x6b\"en`), Entry("no text", "\x15\x03\xff"),
)
