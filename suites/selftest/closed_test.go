package selftest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// slip is a call that must not begin its run: a setting is missing, wrong or unknown. In its texts {target} stands for the
// URL of a right service, and {users} for the users file that fits it.
type slip struct {
	name  string
	args  []string          // after "run"
	env   []string          // beside nothing
	files map[string]string // in the working folder
	says  []string          // what the message names
	// reports is the report folder; "" means the one that is used where none is named.
	reports string
	// unwritable tells that there is no folder that a report could be written to.
	unwritable bool
}

// full are the settings of a run against a remote target; more of them follow.
func full(more ...string) []string {
	return append([]string{"--target-url", "{target}", "--users", "{users}"}, more...)
}

// closedSpecs shows that nothing that goes wrong in a run reads as green.
func closedSpecs(r *rig) {
	type closed struct {
		*outcome
		requests int64
	}
	list := slices.Concat(settingSlips(), valueSlips(), fileSlips(), usersSlips(), filterSlips(), folderSlips())
	slices.SortFunc(list, func(a, b slip) int { return strings.Compare(a.name, b.name) })
	var jobs []func() closed
	for _, s := range list {
		jobs = append(jobs, func() closed {
			o, requests := s.make(r)
			return closed{o, requests}
		})
	}
	results := runAhead(r, jobs...)

	Describe("A run that can't begin", func() {
		for i, s := range list {
			It(s.name, func() {
				o := results.result(i)
				Expect(o.err).NotTo(HaveOccurred())
				Expect(o.expired).To(BeFalse())
				Expect(o.code).To(Equal(2), o.said())
				Expect(o.requests).To(BeZero(), "a request was sent")
				Expect(o.stdout).To(BeEmpty())
				Expect(o.stderr).To(HavePrefix("error: "))
				Expect(odd(o.stderr)).To(BeEmpty())
				for _, words := range s.says {
					Expect(o.stderr).To(ContainSubstring(words))
				}
				Expect(o.stderr).NotTo(ContainSubstring("panic"))
				Expect(o.stderr).NotTo(ContainSubstring("defect"))
				if s.unwritable {
					return
				}
				replaced(filepath.Join(o.folder, s.folder()), s.says)
			})
		}
	})
	runningSpecs(r)
}

// defaultReports is the report folder where none is named.
const defaultReports = "conformance-report"

func (s slip) folder() string {
	if s.reports == "" {
		return defaultReports
	}
	return s.reports
}

// make calls the binary with a slip, in a folder that holds the reports of an earlier run that passed.
func (s slip) make(r *rig) (*outcome, int64) {
	var requests atomic.Int64
	right := referenceOf(knownUsers())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		right.ServeHTTP(w, request)
	}))
	defer server.Close()
	folder := r.work()
	for name, content := range s.files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return &outcome{err: err}, 0
		}
		write(folder, name, []byte(content))
	}
	if !s.unwritable {
		if err := leavePass(filepath.Join(folder, s.folder())); err != nil {
			return &outcome{err: err}, 0
		}
	}
	fill := strings.NewReplacer("{target}", server.URL, "{users}", r.users)
	var args, env []string
	for _, a := range s.args {
		args = append(args, fill.Replace(a))
	}
	for _, e := range s.env {
		env = append(env, fill.Replace(e))
	}
	o := r.call(command{args: append([]string{"run"}, args...), env: env, folder: folder})
	return o, requests.Load()
}

// What an earlier run left behind that passed.
const (
	passedReport = `{"verdict":"pass","complete":true,"error":null}`
	passedJUnit  = `<testsuites tests="1"><testsuite tests="1"><testcase name="passed"></testcase></testsuite></testsuites>`
)

func leavePass(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	write(folder, "report.json", []byte(passedReport))
	write(folder, "junit.xml", []byte(passedJUnit))
	return nil
}

// replaced asserts that the reports of the run that passed have given way to an error that names the culprit.
func replaced(folder string, says []string) {
	GinkgoHelper()
	report, err := readReport(folder)
	Expect(err).NotTo(HaveOccurred())
	Expect(report.Verdict).To(Equal("error"))
	Expect(report.Complete).To(BeFalse())
	Expect(report.Error).NotTo(BeNil())
	for _, words := range says {
		Expect(*report.Error).To(ContainSubstring(words))
	}
	j, err := readJUnit(folder)
	Expect(err).NotTo(HaveOccurred())
	cases, errors, failures, skipped := j.count()
	Expect([]int{errors, failures}).To(Equal([]int{1, 0}), "junit.xml has %d cases, %d skipped", cases, skipped)
}

