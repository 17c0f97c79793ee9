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

// What no hostile target may exceed: the time of a run, its resident memory, and what it prints for people, in bytes.
const (
	hostileTimeout = 90 * time.Second
	memoryBound    = 640 << 20
	outputBound    = 4 << 20
)

// The secrets of these runs. They look like no other text, so that a trace of them can't be there by chance.
const (
	plainToken  = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	oddToken    = `W<x"Y&z'9+k/L=m%p\R;ü€😀{n}[o] v^2|T~u:8?h@j`
	headerValue = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer      = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
	password    = "pAss+w0rd/of=the&caller!"
)

// headerSecrets are the secrets in the extra headers of these runs.
func headerSecrets() []string { return []string{headerValue, bearer, password} }

// secretHeaders is a configuration file with these headers.
func secretHeaders() string {
	basic := base64.StdEncoding.EncodeToString([]byte("caller:" + password))
	return fmt.Sprintf("target:\n  headers:\n    X-Tenant: %q\n    Authorization: %q\n    X-Caller: %q\n",
		headerValue, "Bearer "+bearer, "Basic "+basic)
}

// hostileRun is a run against a hostile target.
type hostileRun struct {
	*result
	traces []string // of its secrets, of which nothing may be left
	shown  []string // traces of a text that is no secret and must be shown; nil if the target returns secrets
}

// hostileRuns judges a target once. If it returns secrets: once with each kind of token, and once while it returns a
// text that is no secret.
func hostileRuns(t hostile.Target) []hostileRun {
	if !t.Returns {
		return []hostileRun{runHostile(t, fixtures.AccessToken)}
	}
	list := []hostileRun{runHostile(t, plainToken), runHostile(t, oddToken)}
	if t.Shown {
		const other = "hG3kLp9QwErTyUiOaSdF7ZxCvBnM1jK2bV5cX8zN"
		r := judgeHostile(t, "run", plainToken, []string{other})
		list = append(list, hostileRun{result: r, shown: append([]string{}, tracesIn(r, other)...)})
	}
	return list
}

// runHostile is a run against a target that takes a token. If it returns secrets, it returns the token and the headers.
func runHostile(t hostile.Target, token string) hostileRun {
	secrets := append(headerSecrets(), token)
	if !t.Returns {
		// The rest of the token consists of words, which are in the reports anyway.
		secrets = []string{token[strings.LastIndex(token, "-")+1:]}
	}
	r := judgeHostile(t, "run", token, secrets)
	return hostileRun{result: r, traces: tracesIn(r, secrets...)}
}

// judgeHostile lets a run or a sweep judge a target, which returns some texts if it is one of those that do.
func judgeHostile(t hostile.Target, name, token string, returned []string) *result {
	c := command{args: []string{name}, env: credentialsWith(token), folder: newFolder(), timeout: hostileTimeout}
	if t.Returns {
		c.args = append(c.args, "--config", writeFile(c.folder, "c.yaml", secretHeaders()))
	}
	r, service := hostileService(t, hostile.Options{AccessToken: token, Returned: returned}).judge(c)
	if service != nil && service.lured() > 0 && r.err == nil {
		r.err = fmt.Errorf("%d requests went to another origin", service.lured())
	}
	return r
}

// check asserts what holds for every hostile target, and what the target says of itself.
func (r hostileRun) check(t hostile.Target) {
	GinkgoHelper()
	report := checkRun(r.result)
	Expect(t.Codes).To(ContainElement(r.exitCode), "%s\n%s", t.Sentence, r)
	for _, words := range t.Says {
		Expect(r.output()).To(ContainSubstring(words))
	}
	checkNoDefect(r.result)
	Expect(forgedLines(r.stdout, report.Verdict)).To(BeEmpty(), "on the standard output")
	Expect(forgedLines(r.stderr, report.Verdict)).To(BeEmpty(), "on the standard error")
	Expect(r.peakMemory).To(BeNumerically("<", memoryBound), "the peak of its resident memory")
	Expect(len(r.stdout)).To(BeNumerically("<", outputBound))
	Expect(unreadableFiles(r.result)).To(BeEmpty())
	if r.shown == nil {
		expectNone(r.traces)
	} else {
		Expect(r.shown).NotTo(BeEmpty(),
			"what is no secret is not shown either, so that the absence of a secret proves nothing\n%s", r)
	}
	failed := report.rows("fail")
	for _, id := range t.Fails {
		Expect(slices.Contains(failed, "v5 "+id) && slices.Contains(failed, "v6 "+id)).To(BeTrue(),
			"%s must fail in both versions: %s\n%s", id, t.Sentence, report)
	}
	for _, row := range report.Requirements {
		Expect(len(row.Findings)).To(BeNumerically("<=", 50))
		Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)))
	}
}
