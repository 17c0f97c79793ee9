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

// What no hostile target may exceed: the duration of a run, its resident memory, and its standard output, in bytes. The
// memory limit of Go's runtime is lower, but soft: on a busy machine the collector runs late. make bench measures it.
const (
	hostileTimeout = 90 * time.Second
	memoryBound    = 768 << 20
	outputBound    = 4 << 20
)

// The secrets of these runs. They resemble no other text, so that a trace of one can't be a coincidence.
const (
	plainToken  = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	oddToken    = `W<x"Y&z'9+k/L=m%p\R;ü€😀{n}[o] v^2|T~u:8?h@j`
	headerValue = "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"
	bearer      = "kJ3nR8vT1yM6pQ4sW9zB2cF7hL5dG0xA"
	password    = "pAss+w0rd/of=the&caller!"
)

// headerSecrets lists the secrets in the extra headers of these runs.
func headerSecrets() []string { return []string{headerValue, bearer, password} }

// secretHeaders returns a configuration file with these headers.
func secretHeaders() string {
	basic := base64.StdEncoding.EncodeToString([]byte("caller:" + password))
	return fmt.Sprintf("target:\n  headers:\n    X-Tenant: %q\n    Authorization: %q\n    X-Caller: %q\n",
		headerValue, "Bearer "+bearer, "Basic "+basic)
}

// hostileRun is a run against a hostile target.
type hostileRun struct {
	*result
	traces []string // of its secrets; there must be none
	shown  []string // traces of a text that is not a secret and must be shown; nil if the target returns secrets
}

// hostileRuns judges a target. If it returns secrets, it is judged with each kind of token, and once returning a text
// that is not a secret.
func hostileRuns(t hostile.Target) []hostileRun {
	if !t.ReturnsSecrets {
		return []hostileRun{runHostile(t, fixtures.AccessToken)}
	}
	list := []hostileRun{runHostile(t, plainToken), runHostile(t, oddToken)}
	if t.ShowsReturned {
		const other = "hG3kLp9QwErTyUiOaSdF7ZxCvBnM1jK2bV5cX8zN"
		r := judgeHostile(t, "run", plainToken, []string{other})
		list = append(list, hostileRun{result: r, shown: append([]string{}, tracesIn(r, other)...)})
	}
	return list
}

// runHostile is a run against a target with a token. A target that returns secrets returns the token and the headers.
func runHostile(t hostile.Target, token string) hostileRun {
	secrets := append(headerSecrets(), token)
	if !t.ReturnsSecrets {
		// Reports may contain the rest of the token, because it consists of words.
		secrets = []string{token[strings.LastIndex(token, "-")+1:]}
	}
	r := judgeHostile(t, "run", token, secrets)
	return hostileRun{result: r, traces: tracesIn(r, secrets...)}
}

// judgeHostile lets a run or a sweep judge a target. returned is what a target returns that returns secrets.
func judgeHostile(t hostile.Target, name, token string, returned []string, flags ...string) *result {
	c := command{args: append([]string{name}, flags...), env: credentialsWith(token), folder: newFolder(),
		timeout: hostileTimeout}
	if t.ReturnsSecrets {
		c.args = append(c.args, "--config", writeFile(c.folder, "c.yaml", secretHeaders()))
	}
	r, service := hostileService(t, hostile.Options{AccessToken: token, Returned: returned}).judge(c)
	if service != nil && service.OtherOriginRequests() > 0 && r.err == nil {
		r.err = fmt.Errorf("%d requests went to another origin", service.OtherOriginRequests())
	}
	return r
}

// check asserts what holds for every hostile target, and the target's own expectations.
func (h hostileRun) check(t hostile.Target) {
	GinkgoHelper()
	report := checkRun(h.result)
	Expect(t.ExitCodes).To(ContainElement(h.exitCode), "%s\n%s", t.Sentence, h)
	for _, words := range t.Output {
		Expect(h.output()).To(ContainSubstring(words))
	}
	checkNoDefect(h.result)
	Expect(forgedLines(h.stdout, report.Verdict)).To(BeEmpty(), "on the standard output")
	Expect(forgedLines(h.stderr, report.Verdict)).To(BeEmpty(), "on the standard error")
	Expect(h.peakMemory).To(BeNumerically("<", memoryBound), "the peak of its resident memory")
	Expect(len(h.stdout)).To(BeNumerically("<", outputBound))
	Expect(unreadableFiles(h.result)).To(BeEmpty())
	if h.shown == nil {
		expectNone(h.traces)
	} else {
		Expect(h.shown).NotTo(BeEmpty(),
			"a text that is not a secret is not shown either, so the absence of secrets proves nothing\n%s", h)
	}
	failed := report.rows("fail")
	for _, id := range t.FailedRequirements {
		Expect(slices.Contains(failed, "v5 "+id) && slices.Contains(failed, "v6 "+id)).To(BeTrue(),
			"%s must fail in both versions: %s\n%s", id, t.Sentence, report)
	}
	for _, row := range report.Requirements {
		Expect(len(row.Findings)).To(BeNumerically("<=", 50))
		Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)))
	}
}
