package selftest_test

import (
	"path/filepath"
	"strings"

	"authenticator-conformance/fixtures/kit"
)

// faultyCall is a call of the binary with a setting that is missing, wrong or unknown. In its texts {target} is
// replaced by the URL of the reference, and {users} by its users file.
type faultyCall struct {
	name    string
	args    []string          // the name of the command first
	env     []string          // the whole environment
	files   map[string]string // in the working folder, content by path
	words   []string          // that the message must contain
	reports string            // the report folder; "" means the default one
	// unreported means that no report is written.
	unreported bool
	// whileSweeping means that the fault is found only after the sweep has begun.
	whileSweeping bool
}

// faultyResult is the result of a faulty call.
type faultyResult struct {
	*result
	requests int64 // that reached the target
}

// onTarget returns the arguments of a run against the reference, and sweepTarget those of a sweep. More flags may be
// added.
func onTarget(more ...string) []string    { return argumentsFor("run", more) }
func sweepTarget(more ...string) []string { return argumentsFor("sweep", more) }

func argumentsFor(command string, more []string) []string {
	return append([]string{command, "--target-url", "{target}", "--users", "{users}"}, more...)
}

// reportFolder returns the folder in which the call should report its fault.
func (f faultyCall) reportFolder(working string) string {
	if f.reports == "" {
		return filepath.Join(working, defaultReports)
	}
	return filepath.Join(working, f.reports)
}

// run makes the call. The report folder contains the reports of an earlier run and an earlier sweep that passed.
func (f faultyCall) run() faultyResult {
	t := startTarget(referenceFor(kit.Users()))
	defer t.Close()
	folder := newFolder()
	if !f.unreported {
		writePass(f.reportFolder(folder))
		writeFile(f.reportFolder(folder), sweepJSON, `{"format":"1.0","verdict":"pass","complete":true,"error":null}`)
	}
	for name, content := range f.files {
		writeFile(folder, name, content)
	}
	fill := strings.NewReplacer("{target}", t.URL, "{users}", usersFile)
	c := command{folder: folder}
	for _, text := range f.args {
		c.args = append(c.args, fill.Replace(text))
	}
	for _, text := range f.env {
		c.env = append(c.env, fill.Replace(text))
	}
	return faultyResult{c.run(), t.requests.Load()}
}
