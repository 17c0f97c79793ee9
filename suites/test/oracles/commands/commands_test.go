package commands_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/testscript"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/testkit"
)

// binFolder has the binary, which is found in it by the scripts' PATH.
var binFolder string

// TestCommands builds the binary as it ships and runs the scripts.
func TestCommands(t *testing.T) {
	RegisterFailHandler(Fail)
	binFolder = t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", binFolder, "./suites/cmd/conformance")
	build.Dir, build.Env = filepath.Join("..", "..", "..", ".."), append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	RunSpecs(t, "commands")
}

// Each script is a spec. The comment on its first line is the spec's text.
var _ = Describe("The command", func() {
	scripts, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		panic(fmt.Sprintf("there are no scripts: %v", err))
	}
	for _, script := range scripts {
		content, err := os.ReadFile(script)
		if err != nil {
			panic(err)
		}
		sentence, _, _ := strings.Cut(strings.TrimPrefix(string(content), "# "), "\n")
		It(sentence, func() {
			testscript.RunT(spec{GinkgoTB()}, testscript.Params{Files: []string{script}, Setup: setUp,
				UpdateScripts: *testkit.UpdateGolden,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"serve": startService, "exits": checkExit,
					"refused": checkRefusal, "interrupted": interruptCommand,
					"reports": checkReports, "requests": countRequests, "passed-earlier": passedEarlier}})
		})
	}
})

// spec is what package testscript needs of a test.
type spec struct{ testing.TB }

func (s spec) Run(_ string, script func(testscript.T)) { script(s) }
func (spec) Parallel()                                 {}
func (spec) Verbose() bool                             { return false }

// state is what the commands of a script know of the service that it started, and of the last call of the binary.
type state struct {
	service  *kit.Running // nil before serve
	exitCode int
}

type stateKey struct{}

func stateOf(ts *testscript.TestScript) *state { return ts.Value(stateKey{}).(*state) }

// setUp gives a script the binary, the credentials and users of the fixtures, and control characters.
func setUp(e *testscript.Env) error {
	users := filepath.Join(e.WorkDir, "of-the-fixtures.ndjson")
	if err := os.WriteFile(users, testkit.UsersNDJSON(), 0o600); err != nil {
		return err
	}
	for _, pair := range [][2]string{{"PATH", binFolder + string(os.PathListSeparator) + e.Getenv("PATH")},
		{"TOKEN", fixtures.AccessToken}, {"APPLICATION", fixtures.ApplicationID}, {"USERS", users},
		{"CONTROLS", "\x1b[31m\u202e\x07"}, {"SECRET", secret}} {
		e.Setenv(pair[0], pair[1])
	}
	e.Values[stateKey{}] = &state{}
	return nil
}

// startService starts the reference, or the mutant that is named, until the script ends. TARGET is its URL, and the
// credentials are in the environment.
//
//	serve reference|MUTANT
func startService(ts *testscript.TestScript, _ bool, args []string) {
	handler := kit.Reference(kit.Users(), fixtures.AccessToken)
	if name := args[0]; name != "reference" {
		m, found := mutants.Find(name)
		if !found {
			ts.Fatalf("there is no mutant %q", name)
		}
		handler = m.Handler(handler)
	}
	var url string
	running, err := kit.Start(ts.Getenv("WORK"), func(r *kit.Running) (err error) {
		url, err = r.ServePlain(handler)
		return err
	})
	ts.Check(err)
	ts.Defer(running.Close)
	stateOf(ts).service = running
	ts.Setenv("TARGET", url)
	ts.Setenv("AUTHN_ACCESS_TOKEN", fixtures.AccessToken)
	ts.Setenv("AUTHN_APPLICATION_ID", fixtures.ApplicationID)
}

// secret is what scripts put into wrong places.
const secret = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"

// checkExit runs a command and checks its exit code, that its streams have nothing that controls a terminal and no
// defect of the suite, and that neither they nor the report folder have a part of secret.
//
//	exits CODE COMMAND ARGUMENT…
func checkExit(ts *testscript.TestScript, _ bool, args []string) {
	expected, err := strconv.Atoi(args[0])
	ts.Check(err)
	s := stateOf(ts)
	s.exitCode = 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := new(exec.ExitError)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		s.exitCode = exit.ExitCode()
	}
	if s.exitCode != expected {
		ts.Fatalf("exit code %d, expected %d", s.exitCode, expected)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if found := forbidden.FindString(ts.ReadFile(stream)); found != "" {
			ts.Fatalf("%q in %s", found, stream)
		}
	}
	files, err := filepath.Glob(ts.MkAbs("conformance-*/*"))
	ts.Check(err)
	for _, name := range append(files, "stdout", "stderr") {
		for i := range len(secret) - 11 {
			if strings.Contains(ts.ReadFile(name), secret[i:i+12]) {
				ts.Fatalf("a part of the secret in %s", name)
			}
		}
	}
}

