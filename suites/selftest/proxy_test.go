package selftest_test

import (
	"encoding/base64"
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

// runThroughProxy runs the binary with a target that only the proxy can reach.
func runThroughProxy(proxy *target, user, name string) *result {
	address := strings.Replace(proxy.URL, "http://", "http://"+user+"@", 1)
	return command{args: []string{name, "--target-url", proxyTarget, "--users", usersFile},
		env: append(credentialsWith(plainToken), "HTTP_PROXY="+address)}.run()
}

// echoingProxy answers for the target, and returns the proxy credentials in headers and refusals.
func echoingProxy() *target {
	service := kit.Reference(kit.Users(), plainToken)
	return startTarget(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credentials := r.Header.Get("Proxy-Authorization")
		if credentials != "Basic "+proxyCredentials {
			w.WriteHeader(http.StatusProxyAuthRequired)
			_, _ = w.Write([]byte("not " + credentials))
			return
		}
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.Header().Set("X-Echo", credentials)
		w.Header().Set("Sunset", proxyPassword)
		w.WriteHeader(answer.Code)
		if answer.Code == http.StatusOK {
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		_, _ = w.Write([]byte("refused: " + proxyPassword + " " + credentials))
	}))
}

var _ = Describe("A proxy in use", func() {
	type both struct {
		rejudged
		sweep    *result
		proxyURL string
	}
	done := startEarly(&otherJobs, func() both {
		proxy := echoingProxy()
		defer proxy.Close()
		user := "caller:" + proxyPassword
		return both{judgeAgain(runThroughProxy(proxy, user, "run")), runThroughProxy(proxy, user, "sweep"), proxy.URL}
	})

	It("is named in the heading and in all reports, with a warning about the token; judging again gives the same",
		func() {
			run := done().run
			Expect(run.exitCode).To(Equal(0), "%s", run)
			done().expectUnchanged()
			named := done().proxyURL + " (HTTP_PROXY)"
			heading, _, _ := strings.Cut(run.stdout, "\n\n")
			Expect(heading).To(ContainSubstring("v5 at " + proxyTarget + " through the proxy " + named))
			Expect(run.stderr).To(ContainSubstring("warning: the access token travels in clear text to " + proxyTarget))
			Expect(done().again.stderr).NotTo(ContainSubstring("warning:"), "nothing is sent")
			files := filesIn(run.reports())
			for _, name := range []string{"report.json", "report.html", "summary.md"} {
				Expect(files[name]).To(And(ContainSubstring(named), ContainSubstring("travels in clear text to")), name)
			}
			Expect(files["report.json"]).To(ContainSubstring(`"proxy": {`))
			Expect(files["statement.json"]).To(And(ContainSubstring(`"proxy v5"`), ContainSubstring(done().proxyURL)))
			Expect(files["evidence.har"]).To(ContainSubstring(`"proxies":{"v5":{"url":"` + done().proxyURL +
				`","variable":"HTTP_PROXY"}`))
		})

	It("is named by a sweep too", func() {
		r := done().sweep
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(ContainSubstring("through the proxy " + done().proxyURL))
		Expect(r.stderr).To(ContainSubstring("warning: the access token travels in clear text to " + proxyTarget))
		for _, name := range []string{"sweep.json", "sweep.html"} {
			Expect(filesIn(r.reports())[name]).To(ContainSubstring(done().proxyURL+" (HTTP_PROXY)"), name)
		}
	})

	It("does not have its credentials in any stream or file, although it returns them", func() {
		for _, r := range []*result{done().run, done().again, done().sweep} {
			expectNoTraces(r, plainToken, proxyPassword, proxyCredentials)
		}
	})

	refused := startEarly(&otherJobs, func() []*result {
		proxy := echoingProxy()
		defer proxy.Close()
		return []*result{runThroughProxy(proxy, "caller:another", "run"),
			runThroughProxy(proxy, "caller:another", "sweep")}
	})
	It("that refuses the credentials makes the run an error that names the variable, without findings about the target",
		func() {
			for _, r := range refused() {
				Expect(r.exitCode).To(Equal(2), "%s", r)
				Expect(r.output()).To(And(ContainSubstring("(HTTP_PROXY) needs credentials"),
					Not(ContainSubstring("FAIL"))))
			}
			for _, row := range checkRun(refused()[0]).Requirements {
				Expect(row.Findings).To(BeEmpty(), row.ID)
			}
		})
})
