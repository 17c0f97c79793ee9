package target_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
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
				out := sanitize.New(&settings.Settings{AccessToken: token, Secrets: []string{token}, Values: values},
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