// forbidden are control and bidirectional characters, invalid UTF-8, and the words of a defect.
var forbidden = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}` +
	`\x{2066}-\x{2069}\x{fffd}]|panic|defect|goroutine`)

// checkReports checks the report of a run or a sweep in a folder: its verdict, that of the last exit code, that
// junit.xml says an error if and only if it is one, and words in the error.
//
//	reports FOLDER VERDICT [WORDS…]
func checkReports(ts *testscript.TestScript, _ bool, args []string) {
	folder, verdict, words := args[0], args[1], args[2:]
	name := "report.json"
	if _, err := os.Stat(ts.MkAbs(filepath.Join(folder, "sweep.json"))); err == nil {
		name = "sweep.json"
	}
	var r struct {
		Verdict  string
		Complete bool
		Error    *string
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(folder, name))), &r))
	isError := verdict == "error"
	codes := []string{"pass", "fail", "error", "inconclusive"}
	code := slices.Index(codes, verdict)
	if stateOf(ts).exitCode == 4 { // a signal stopped a sweep
		code = 4
	}
	if r.Verdict != verdict || stateOf(ts).exitCode != code ||
		(r.Error != nil) != isError || isError && r.Complete {
		ts.Fatalf("%s says %+v, expected %s, exit code %d", name, r, verdict, code)
	}
	for _, text := range words {
		if !strings.Contains(*r.Error, text) {
			ts.Fatalf("%q is not in the error: %s", text, *r.Error)
		}
	}
	if name == "report.json" && strings.Contains(ts.ReadFile(filepath.Join(folder, "junit.xml")), "<error") != isError {
		ts.Fatalf("junit.xml does not agree with %s", verdict)
	}
}

// passedEarlier writes the reports of an earlier command that passed: of the one whose default folder it is, else of a
// run.
//
//	passed-earlier FOLDER
func passedEarlier(ts *testscript.TestScript, _ bool, args []string) {
	command := map[string]string{"conformance-sweep": "sweep", "conformance-judged": "judge",
		"conformance-merged": "merge"}[args[0]]
	passed := `{
  "command": "` + cmp.Or(command, "run") + `",
  "verdict": "pass", "complete": true, "error": null}`
	files := map[string]string{"report.json": passed, "junit.xml": `<testsuites tests="1"><testsuite tests="1">` +
		`<testcase name="passed"></testcase></testsuite></testsuites>`,
		"evidence.har": "evidence of an earlier run", "report.html": "pass", "statement.json": "pass"}
	if command == "sweep" || command == "merge" {
		files = map[string]string{"sweep.json": passed, "sweep.html": "pass", "differences.csv": "pass"}
	}
	for name, content := range files {
		path := ts.MkAbs(filepath.Join(args[0], name))
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, []byte(content), 0o600))
	}
}

// countRequests checks how many requests the service has had.
//
//	requests COUNT
func countRequests(ts *testscript.TestScript, _ bool, args []string) {
	if sent := fmt.Sprint(stateOf(ts).service.Requests()); sent != args[0] {
		ts.Fatalf("%s requests, expected %s", sent, args[0])
	}
}

// checkRefusal checks a call that must end in an error before it sends a request. The words stand in the only
// message, on the standard error, and in the report that replaces an earlier pass in a folder; "-" if no report is
// written.
//
//	refused FOLDER|- COMMAND ARGUMENT… -- WORDS…
func checkRefusal(ts *testscript.TestScript, _ bool, args []string) {
	folder, at := args[0], len(args)-1
	for args[at] != "--" {
		at--
	}
	words := args[at+1:]
	passedAnew(ts, folder)
	checkExit(ts, false, slices.Concat([]string{"2"}, args[1:at]))
	message := ts.ReadFile("stderr")
	for _, text := range words {
		if !strings.Contains(message, text) {
			ts.Fatalf("%q is not in the message: %s", text, message)
		}
	}
	printed := ts.ReadFile("stdout")
	if !strings.HasPrefix(message, "error: ") || strings.Contains(message, "::") || !lastLines.MatchString(printed) {
		ts.Fatalf("there is something else than the message on the streams")
	}
	checkReplaced(ts, folder, words)
	if s := stateOf(ts); s.service != nil && s.service.Requests() > 0 {
		ts.Fatalf("%d requests were sent", s.service.Requests())
	}
}

// lastLines matches what a command without a result prints on standard output.
var lastLines = regexp.MustCompile(`\A((reports: [^\n]+\n)?verdict: error: [^\n]+\n)?\z`)

// interruptCommand checks a command that a signal ends while it reads a pipe: its exit code, the only message, and
// the report that replaces an earlier pass in a folder; "-" if no report is written. The pipe is opened to write,
// which waits until the command reads it.
//
//	interrupted CODE FOLDER|- PIPE COMMAND ARGUMENT…
func interruptCommand(ts *testscript.TestScript, _ bool, args []string) {
	code, folder, pipe, command := args[0], args[1], args[2], args[3:]
	passedAnew(ts, folder)
	checkExit(ts, false, slices.Concat([]string{code, "sh", "-c", `"$@" & exec 3> "$0"; kill -TERM $!; wait $!`, pipe},
		command))
	const message = "error: interrupted by SIGTERM before the run had ended; run again\n"
	if found := ts.ReadFile("stderr"); found != message {
		ts.Fatalf("the message is %q, expected %q", found, message)
	}
	checkReplaced(ts, folder, []string{"interrupted"})
}

// passedAnew leaves nothing in a folder but the reports of an earlier pass.
func passedAnew(ts *testscript.TestScript, folder string) {
	if folder != "-" {
		ts.Check(os.RemoveAll(ts.MkAbs(folder)))
		passedEarlier(ts, false, []string{folder})
	}
}

// checkReplaced checks that a command has replaced the reports of an earlier pass by an error with these words.
func checkReplaced(ts *testscript.TestScript, folder string, words []string) {
	if folder == "-" {
		return
	}
	checkReports(ts, false, slices.Concat([]string{folder, "error"}, words))
}
