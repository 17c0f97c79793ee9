package selftest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

// sweepCanarySpecs put a secret where only a sweep has a place for it: into the names of causes and grounds, and into the
// population. The targets that return secrets in each part of an answer are among the hostile ones.
func sweepCanarySpecs(r *rig) {
	const secret = plainToken
	known := peopleOf(40, everybody)

	sweepSecret := func(spoil func(body string, call int64) string, users string, more ...string) *outcome {
		var calls atomic.Int64
		right := known.known()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			recorder := httptest.NewRecorder()
			replacing(right, secret, fixtures.AccessToken).ServeHTTP(recorder, request)
			for name, values := range recorder.Header() {
				w.Header()[name] = values
			}
			w.Header().Del("Content-Length")
			w.WriteHeader(recorder.Code)
			_, _ = io.WriteString(w, spoil(recorder.Body.String(), calls.Add(1)))
		}))
		defer server.Close()
		c := r.sweepOf(server.URL, users, more...)
		c.folder = r.work()
		c.env = []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
		write(c.folder, users, []byte(known.csv()))
		return r.call(c)
	}
	encoded := func() []func(string) string {
		list := []func(string) string{}
		for _, e := range hostile.Encodings() {
			list = append(list, e.Encode)
		}
		return list
	}()
	quoted := func(text string) string { return strings.Trim(fmt.Sprintf("%q", text), `"`) }

	It("shows no secret in the name of a place that is volatile", func() {
		o := sweepSecret(func(body string, call int64) string {
			name := quoted(encoded[int(call)%len(encoded)](secret))
			return strings.Replace(body, `"Description":`, fmt.Sprintf(`"%s":%d,"%s %d":1,"Description":`, name, call, quoted(secret), call%2), 1)
		}, "users.csv")
		swept(o)
		Expect(tracesIn(o, secret)).To(BeEmpty())
		Expect(o.stdout).To(ContainSubstring("[secret:"), "it was not named at all")
	})

	It("shows no secret in the name of a place that differs", func() {
		o := sweepSecret(func(body string, call int64) string {
			if call%4 == 2 { // one at a time: v6
				return strings.Replace(body, `"Description":`, fmt.Sprintf(`"%s":[{"%s":"%s"}],"Description":`, quoted(secret), quoted(secret), quoted(secret)), 1)
			}
			return body
		}, "users.csv", "--concurrency", "1")
		swept(o)
		Expect(tracesIn(o, secret)).To(BeEmpty())
		Expect(o.stdout).To(ContainSubstring("[secret:"), "it was not named at all")
	})

	It("shows no secret that stands in the population, or in the name of its file", func() {
		population := "id,userId,name\n" + guidOf(1) + "," + secret + "," + secret + "\n" + guidOf(2) + ",%" + strings.ReplaceAll(secret, "m", "%6d") + ",x\n" + guidOf(3) + ",person-000003,x\n"
		server := httptest.NewServer(always(http.StatusInternalServerError, "no"))
		DeferCleanup(server.Close)
		for _, name := range []string{"users.csv", secret + ".csv"} {
			c := r.sweepOf(server.URL, name)
			c.folder = r.work()
			c.env = []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
			write(c.folder, name, []byte(population))
			o := r.call(c)
			Expect(tracesIn(o, secret)).To(BeEmpty())
			report, findings := swept(o)
			Expect(report.Verdict).To(Equal("fail"))
			Expect(findings.findings).To(HaveLen(12))

			write(c.folder, name, []byte(population+"no-guid,"+secret+"\n"))
			o = r.call(c)
			Expect(tracesIn(o, secret)).To(BeEmpty())
			failedSweep(o)
		}
	})

	It("shows no secret that stands in the fault of a connection", func() {
		c := r.sweepOf("http://127.0.0.1:1/"+secret, write(r.work(), "users.csv", []byte(known.csv())))
		c.env = []string{"AUTHN_ACCESS_TOKEN=" + secret, "AUTHN_APPLICATION_ID=a"}
		o := r.call(c)
		Expect(tracesIn(o, secret)).To(BeEmpty())
		failedSweep(o)
	})
}
