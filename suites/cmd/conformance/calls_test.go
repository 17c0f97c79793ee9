package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

// executeCommand is the exit code of a call and what it writes. Its reports go to a folder of the test's own.
func executeCommand(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, fault bytes.Buffer
	environ = append(environ, "AUTHN_REPORT_DIR="+filepath.Join(t.TempDir(), "reports"))
	code = execute(context.Background(), args, environ, &out, &fault)
	return code, out.String(), fault.String()
}

func TestWrongCallsSayWhatWasExpected(t *testing.T) {
	for _, c := range []struct {
		args     []string
		expected string
	}{
		{[]string{"rnu"},
			`there is no command "rnu": the commands are completion, explain, history, judge, merge, openapi, plan, replay, requirements, run, serve, suggest-users, sweep, verify; did you mean run?`},
		{[]string{"x"},
			`there is no command "x": the commands are completion, explain, history, judge, merge, openapi, plan, replay, requirements, run, serve, suggest-users, sweep, verify`},
		{[]string{"run", "now"}, `run takes flags only, got "now": see conformance run --help`},
		{[]string{"merge"},
			"merge takes the report folder of each shard, or the folder that they are in, such as: conformance merge shards --report-dir whole; none was given"},
		{[]string{"verify"},
			"verify takes one report folder, such as: conformance verify conformance-report; 0 were given"},
		{[]string{"verify", "nothing"},
			"the certificate could not be checked: stat nothing: no such file or directory; name the report folder of a run, or an archive of it"},
		{[]string{"replay"},
			"replay takes one report folder, such as: conformance replay conformance-report; 0 were given"},
		{[]string{"replay", "x"},
			"the URL is missing: the target needs it; give --target-url, AUTHN_TARGET_URL or target.url in the configuration file"},
		{[]string{"history"}, "history takes report folders, such as: conformance history reports/*; none was given"},
		{[]string{"suggest-users"},
			"suggest-users takes one users file, such as: conformance suggest-users users.csv; 0 were given"},
		{[]string{"judge"},
			"judge takes one file, the evidence.har of a report folder, such as: conformance judge conformance-report/evidence.har; 0 were given"},
		{[]string{"run", "--traget-url", "x"},
			"there is no flag --traget-url: see conformance run --help; did you mean --target-url?"},
		{[]string{"run", "--access-token=secret-of-mine"},
			"there is no flag --access-token: see conformance run --help; did you mean --access-token-file?"},
		{[]string{"plan", "--jsno"}, "there is no flag --jsno: see conformance plan --help; did you mean --json?"},
		{[]string{"sweep", "--baseline", "x"}, "there is no flag --baseline: see conformance sweep --help"},
		{[]string{"run", "-target-url", "x"}, "-target-url: a flag begins with two dashes: write --target-url"},
		{[]string{"run", "-x"}, "there is no flag -x: see conformance run --help"},
		{[]string{"openapi", "--format", "xml"}, `--format: expected yaml or json, got "xml"`},
		{[]string{"openapi", "--target-url", "x"},
			"--target-url: does not begin with http:// or https://: expected a URL such as https://host/prefix"},
		{[]string{"explain", "2.1/Createdon"},
			`"2.1/Createdon" is not a requirement: list the ids with conformance requirements; did you mean 2.1/CreatedOn, 2.1/CreatedBy?`},
		{[]string{"run", "--rate"}, "--rate needs a value: give it as --rate NUMBER"},
		{[]string{"run", "--verbose=yes"}, `--verbose: expected true or false, got "yes"`},
		{[]string{"run", "--=x"}, `"--=x" is no flag, expected --NAME or --NAME=VALUE: see conformance run --help`},
	} {
		g := NewWithT(t)
		code, stdout, stderr := executeCommand(t, nil, c.args...)
		g.Expect(code).To(Equal(exitError), "%q", c.args)
		g.Expect(stdout).To(BeEmpty(), "%q", c.args)
		g.Expect(stderr).To(Equal("error: "+c.expected+"\n"), "%q", c.args)
	}
}

func TestEveryErrorHasALineOfItsOwn(t *testing.T) {
	_, _, stderr := executeCommand(t, []string{"AUTHN_X=1", "AUTHN_Y=2"}, "run", "--rate", "x", "--timeout", "1")
	NewWithT(t).Expect(stderr).To(MatchRegexp("^(error: [^\n]+\n){4}$"))

	var out bytes.Buffer
	(&app{stderr: &out}).printFaults(errors.Join(errors.New("a\nb"),
		errors.Join(fmt.Errorf("c: %w", errors.Join(errors.New("d"), errors.New("e"))))))
	NewWithT(t).Expect(out.String()).To(Equal("error: a\n  b\nerror: c: d\n  e\n"))
}

