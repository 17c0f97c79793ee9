package selftest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// returningTogether serves targets of one URL, each for one of the users of the fixtures, after the first of whom the
// reference answers: so that one run meets all of them, and is carried out. It relays bytes, since many answers are no
// HTTP. The i-th target begins with the i-th of the secrets.
func returningTogether(names []string, secrets []string) string {
	GinkgoHelper()
	addresses := map[string]string{}
	for i, name := range names {
		order := slices.Concat(secrets[i%len(secrets):], secrets[:i%len(secrets)])
		running := testkit.Must(hostileNamed("returns-in-"+name).Start(newFolder(),
			hostile.Options{AccessToken: plainToken, Returned: order}))
		DeferCleanup(running.Close)
		addresses[kit.Users()[i+1].UserID] = testkit.Must(url.Parse(running.Arguments[1])).Host
	}
	reference := kit.Reference(kit.Users(), plainToken)
	return startTarget(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what can't be read is refused
		r.Body = io.NopCloser(bytes.NewReader(body))
		var request struct{ UserID string }
		_ = json.Unmarshal(body, &request)
		address, found := addresses[request.UserID]
		if !found {
			reference.ServeHTTP(w, r)
			return
		}
		to, err := net.Dial("tcp", address)
		mustSucceed(err)
		defer to.Close()
		r.Close = true
		mustSucceed(r.Write(to))
		from, _, err := w.(http.Hijacker).Hijack()
		mustSucceed(err)
		defer from.Close()
		_, _ = io.Copy(from, to) // either may end it
	})).url
}

