package selftest_test

import (
	"path/filepath"
	"strings"
)

// faultyCall is a call of the binary that can't be carried out as a setting is missing, wrong or unknown. In its texts
// {target} stands for the URL of a right service, and {users} for the users file that fits it.
type faultyCall struct {
	name    string
	args    []string          // the name of the command first
	env     []string          // the whole environment
	files   map[string]string // in the working folder, content by path
	words   []string          // that the message must contain
	reports string            // the report folder; "" means the default one
	// unreported means that no report can be written.
	unreported bool
	// whileSweeping means that the fault is found after the sweep has begun, and is reported by its summary.
	whileSweeping bool
}

// faultyResult is what a faulty call left.
type faultyResult struct {
	*result
	requests int64 // that reached the target
}

// onTarget lists the arguments of a run against a right service, and sweepTarget those of a sweep. More flags may
// follow.
func onTarget(more ...string) []string    { return onTargetOf("run", more) }
func sweepTarget(more ...string) []string { return onTargetOf("sweep", more) }

func onTargetOf(command string, more []string) []string {
	return append([]string{command, "--target-url", "{target}", "--users", "{users}"}, more...)
}

// reportFolder returns the folder in which the call should report its fault.
func (f faultyCall) reportFolder(working string) string {
	if f.reports == "" {
		return filepath.Join(working, defaultReports)
	}
	return filepath.Join(working, f.reports)
}

// run makes the call where an earlier run and an earlier sweep passed.
func (f faultyCall) run() faultyResult {
	t := startTarget(reference(knownUsers()))
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
