package selftest_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/kit"
)

// What no hostile target may exceed: the resident memory of a run, and its standard output, in bytes. The memory limit
// of Go's runtime is lower, but soft: on a busy machine the collector runs late.
const (
	memoryBound = 768 << 20
	outputBound = 4 << 20
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
	return fmt.Sprintf("target:\n  headers:\n    X-Tenant: %q\n    Authorization: %q\n    X-Caller: %q\n", headerValue,
		"Bearer "+bearer, "Basic "+base64.StdEncoding.EncodeToString([]byte("caller:"+password)))
}

// hostileNamed finds a hostile target by its name. It panics if there is none.
func hostileNamed(name string) hostile.Target {
	list := hostile.All()
	return list[slices.IndexFunc(list, func(t hostile.Target) bool { return t.Name == name })]
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
		r := judgeHostile(t, plainToken, []string{other})
		list = append(list, hostileRun{result: r, shown: append([]string{}, tracesIn(r, deepest, other)...)})
	}
	return list
}

// runHostile is a run against a target with a token. A target that returns secrets returns the token and the headers.
func runHostile(t hostile.Target, token string) hostileRun {
	secrets, depth := append(headerSecrets(), token), deepest
	if !t.ReturnsSecrets {
		// Reports may contain the rest of the token, because it consists of words.
		secrets, depth = []string{token[strings.LastIndex(token, "-")+1:]}, ofFiles
	}
	r := judgeHostile(t, token, secrets)
	return hostileRun{result: r, traces: tracesIn(r, depth, secrets...)}
}

// judgeHostile lets a run judge a target. returned is what a target returns that returns secrets.
func judgeHostile(t hostile.Target, token string, returned []string) *result {
	c := command{env: credentialsWith(token), folder: newFolder()}
	running, err := t.Start(c.folder, hostile.Options{AccessToken: token, Returned: returned})
	if err != nil {
		return &result{err: err}
	}
	defer running.Close()
	var users []map[string]any
	for _, u := range t.Users() {
		users = append(users, map[string]any{"id": u.ID, "userId": u.UserID, "enrolled": u.Enrolled, "name": u.Name})
	}
	file := writeFile(c.folder, "users.json", string(kit.Encode(users)))
	c.args = slices.Concat([]string{"run", "--users", file}, running.Arguments, t.Flags)
	if t.ReturnsSecrets {
		c.args = append(c.args, "--config", writeFile(c.folder, "c.yaml", secretHeaders()))
	}
	if t.Heavy && slices.Equal(t.ExitCodes, []int{1}) {
		// All its answers are alike, and each costs up to a second. Package proof sends what must be refused, too.
		c.args = append(c.args, "--label-filter", "!negative && !auth-failure")
	}
	r := c.runUnchecked()
	if n := running.OtherOriginRequests(); n > 0 {
		r.err = errors.Join(r.err, fmt.Errorf("%d requests went to another origin", n))
	}
	return r
}

// checkAgainst expects what holds for every hostile target, and the target's own expectations.
func (h hostileRun) checkAgainst(t hostile.Target) {
	GinkgoHelper()
	h.expectClean()
	report := checkRun(h.result)
	Expect(t.ExitCodes).To(ContainElement(h.exitCode), "%s\n%s", t.Sentence, h)
	for _, words := range t.Output {
		Expect(h.allOutput()).To(ContainSubstring(words))
	}
	Expect(forgedLines(h.stdout, report.Verdict)).To(BeEmpty(), "on the standard output")
	Expect(forgedLines(h.stderr, report.Verdict)).To(BeEmpty(), "on the standard error")
	Expect(h.peakMemory).To(BeNumerically("<", memoryBound), "the peak of its resident memory")
	Expect(len(h.stdout)).To(BeNumerically("<", outputBound))
	for name, content := range filesIn(h.reportFolder()) {
		Expect(checkFile(name, []byte(content))).To(Succeed(), name)
	}
	if h.shown == nil {
		expectNone(h.traces)
	} else {
		Expect(h.shown).NotTo(BeEmpty(),
			"a text that is not a secret is not shown either, so the absence of secrets proves nothing\n%s", h)
	}
	for _, id := range t.FailedRequirements {
		Expect(report.rowsOf("fail")).To(ContainElements("v5 "+id, "v6 "+id), "%s\n%s", t.Sentence, h)
	}
	for _, row := range report.Requirements {
		Expect(len(row.Findings)).To(BeNumerically("<=", 50))
		Expect(row.FindingCount).To(BeNumerically(">=", len(row.Findings)))
	}
}

// checkFile checks, by its extension, that a file is well-formed and that nothing in it is active when it is shown.
// Evidence contains exactly what the target sent. suites/test/oracles reads the other formats with libraries of their
// own.
func checkFile(name string, content []byte) error {
	var err error
	switch filepath.Ext(name) {
	case ".json", ".har":
		if !json.Valid(content) || !utf8.Valid(content) {
			err = errors.New("no JSON")
		}
		if filepath.Ext(name) == ".har" {
			return err
		}
	case ".xml":
		err = xml.Unmarshal(content, new(struct{}))
	case ".html":
		err = checkHTML(content)
	case ".md", ".prom":
	default:
		return errors.New("checkFile has no case for files with this extension")
	}
	if list := unprintableParts(string(content)); len(list) > 0 {
		err = errors.Join(err, fmt.Errorf("unescaped %q", list))
	}
	return err
}

// checkHTML checks that a page contains nothing that a target could have inserted: no image, and no attribute that runs
// a script.
func checkHTML(content []byte) error {
	root, err := html.Parse(strings.NewReader(string(content)))
	if err != nil || strings.Contains(string(content), hostile.Markup) {
		return fmt.Errorf("unescaped %s, %w", hostile.Markup, err)
	}
	for node := range root.Descendants() {
		isActive := func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "on") }
		if node.Type == html.ElementNode && node.Data == "img" || slices.ContainsFunc(node.Attr, isActive) {
			return fmt.Errorf("%s with %v", node.Data, node.Attr)
		}
	}
	return nil
}

// commands are the lines that a CI server executes or that a test prints which passed.
var commands = regexp.MustCompile(`(?m)^[ \t]*(?:::|##teamcity\[|PASS$|--- PASS|ok  ).*$|^.*##(?:\[|vso\[).*$`)

// forgedLines lists the lines of a stream that a CI server would execute, or that name another verdict than the run's.
func forgedLines(stream, verdict string) []string {
	list := commands.FindAllString(stream, -1)
	for _, found := range regexp.MustCompile(`(?m)^[ \t]*verdict: (\S+) `).FindAllStringSubmatch(stream, -1) {
		if strings.TrimSuffix(found[1], ":") != verdict {
			list = append(list, found[0])
		}
	}
	return list
}

// startedJobs counts the running jobs.
var startedJobs sync.WaitGroup

// jobs start processes ahead of the specs that need their results: these run concurrently although specs run one after
// the other.
type jobs []func()

// startEarly registers work and returns a function that waits for its result, and also starts the next few jobs.
// Register in the order of the specs. The work runs in a goroutine of its own, so it must not contain assertions.
func startEarly[T any](j *jobs, work func() T) (result func() T) {
	var value T
	next, done := len(*j), make(chan struct{})
	*j = append(*j, sync.OnceFunc(func() {
		startedJobs.Go(func() {
			defer close(done)
			value = work()
		})
	}))
	return func() T {
		for _, start := range (*j)[next:min(next+max(4, runtime.NumCPU()), len(*j))] {
			start()
		}
		<-done
		return value
	}
}