var _ = Describe("A secret is not in the streams and files", func() {
	secrets := append(headerSecrets(), plainToken)

	// The targets show secrets in each part of a report: values, pointers, bodies, headers, faults, observations. The
	// ninth has a user without identifiers, the eleventh one who is refused, so what is returned must fit them.
	for place, names := range map[string][]string{
		"bodies": {"refusal", "page", "number", "identifiers", "member-name", "strings", "guids", "object",
			"half-a-list", "date-times", "refusals-alone", "device"},
		"headers": {"header-content-type", "header-www-authenticate", "header-sunset", "header-content-encoding",
			"header-name", "two-headers", "location", "location-host", "cookie-name", "user-id", "trailer",
			"doubled-member"},
		"broken answers": {"status-text", "refusal-status-text", "broken-status-line", "broken-header",
			"broken-transfer-coding", "second-answer", "broken-chunk", "gzip-page", "broken-status", "broken-length",
			"greeting"},
	} {
		It("of runs and sweeps of services that return it in "+place+", with values shown or hidden", func() {
			judge := func(name, address, values string) *result {
				GinkgoHelper()
				c := command{args: []string{name, "--target-url", address, "--users", usersNDJSON(), "--values", values,
					"--config", "c.yaml"}, env: credentialsWith(plainToken), folder: newFolder()}
				writeFile(c.folder, "c.yaml", secretHeaders())
				return c.runToEnd()
			}
			const other = "hG3kLp9QwErTyUiOaSdF7ZxCvBnM1jK2bV5cX8zN"
			shown := judge("run", returningTogether(names, []string{other}), "show")
			Expect(tracesIn(shown, deepest, other)).NotTo(BeEmpty(),
				"a text that is not a secret is not shown either, so the absence of secrets proves nothing")
			address := returningTogether(names, secrets)
			for _, values := range []string{"show", "hide"} {
				expectNoTraces(judge("run", address, values), secrets...)
				expectNoTraces(judge("sweep", address, values), secrets...)
			}
		})
	}

	It("of judging again, elsewhere, evidence without some bodies: it proves less, and is the same evidence", func() {
		for _, name := range []string{"gzip-page", "strings"} {
			run := judgeHostile(hostileNamed("returns-in-"+name), plainToken, secrets)
			run.expectClean()
			again := command{args: []string{"judge", filepath.Join(run.reportFolder(), "evidence.har")},
				env: []string{"LANG=tr_TR.UTF-8", "TZ=Pacific/Kiritimati", "GOMAXPROCS=1"}}.runToEnd()
			expectNoTraces(run, secrets...)
			expectNoTraces(again, secrets...)
			Expect(checkRun(again).rowsOf("pass")).NotTo(ContainElement(BeElementOf(checkRun(run).rowsOf("fail"))))
			evidence := filesIn(run.reportFolder())["evidence.har"]
			Expect(evidence).To(ContainSubstring(`"_withheld":{"size":`))
			Expect(filesIn(again.reportFolder())["evidence.har"] == evidence).To(BeTrue(), "the evidence differs")
		}
	})

	DescribeTable("of a command whose users, users file, URL and application have it in their names:",
		func(name, answer string, flags ...string) {
			t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, answer)
			}))
			c := command{folder: newFolder(), args: append([]string{name, "--target-url", t.url + "/" + plainToken,
				"--users", plainToken + ".csv"}, flags...), env: []string{"AUTHN_ACCESS_TOKEN=" + plainToken,
				"AUTHN_APPLICATION_ID=app-" + plainToken}}
			writeFile(c.folder, plainToken+".csv", "id,userId,name\n"+guidOf(1)+","+plainToken+"-1,"+plainToken+"\n"+
				guidOf(2)+",%"+strings.ReplaceAll(plainToken, "m", "%6d")+",x\n"+guidOf(3)+",person,x\n")
			r := c.runToEnd()
			Expect(r.exitCode).To(Equal(1), "%s", r)
			expectNoTraces(r, plainToken)
		},
		Entry("run, and the product, too", "run", `{"Id":1,"UserId":"`+plainToken+`"}`,
			"--subject-version", plainToken, "--subject-build-v6", plainToken),
		Entry("sweep, with answers that are neither records nor refusals", "sweep", "false"),
	)

	DescribeTable("of a command that would write to a path with it, which is an error, and nothing is written there:",
		func(name, flag string) {
			c := certifyTarget(startTarget(kit.Reference(kit.Users(), plainToken)).url)
			c.args, c.env = append(c.args, flag, "x-"+plainToken), credentialsWith(plainToken)
			c.args[0] = name
			r := c.runToEnd()
			Expect(r.exitCode).To(Equal(2), "%s", r)
			Expect(r.stderr).To(ContainSubstring("the path has a secret"))
			expectNoTraces(r, plainToken)
			Expect(filepath.Join(r.folder, "x-"+plainToken)).NotTo(BeAnExistingFile())
		},
		Entry("the reports of a run", "run", "--report-dir"), Entry("metrics", "run", "--metrics-file"),
		Entry("a baseline", "run", "--update-baseline"), Entry("a record", "sweep", "--record"),
		Entry("the reports of a sweep", "sweep", "--report-dir"),
	)

	It("of serve, which prints only the token of the reference", func() {
		c := command{args: []string{"serve", "--mutant", "service-echo-v5"}, env: credentialsWith(plainToken)}
		c.onStart = whenServing(func(url string) {
			answer := testkit.Must(http.Post(url+"/api/v5/authenticator/getUserAuth", "application/json",
				strings.NewReader(`{"AccessToken":"`+plainToken+`"}`)))
			answer.Body.Close()
		})
		r := c.runToEnd()
		Expect(r.exitCode).To(Equal(0), "%s", r)
		Expect(r.stdout).To(ContainSubstring(fixtures.AccessToken))
		expectNoTraces(r, plainToken)
	})

	It("of a run with a client key", func() {
		list := conforming.All()
		c := command{env: credentialsWith(fixtures.AccessToken), folder: newFolder()}
		running := testkit.Must(list[slices.IndexFunc(list, func(s conforming.Service) bool {
			return s.Name == "host-client-certificate"
		})].Start(c.folder))
		DeferCleanup(running.Close)
		c.args = slices.Concat([]string{"run", "--users", usersFile()}, running.Arguments)
		r := c.runToEnd()
		Expect(checkRun(r).Verdict).To(Equal("pass"))
		lines := strings.Fields(string(testkit.Read(c.folder, "client.key")))
		expectNoTraces(r, slices.DeleteFunc(lines, func(line string) bool { return len(line) < 20 })...)
	})

	It("of versions that differ only within it, and they differ nevertheless", func() {
		quoted := `"` + plainToken + `"`
		pairs := [][2]string{
			{quoted, `"` + base64.StdEncoding.EncodeToString([]byte(plainToken)) + `"`},
			{quoted, `"Q` + plainToken[1:] + `"`},
			{`{` + quoted + `:1}`, `{"[redacted]":1}`},
			{quoted, `"$AUTHN_ACCESS_TOKEN"`},
			{quoted, `"[redacted]"`},
			{`"` + plainToken[:20] + `"`, `"` + plainToken[20:] + `"`},
		}
		t := startTarget(testkit.Changing(kit.Reference(kit.Users(), plainToken),
			func(v schemas.Version, record map[string]any) {
				for i, pair := range pairs {
					record[fmt.Sprint("Extra", i)] = json.RawMessage(pair[slices.Index(schemas.Versions(), v)])
				}
			}))
		c := certifyTarget(t.url)
		c.env = credentialsWith(plainToken)
		run := c.runToEnd()
		again := command{args: []string{"judge", filepath.Join(run.reportFolder(), "evidence.har")}}.runToEnd()
		was, now := checkRun(run), checkRun(again)
		var pointers []string
		for _, row := range was.Requirements {
			for _, c := range row.Causes {
				pointers = append(pointers, c.Pointer)
			}
		}
		for i := range pairs {
			Expect(pointers).To(ContainElement(HavePrefix(fmt.Sprintf("/Extra%d", i))))
		}
		Expect(was.Verdict).To(Equal("fail"))
		Expect(now.Complete).To(BeFalse(), "the answers are not kept")
		expectNoTraces(run, plainToken)
		expectNoTraces(again, plainToken)
	})
})

var _ = DescribeTable("The search for secrets finds an encoded secret, and no other text",
	func(encode func(string) string) {
		for _, secret := range append(headerSecrets(), plainToken, oddToken) {
			Expect(findTraces("before "+encode(secret)+" after", deepest, secret)).NotTo(BeEmpty(), secret)
			Expect(findTraces("before "+encode("a text as long as a secret")+" after", deepest, secret)).To(BeEmpty(),
				secret)
		}
	}, func() (entries []TableEntry) {
		for _, e := range hostile.Encodings() {
			entries = append(entries, Entry(e.Name, e.Encode))
		}
		return entries
	}())
