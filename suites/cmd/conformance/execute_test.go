package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

const usualFolder = "conformance-report"

// leavePassedReports puts the reports of an earlier run and sweep that passed into a working folder of the test's own.
func leavePassedReports(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir(usualFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.json", "sweep.json"} {
		if err := os.WriteFile(filepath.Join(usualFolder, name), []byte(`{"verdict": "pass"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// reportsOf is what stands in the reports of a command; "" for one without reports.
func reportsOf(t *testing.T, command string) string {
	t.Helper()
	name := map[string]string{"run": "report.json", "judge": "report.json", "sweep": "sweep.json",
		"merge": "sweep.json"}[command]
	if name == "" {
		return ""
	}
	content, err := os.ReadFile(filepath.Join(usualFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// callCommand executes a command line.
func callCommand(ctx context.Context, stdout io.Writer, args ...string) (code int, stderr string) {
	var reported bytes.Buffer
	code = execute(ctx, args, nil, stdout, &reported)
	return code, reported.String()
}

func TestTheValueOfAFlagIsNoCallForHelp(t *testing.T) {
	for _, line := range []string{
		"run --label-filter --help", "run --label-filter -h", "run --users -h", "sweep --users -h",
		"sweep --users --help", "run --config -h",
		"judge --baseline -h", "merge --report-dir conformance-report -- -h", "run --nonsense --help", "run -- --help",
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			leavePassedReports(t)
			args := strings.Fields(line)
			code, stderr := callCommand(t.Context(), io.Discard, args...)
			g.Expect(code).To(Equal(exitError))
			g.Expect(stderr).To(HavePrefix("error: "))
			g.Expect(reportsOf(t, args[0])).To(ContainSubstring(`"verdict": "error"`))
		})
	}
}

func TestHelpTouchesNoReport(t *testing.T) {
	for _, line := range []string{"run --help", "run -h", "help run", "sweep --users x -h", "judge --help",
		"merge -h"} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			leavePassedReports(t)
			var stdout bytes.Buffer
			code, stderr := callCommand(t.Context(), &stdout, strings.Fields(line)...)
			g.Expect(code).To(Equal(exitPass), stderr)
			g.Expect(stdout.String()).To(ContainSubstring("Usage:"))
			g.Expect(reportsOf(t, "run") + reportsOf(t, "sweep")).NotTo(ContainSubstring("error"))
		})
	}
}