// settingSlips leave out, misname or double settings.
func settingSlips() []slip {
	with := credentials()
	list := []slip{
		{name: "an unknown flag", args: full("--tagret-url", "http://127.0.0.1:1"), env: with, says: []string{"--tagret-url"}},
		{name: "an unknown flag with =", args: full("--baselin=x"), env: with, says: []string{"--baselin"}},
		{name: "an unknown short flag", args: full("-x"), env: with, says: []string{"-x"}},
		{name: "an argument", args: full("now"), env: with, says: []string{"now"}},
		{name: "a flag without its value", args: full("--ca"), env: with, says: []string{"--ca"}},
		{name: "a flag given twice", args: full("--versions", "v5", "--versions", "v6"), env: with, says: []string{"--versions", "2 times"}},
		{name: "an unknown variable", args: full(), env: append(with, "AUTHN_TARGET_URI=x"), says: []string{"AUTHN_TARGET_URI", "AUTHN_TARGET_URL"}},
		{name: "an unknown variable that is empty", args: full(), env: append(with, "AUTHN_TOKEN="), says: []string{"AUTHN_TOKEN"}},
		{name: "a variable of a setting that has none", args: full(), env: append(with, "AUTHN_LABEL_FILTER=read"), says: []string{"AUTHN_LABEL_FILTER", "--label-filter"}},
		{name: "an unknown variable on the embedded reference", env: []string{"AUTHN_USER=x"}, says: []string{"AUTHN_USER"}},
		{name: "no token", args: full(), env: []string{"AUTHN_APPLICATION_ID=a"}, says: []string{"AUTHN_ACCESS_TOKEN", "--access-token-file", "target.accessTokenFile"}},
		{name: "no application id", args: full(), env: []string{"AUTHN_ACCESS_TOKEN=t"}, says: []string{"AUTHN_APPLICATION_ID", "--application-id", "target.applicationId"}},
		{name: "no users", args: []string{"--target-url", "{target}"}, env: with, says: []string{"AUTHN_USERS", "--users"}},
		{name: "nothing but a URL", args: []string{"--target-url", "{target}"}, says: []string{"AUTHN_ACCESS_TOKEN", "AUTHN_APPLICATION_ID", "AUTHN_USERS"}},
		{name: "a URL for one version of two", args: []string{"--target-url-v5", "{target}", "--users", "{users}"}, env: with, says: []string{"v6", "--target-url"}},
		{name: "two tokens", args: full(), env: append(with, "AUTHN_ACCESS_TOKEN_FILE=token"), files: map[string]string{"token": "t"}, says: []string{"AUTHN_ACCESS_TOKEN", "AUTHN_ACCESS_TOKEN_FILE"}},
		{name: "a token file that is missing", args: full("--access-token-file", "token"), env: []string{"AUTHN_APPLICATION_ID=a"}, says: []string{"--access-token-file"}},
		{name: "a token file that is empty", args: full("--access-token-file", "token"), env: []string{"AUTHN_APPLICATION_ID=a"}, files: map[string]string{"token": "\n"}, says: []string{"--access-token-file"}},
		{name: "a token file of two lines", args: full("--access-token-file", "token"), env: []string{"AUTHN_APPLICATION_ID=a"}, files: map[string]string{"token": "one\ntwo\n"}, says: []string{"--access-token-file"}},
		{name: "a token that is no UTF-8", args: full(), env: []string{"AUTHN_APPLICATION_ID=a", "AUTHN_ACCESS_TOKEN=\xff"}, says: []string{"AUTHN_ACCESS_TOKEN", "UTF-8"}},
		{name: "a CA that is missing", args: full("--ca", "ca.pem"), env: with, says: []string{"--ca", "ca.pem"}},
		{name: "a CA that is no PEM", args: full("--ca", "ca.pem"), env: with, files: map[string]string{"ca.pem": "certificate"}, says: []string{"--ca", "ca.pem"}},
		{name: "a CA that is damaged", args: full("--ca", "ca.pem"), env: with, files: map[string]string{"ca.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, says: []string{"--ca", "ca.pem"}},
		{name: "a CA that is a folder", args: full("--ca", "."), env: with, says: []string{"--ca"}},
		{name: "a client certificate without its key", args: full("--client-cert", "c.pem"), env: with, files: map[string]string{"c.pem": "x"}, says: []string{"--client-cert", "--client-key"}},
		{name: "a client key without its certificate", args: full("--client-key", "c.key"), env: with, files: map[string]string{"c.key": "x"}, says: []string{"--client-key", "--client-cert"}},
		{name: "a client key that can't be read", args: full("--client-cert", "c.pem", "--client-key", "c.key"), env: with, files: map[string]string{"c.pem": "x"}, says: []string{"--client-key", "c.key"}},
		{name: "a client certificate that is none", args: full("--client-cert", "c.pem", "--client-key", "c.key"), env: with, files: map[string]string{"c.pem": "x", "c.key": "x"}, says: []string{"--client-cert", "--client-key"}},
	}
	// A variable that a pipeline left blank must not fall back to a default: the reference would be judged instead.
	for _, name := range []string{"AUTHN_TARGET_URL", "AUTHN_TARGET_URL_V5", "AUTHN_ACCESS_TOKEN", "AUTHN_ACCESS_TOKEN_FILE", "AUTHN_APPLICATION_ID", "AUTHN_CA",
		"AUTHN_CLIENT_CERT", "AUTHN_CLIENT_KEY", "AUTHN_USERS", "AUTHN_VERSIONS", "AUTHN_CONFIG", "AUTHN_CONCURRENCY", "AUTHN_RATE", "AUTHN_TIMEOUT", "AUTHN_DEADLINE",
		"AUTHN_PARITY", "AUTHN_DIVERGENCE", "AUTHN_BASELINE", "AUTHN_REPORT_DIR"} {
		list = append(list, slip{name: "an empty " + name, env: []string{name + "="}, says: []string{name, "empty"}})
	}
	for _, flag := range []string{"target-url", "target-url-v6", "application-id", "users", "versions", "label-filter", "focus", "baseline", "config", "report-dir", "timeout"} {
		list = append(list, slip{name: "an empty --" + flag, args: []string{"--" + flag, ""}, says: []string{"--" + flag, "empty"}})
	}
	return append(list, slip{name: "a variable of white space", env: []string{"AUTHN_TARGET_URL= \t"}, says: []string{"AUTHN_TARGET_URL"}})
}

// valueSlips are out of their range or of no form.
func valueSlips() []slip {
	var list []slip
	for flag, values := range map[string][]string{
		"target-url": {"127.0.0.1:8080", "localhost", "ftp://127.0.0.1/", "http://", "http:///path", "http:127.0.0.1", "{target}?x=1", "{target}/?", "{target}#top",
			"http://user:secret@127.0.0.1/", "http://user@127.0.0.1/", "http://127.0.0.1:0", "http://127.0.0.1:99999", "http://127.0.0.1:port", "http://127.0.0.1:",
			"{target} ", "{target}/a b", "http://[::1", "HTTP", "{target}\n", "{target}/%zz", "http://%41"},
		"versions":    {"v4", "v5,v4", "v5,v5", "5", "v5 v6", "v5,", "all", "V5"},
		"concurrency": {"0", "-1", "1.5", "abc", "257", "1e2", "8 8"},
		"rate":        {"-1", "NaN", "Inf", "-Inf", "abc", "0.001", "1/s"},
		"timeout":     {"0", "0s", "-1s", "10", "10m1s", "abc", "1d"},
		"deadline":    {"0s", "-1h", "30", "24h1s", "abc"},
		"parity":      {"values", "Value", "none"},
		"divergence":  {"yes", "Fail"},
		"baseline":    {"missing.json"},
		"config":      {"missing.yaml"},
	} {
		for _, value := range values {
			args := full("--"+flag, value)
			if flag == "target-url" {
				args = []string{"--target-url", value, "--users", "{users}"}
			}
			list = append(list, slip{name: fmt.Sprintf("--%s %q", flag, value), args: args, env: credentials(), says: []string{"--" + flag}})
		}
	}
	return append(list,
		slip{name: "a value of a variable", args: full(), env: append(credentials(), "AUTHN_CONCURRENCY=0"), says: []string{"AUTHN_CONCURRENCY"}},
		slip{name: "a URL of one version", args: full("--target-url-v6", "ftp://x"), env: credentials(), says: []string{"--target-url-v6"}})
}
