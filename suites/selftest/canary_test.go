package selftest_test

import (
	"net/http"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

var _ = Describe("A secret is not in the streams and files", func() {
	secrets := append(headerSecrets(), plainToken)

	run := startEarly(&otherJobs, func() rejudged {
		return judgeAgain(judgeHostile(hostileNamed("returns-in-strings"), "run", plainToken, secrets))
	})
	It("of a run against a service that returns it, and of judging its evidence again", func() {
		checkRun(run().run)
		Expect(run().run.reports()).To(BeADirectory())
		expectNoTraces(run().run, secrets...)
		checkRun(run().again)
		expectNoTraces(run().again, secrets...)
	})

	// Each shows the secrets in another part of a report: values, pointers, bodies, headers, faults, observations.
	for _, name := range []string{"guids", "date-times", "number", "object", "member-name", "doubled-member", "device",
		"user-id", "identifiers", "half-a-list", "page", "refusal", "refusals-alone", "header-content-type", "header-name",
		"header-sunset", "header-www-authenticate", "header-content-encoding", "two-headers", "location", "status-text",
		"broken-status-line", "broken-header", "broken-transfer-coding", "second-answer"} {
		for _, values := range []string{"show", "hide"} {
			judged := startEarly(&otherJobs, func() [2]*result {
				target := hostileNamed("returns-in-" + name)
				return [2]*result{judgeHostile(target, "run", plainToken, secrets, "--values", values),
					judgeHostile(target, "sweep", plainToken, secrets, "--values", values)}
			})
			It("of a run and a sweep of a service that returns it in "+name+", with --values "+values, func() {
				for _, r := range judged() {
					Expect(r.err).NotTo(HaveOccurred())
					checkNoDefect(r)
					expectNoTraces(r, secrets...)
				}
			})
		}
	}

	named := startEarly(&otherJobs, func() *result {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"Id":1,"UserId":"` + plainToken + `"}`))
		}))
		defer t.Close()
		c := command{folder: newFolder(), env: append(credentialsWith(plainToken),
			"AUTHN_APPLICATION_ID=app-"+plainToken)}
		users := writeFile(c.folder, plainToken+".csv",
			"id,userId,name\n"+guidOf(1)+","+plainToken+"-1,"+plainToken+"\n"+
				guidOf(2)+",person,x\n")
		c.args = []string{"run", "--target-url", t.URL + "/" + plainToken, "--users", users, "--all-findings"}
		return c.run()
	})
	It("of a run whose users, URL, application and files have it in their names", func() {
		checkNoDefect(named())
		Expect(named().exitCode).To(Equal(1), "%s", named())
		expectNoTraces(named(), plainToken)
	})

	withheld := map[string]func() rejudged{}
	for _, name := range []string{"returns-in-other-charsets", "returns-in-gzip-page"} {
		withheld[name] = startEarly(&otherJobs, func() rejudged {
			return judgeAgain(judgeHostile(hostileNamed(name), "run", plainToken, secrets))
		})
		It("of a run against a service that "+name+", and judging its evidence again writes the same files", func() {
			withheld[name]().expectUnchanged()
			expectNoTraces(withheld[name]().run, secrets...)
			Expect(filesIn(withheld[name]().run.reports())["evidence.har"]).To(ContainSubstring(`"_withheld":{"size":`))
		})
	}

	sweepRun := startEarly(&otherJobs, func() *result {
		return judgeHostile(hostileNamed("returns-in-member-name"), "sweep", plainToken, secrets)
	})
	It("of a sweep of a service that returns it in member names", func() {
		report, findings := checkSweep(sweepRun())
		Expect(report.Tally.Groups).NotTo(BeEmpty())
		Expect(findings.lines).NotTo(BeEmpty())
		expectNoTraces(sweepRun(), secrets...)
	})

	population := startEarly(&otherJobs, func() *result {
		t := startTarget(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("false")) // neither a record nor a refusal: each answer is a finding
		}))
		defer t.Close()
		c := sweepOf(t.URL, plainToken+".csv")
		c.folder, c.env = newFolder(), credentialsWith(plainToken)
		writeFile(c.folder, plainToken+".csv", "id,userId,name\n"+guidOf(1)+","+plainToken+","+plainToken+"\n"+
			guidOf(2)+",%"+strings.ReplaceAll(plainToken, "m", "%6d")+",x\n"+guidOf(3)+",person-000003,x\n")
		return c.run()
	})
	It("of a sweep whose users and users file have it as their names", func() {
		_, findings := checkSweep(population())
		Expect(findings.findings).To(HaveLen(12))
		expectNoTraces(population(), plainToken)
	})

	served := startEarly(&otherJobs, func() *result {
		c := command{args: []string{"serve", "--mutant", "service-echo-v5"}, env: credentialsWith(plainToken)}
		c.onStart = func(p process) {
			go whenServing(p, func(url string) {
				body := strings.NewReader(`{"AccessToken":"` + plainToken + `"}`)
				if answer, err := http.Post(url+"/api/v5/authenticator/getUserAuth", "application/json",
					body); err == nil {
					answer.Body.Close()
				}
			})
		}
		return c.run()
	})
	It("of serve, which prints only the token of the reference", func() {
		checkStreams(served())
		Expect(served().exitCode).To(Equal(0), "%s", served())
		Expect(served().stdout).To(ContainSubstring(fixtures.AccessToken))
		expectNoTraces(served(), plainToken)
	})
})

// whenServing waits until serve prints its URL, calls use, and then interrupts the process.
func whenServing(p process, use func(url string)) {
	for range 1000 {
		if _, after, found := strings.Cut(p.stdout.String(), "AUTHN_TARGET_URL="); found &&
			strings.Contains(after, "\n") {
			url, _, _ := strings.Cut(after, " ")
			use(url)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = p.Signal(syscall.SIGINT)
}

var _ = DescribeTable("The search for secrets finds an encoded secret, and no other text",
	func(encode func(string) string) {
		for _, secret := range append(headerSecrets(), plainToken, oddToken) {
			Expect(findTraces("before "+encode(secret)+" after", secret)).NotTo(BeEmpty(), secret)
			Expect(findTraces("before "+encode("a text that is as long as a secret")+" after", secret)).To(BeEmpty(),
				secret)
		}
	}, func() (entries []TableEntry) {
		for _, e := range hostile.Encodings() {
			entries = append(entries, Entry(e.Name, e.Encode))
		}
		return append(entries, Entry("hexadecimal in pairs", hostile.HexadecimalPairs),
			Entry("base64 of UTF-16LE", hostile.Base64OfUTF16LE))
	}())
