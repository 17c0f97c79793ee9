package selftest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
)

const (
	proxyPassword = "uT5rE9wQ2yI7oP4aS8dF1gH6"
	proxyTarget   = "http://access.example.test" // a name that only the proxy knows
)

var proxyCredentials = base64.StdEncoding.EncodeToString([]byte("caller:" + proxyPassword))

// echoingProxy answers for the target, and returns the proxy credentials in headers and refusals.
func echoingProxy(w http.ResponseWriter, r *http.Request) {
	credentials := r.Header.Get("Proxy-Authorization")
	if credentials != "Basic "+proxyCredentials {
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = fmt.Fprint(w, "not ", credentials)
		return
	}
	answer := httptest.NewRecorder()
	kit.Reference(kit.Users(), plainToken).ServeHTTP(answer, r)
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.Header().Set("X-Echo", credentials)
	w.Header().Set("Sunset", proxyPassword)
	w.WriteHeader(answer.Code)
	if answer.Code != http.StatusOK {
		_, _ = fmt.Fprint(w, "refused: ", proxyPassword, " ", credentials)
	}
	_, _ = answer.Body.WriteTo(w)
}

var _ = Describe("A proxy in use", func() {
	var proxyURL string
	// runThrough runs the binary with a target that only the proxy can reach.
	runThrough := func(password, name string) *result {
		GinkgoHelper()
		proxyURL = startTarget(http.HandlerFunc(echoingProxy)).url
		address := strings.Replace(proxyURL, "http://", "http://caller:"+password+"@", 1)
		return command{args: []string{name, "--target-url", proxyTarget, "--users", usersNDJSON()},
			env: append(credentialsWith(plainToken), "HTTP_PROXY="+address)}.runToEnd()
	}
	const warning = "warning: the access token travels in clear text to " + proxyTarget

	It("is named in the heading and in all reports of a run, with a warning, and without its credentials", func() {
		r := runThrough(proxyPassword, "run")
		Expect(checkRun(r).Verdict).To(Equal("pass"), "%s", r)
		heading, _, _ := strings.Cut(r.stdout, "\n\n")
		Expect(heading).To(ContainSubstring("v5 at %s through the proxy %s (HTTP_PROXY)", proxyTarget, proxyURL))
		Expect(r.stderr).To(ContainSubstring(warning))
		for name, texts := range map[string][]string{
			"report.json":    {proxyURL + " (HTTP_PROXY)", "travels in clear text to", `"proxy": {`},
			"report.html":    {proxyURL + " (HTTP_PROXY)", "travels in clear text to"},
			"summary.md":     {proxyURL + " (HTTP_PROXY)", "travels in clear text to"},
			"statement.json": {`"proxy v5"`, proxyURL},
			"evidence.har":   {`"proxy":{"url":"` + proxyURL + `","variable":"HTTP_PROXY"}`},
		} {
			for _, text := range texts {
				Expect(filesIn(r.reportFolder())[name]).To(ContainSubstring(text), name)
			}
		}
		expectNoTraces(r, plainToken, proxyPassword, proxyCredentials)
		again := command{args: []string{"judge", r.reportFolder() + "/evidence.har"}}.runToEnd()
		Expect(checkRun(again).Verdict).To(Equal("inconclusive"), "refusals with a secret are not kept\n%s", again)
		Expect(again.stdout).To(ContainSubstring("through the proxy " + proxyURL))
		Expect(again.stderr).NotTo(ContainSubstring("warning:"), "nothing is sent")
		expectNoTraces(again, plainToken, proxyPassword, proxyCredentials)
	})

	It("is named by a sweep, too", func() {
		r := runThrough(proxyPassword, "sweep")
		Expect(checkSweep(r).Verdict).To(Equal("pass"), "%s", r)
		Expect(r.stdout).To(ContainSubstring("through the proxy " + proxyURL))
		Expect(r.stderr).To(ContainSubstring(warning))
		for _, name := range []string{sweepJSON, sweepPage} {
			Expect(filesIn(r.reportFolder())[name]).To(ContainSubstring(proxyURL+" (HTTP_PROXY)"), name)
		}
		expectNoTraces(r, plainToken, proxyPassword, proxyCredentials)
	})

	It("that refuses the credentials makes an error that names the variable, without findings", func() {
		for _, name := range []string{"run", "sweep"} {
			r := runThrough("another", name)
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(r.allOutput()).To(ContainSubstring("(HTTP_PROXY) needs credentials"))
			Expect(r.allOutput()).NotTo(ContainSubstring("FAIL"))
			Expect(filesIn(r.reportFolder())["report.json"]).NotTo(ContainSubstring(`"message":`))
		}
	})
})