func TestVersionNamesTheCommit(t *testing.T) {
	code, stdout, _ := executeCommand(t, nil, "--version")
	NewWithT(t).Expect(code).To(BeZero())
	NewWithT(t).Expect(stdout).To(MatchRegexp(
		"^conformance version %s, (commit [0-9a-f]+(\\+changed)?|of an unknown commit)\n$",
		regexp.QuoteMeta(report.Version)))
}

func TestRequirementsAreListedAsJSON(t *testing.T) {
	g := NewWithT(t)
	contract := testkit.Contract()
	code, stdout, stderr := executeCommand(t, nil, "requirements", "--json")
	g.Expect(code).To(BeZero(), stderr)
	var listed struct {
		Contract     string
		Requirements []map[string]any
	}
	g.Expect(json.Unmarshal([]byte(stdout), &listed)).To(Succeed())
	g.Expect(listed.Contract).To(Equal(contract.Digest))
	g.Expect(listed.Requirements).To(HaveLen(len(contract.Requirements)))
	for i, r := range contract.Requirements {
		g.Expect(listed.Requirements[i]).To(And(HaveLen(8), HaveKeyWithValue("id", r.ID),
			HaveKeyWithValue("section", r.Section), HaveKeyWithValue("kind", string(r.Kind)),
			HaveKeyWithValue("operations", HaveLen(len(r.Operations))), HaveKeyWithValue("parity", r.Parity),
			HaveKeyWithValue("risk", string(r.Risk)), HaveKeyWithValue("statement", r.Statement),
			HaveKeyWithValue("reason", r.Reason)))
	}
}

func TestThePlanNeedsNoToken(t *testing.T) {
	g := NewWithT(t)
	users := filepath.Join(t.TempDir(), "users.csv")
	g.Expect(os.WriteFile(users, []byte("id,userId\nfbc1af89-7d69-4938-84f7-18fd250c67f3,somebody\n"), 0o600)).To(
		Succeed())
	code, stdout, stderr := executeCommand(t, nil, "plan", "--json", "--target-url", "https://access.example",
		"--users",
		users)
	g.Expect(code).To(BeZero(), stderr)
	g.Expect(stdout).To(And(
		HavePrefix("{\n  \"requests\": [\n    {\n      \"exchange\": \"e1\",\n      \"risk\": \"read\",\n      \"operation\": \"getUserAuth\",\n      \"version\": \"v5\",\n      \"userId\": \"somebody\","),
		ContainSubstring(`\"AccessToken\":\"$AUTHN_ACCESS_TOKEN\",\"ApplicationId\":\"$AUTHN_APPLICATION_ID\"}"`),
		MatchRegexp(`"count": [0-9]+\n}\n$`)))
}

func TestOpenAPIHasTheServersOfTheSettings(t *testing.T) {
	g := NewWithT(t)
	code, stdout, stderr := executeCommand(t, []string{"AUTHN_TARGET_URL=https://access.example"}, "openapi")
	g.Expect(code).To(BeZero(), stderr)
	g.Expect(stdout).To(And(HavePrefix("openapi: 3.1.1\n"),
		ContainSubstring("\nservers:\n- url: https://access.example\n")))
	code, stdout, _ = executeCommand(t, nil, "openapi", "--format", "json", "--versions", "v6")
	g.Expect(code).To(BeZero())
	var document struct{ Paths map[string]any }
	g.Expect(json.Unmarshal([]byte(stdout), &document)).To(Succeed())
	g.Expect(document.Paths).To(And(HaveLen(2), HaveKey("/api/v6/authenticator/getUserAuth")))
}

func TestExplainWithoutAnIDListsTheSections(t *testing.T) {
	g := NewWithT(t)
	code, stdout, stderr := executeCommand(t, nil, "explain")
	g.Expect(code).To(BeZero(), stderr)
	g.Expect(stdout).To(And(ContainSubstring("§2.1  Authenticator record"), ContainSubstring("§9.3")))
}

func TestExplainTakesIDsAndPatterns(t *testing.T) {
	g := NewWithT(t)
	code, stdout, stderr := executeCommand(t, nil, "explain", "2.2/Model", "5.1/*")
	g.Expect(code).To(BeZero(), stderr)
	g.Expect(stdout).To(And(HavePrefix("2.2/Model (§2.2 Device object)\n"),
		MatchRegexp("(?s)\n\n5.1/getUserAuth/token .*\n\n5.1/findByUserIds/token ")))
}

func TestTheShellCompletesIDs(t *testing.T) {
	g := NewWithT(t)
	code, stdout, stderr := executeCommand(t, nil, "__complete", "explain", "2.1/Cr")
	g.Expect(code).To(BeZero(), stderr)
	g.Expect(stdout).To(And(ContainSubstring("\n2.1/CreatedOn\tCreatedOn, if present"), HaveSuffix(":4\n")))
}
