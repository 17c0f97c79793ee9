package target_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	statusOK  = "HTTP/1.1 200 OK\r\n"
	hidden    = "the answer is not HTTP or is incomplete; its text is hidden (setting values)"
	hiddenEnd = "the body broke off: unexpected EOF"
	anyCoding = "Content-Encoding is another one than gzip, but only gzip was offered"
)

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
	DescribeTable("that answers no HTTP says what came, and never shows the token or control characters (J21)",
		func(ctx SpecContext, kind exchange.FaultKind, answer, detail, plain string) {
			c := clientFor(startRaw(1, answer))
			ex := sendProbe(ctx, c, wellFormed)
			expectFault(ex, kind, detail)
			Expect(ex.Fault.Plain).To(Equal(plain), "it quotes nothing of an answer")
			Expect(c.Counts().Requests).To(BeEquivalentTo(1), "nothing is sent again")
			for _, values := range []string{settings.ValuesShow, settings.ValuesHide} {
				out := sanitize.New(&settings.Settings{AccessToken: token, Secrets: []string{token}, Values: values},
					testkit.Contract(), "")
				Expect(out.Fault(*ex.Fault).Detail).NotTo(Or(ContainSubstring(token[:12]), ContainSubstring("\x1b")))
			}
		},
		Entry("nothing", exchange.Transport, "", "EOF", "EOF"),
		Entry("not HTTP", exchange.Transport, "SSH-2.0-OpenSSH_9.9\r\n", "malformed", hidden),
		Entry("an incomplete header", exchange.Transport, statusOK+"Content-Le", "malformed", hidden),
		Entry("half a body", exchange.Transport, statusOK+"Content-Length: 20\r\n\r\n[]", "broke off", hiddenEnd),
		Entry("an incomplete chunk", exchange.Transport, statusOK+"Transfer-Encoding: chunked\r\n\r\n20\r\n[",
			"broke off", hiddenEnd),
		Entry("two lengths", exchange.Transport, statusOK+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", "",
			hidden),
		Entry("a change of protocol", exchange.Encoding,
			"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "status 101",
			"status 101, a change of protocol that was not asked for"),
		Entry("the token in the status line", exchange.Transport, "HTTP/1.1 "+token+" \x1b[2J\r\n\r\n", "", hidden),
		Entry("the token in the place of an answer", exchange.Transport, token+"\x1b[2J\r\n\r\n", "", hidden),
		Entry("the token in a header's name", exchange.Transport, statusOK+token+"\x1b\r\n\r\n", "", hidden),
		Entry("the token as a coding", exchange.Encoding,
			statusOK+"Content-Length: 1\r\nContent-Encoding: "+token+"\r\n\r\nx", "only gzip was offered", anyCoding),
		Entry("the token as a transfer coding", exchange.Transport,
			statusOK+"Transfer-Encoding: "+token+"\r\n\r\nx", "", hidden),
		Entry("the token as a length", exchange.Transport, statusOK+"Content-Length: "+token+"\r\n\r\nx", "", hidden),
	)

	It("that does not listen names the operation and the error of the system", func(ctx SpecContext) {
		ex := sendProbe(ctx, clientFor("http://127.0.0.1:1"), wellFormed)
		expectFault(ex, exchange.Transport, "connection refused")
		Expect(ex.Fault.Plain).To(Equal("dial tcp: connection refused"))
	})
})
