package selftest_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

// bound is within what every one of these runs has to end; no spec asks for more than that.
const bound = 90 * time.Second

// mostMemory is what no target may make the suite use, in bytes.
const mostMemory = 1 << 30

// survival is a run against a hostile target.
type survival struct {
	*outcome
	lured   int64    // requests that another origin got
	secrets []string // of which nothing may be left
	shown   string   // a text that is no secret and must be seen; "" none
}

// hostileSpecs has every hostile target judged: the run ends, says what happened, and gives nothing away.
func hostileSpecs(r *rig) {
	list := hostile.All()
	var jobs []func() []survival
	for _, t := range list {
		jobs = append(jobs, func() []survival { return survivals(r, t) })
	}
	results := runAhead(r, jobs...)

	fileSpecs()
	Describe("A hostile target", Label(proof), func() {
		for i, t := range list {
			It(t.Name, Label(hostileTarget), func() {
				for _, s := range results.result(i) {
					s.assert(t)
				}
			})
		}

		It("uses no more memory than a small machine has", func() {
			largest, name := int64(0), ""
			for i, t := range list {
				for _, s := range results.result(i) {
					if s.peak > largest {
						largest, name = s.peak, t.Name
					}
				}
			}
			AddReportEntry("the largest peak of resident memory", fmt.Sprintf("%d MiB: %s", largest>>20, name))
			Expect(largest).To(BeNumerically("<", mostMemory))
		})
	})
}

// survivals are the runs against a target: one or, where it returns secrets, one with each kind of token, and one in which
// it returns what is no secret.
func survivals(r *rig, t hostile.Target) []survival {
	if !t.Returns {
		// The rest of the token is made of words, which stand in the reports anyway.
		tail := fixtures.AccessToken[strings.LastIndex(fixtures.AccessToken, "-")+1:]
		return []survival{survive(r, t, fixtures.AccessToken, survival{secrets: []string{tail}}, nil)}
	}
	var list []survival
	for _, token := range []string{plainToken, oddToken} {
		secrets := append(headerSecrets(), token)
		list = append(list, survive(r, t, token, survival{secrets: secrets}, secrets))
	}
	if t.Shown {
		const other = "hG3kLp9QwErTyUiOaSdF7ZxCvBnM1jK2bV5cX8zN"
		list = append(list, survive(r, t, plainToken, survival{shown: other}, []string{other}))
	}
	return list
}

// survive has the target judged once.
func survive(r *rig, t hostile.Target, token string, s survival, returned []string) survival {
	s.outcome = &outcome{}
	folder := r.work()
	running, err := t.Start(folder, hostile.Options{AccessToken: token, Returned: returned})
	if err != nil {
		s.err = err
		return s
	}
	defer running.Close()
	arguments := slices.Concat([]string{"run", "--users", usersFile(folder, t.Users())}, running.Arguments, t.Flags)
	if t.Returns {
		arguments = append(arguments, "--config", write(folder, "c.yaml", []byte(secretHeaders())))
	}
	env := []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	s.outcome = r.call(command{args: arguments, env: env, folder: folder, within: bound})
	s.lured = running.Lured()
	return s
}

// assert holds a run against what must hold of every one, and against what the target says of itself.
func (s survival) assert(t hostile.Target) {
	GinkgoHelper()
	report := sound(s.outcome)
	Expect(s.code).To(BeElementOf(t.Codes), "%s\n%s", t.Sentence, s.said())
	streams := s.stdout + s.stderr
	for _, words := range t.Says {
		Expect(streams).To(ContainSubstring(words))
	}
	for _, words := range []string{"panic", "defect", "goroutine"} {
		Expect(streams).NotTo(ContainSubstring(words))
	}
	Expect(forged(s.stdout, report.Verdict)).To(BeEmpty(), "on the standard output")
	Expect(forged(s.stderr, report.Verdict)).To(BeEmpty(), "on the standard error")
	Expect(s.peak).To(BeNumerically("<", mostMemory), "the peak of its resident memory, in bytes")
	Expect(len(s.stdout)).To(BeNumerically("<", 4<<20), "what a person is to read")
	Expect(s.lured).To(BeZero(), "requests that went to another origin")
	Expect(unreadable(s.outcome)).To(BeEmpty())
	if s.shown == "" {
		leakless(s.outcome, s.secrets...)
	} else {
		Expect(tracesIn(s.outcome, s.shown)).NotTo(BeEmpty(), "what is no secret is not seen either, so that its absence proves nothing\n%s", s.said())
	}
	failed := report.rows("fail")
	for _, id := range t.Fails {
		Expect(failed).To(ContainElements("v5 "+id, "v6 "+id), "%s\n%s", t.Sentence, report.accused())
	}
	for _, row := range report.Requirements {
		Expect(len(row.Findings)).To(BeNumerically("<=", 50))
		Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)))
	}
}

// headerSecrets are the secrets of these runs that stand in headers.
func headerSecrets() []string { return []string{headerValue, bearer, password} }

// secretHeaders is a configuration file that has the run send them.
func secretHeaders() string {
	return fmt.Sprintf("target:\n  headers:\n    X-Tenant: %q\n    Authorization: %q\n    X-Caller: %q\n", headerValue, "Bearer "+bearer,
		"Basic "+base64.StdEncoding.EncodeToString([]byte("caller:"+password)))
}
