package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
)

// TestInputsInTheReportFolderAreNotReplaced names the reports of a run, or its folder, as what is read.
func TestInputsInTheReportFolderAreNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	conformance := func(args ...string) (code int, shown string) {
		var out bytes.Buffer
		return callProgram(args, nil, &out, &out), out.String()
	}
	_, shown := conformance("run")
	kept := readAll(g, "conformance-report")
	g.Expect(len(kept)).To(BeNumerically(">", 5), shown)
	g.Expect(os.WriteFile("file.yaml", []byte("baseline: conformance-report/report.json\n"), 0o600)).To(Succeed())
	for _, args := range [][]string{
		{"run", "--config", "file.yaml"},
		{"run", "--baseline", "conformance-report/report.json"},
		{"run", "--recorded", "v5=conformance-report"},
		{"run", "--recorded", "v5=conformance-report/evidence.har"},
		{"run", "--users", "conformance-report/report.json"},
		{"run", "--last-failed", "conformance-report", "--report-dir", "conformance-report"},
		{"run", "--last-failed", "conformance-report/report.json"},
		{"judge", "--report-dir", "conformance-report", "conformance-report"},
		{"judge", "--report-dir", "conformance-report", "conformance-report/evidence.har"},
	} {
		code, shown := conformance(args...)
		g.Expect(code).To(Equal(exitError), "%q: %s", args, shown)
		g.Expect(shown).To(ContainSubstring("name another one by --report-dir"), "%q", args)
		g.Expect(readAll(g, "conformance-report")).To(Equal(kept), "%q", args)
	}
}

// TestAnEarlierSweepIsNamedAfterAMistake makes one in a folder with a finished sweep, and in one with an unfinished
// sweep.
func TestAnEarlierSweepIsNamedAfterAMistake(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	g.Expect(callProgram([]string{"sweep", "--report-dir", "finished"}, nil, io.Discard,
		io.Discard)).To(Equal(exitPass))
	kept := readAll(g, "finished")
	g.Expect(os.Mkdir("unfinished", 0o755)).To(Succeed())
	g.Expect(os.WriteFile("unfinished/"+stats.CheckpointFile, []byte("{"), 0o600)).To(Succeed())
	g.Expect(os.WriteFile("unfinished/"+stats.FindingsFile, []byte("found"), 0o600)).To(Succeed())
	for _, dir := range []string{"finished", "unfinished"} {
		for _, c := range []struct {
			args, environ []string
			says          string
		}{
			{nil, nil, dir + " sweep is in " + dir},
			{[]string{"--restrat"}, nil, "--restrat"},
			{[]string{"--timeout", "x"}, nil, "--timeout"},
			{[]string{"resume"}, nil, "resume"},
			{nil, []string{"AUTHN_FOO=1"}, "AUTHN_FOO"},
			{[]string{"--last-failed", dir}, nil, "name another one by --report-dir"},
			{[]string{"--last-failed", dir + "/" + stats.FindingsFile}, nil, "name another one by --report-dir"},
		} {
			var out bytes.Buffer
			code := callProgram(append([]string{"sweep", "--report-dir", dir}, c.args...),
				c.environ, &out, &out)
			g.Expect(code).To(Equal(exitError), "%q", c)
			g.Expect(out.String()).To(ContainSubstring(c.says), "%q", c)
			if dir == "finished" {
				g.Expect(readAll(g, dir)).To(Equal(kept), "%q", c)
			}
			g.Expect(readAll(g, dir)).To(And(HaveKey(stats.CheckpointFile), HaveKey(stats.FindingsFile)), "%q", c)
		}
	}
}

// TestFilesOfOtherProgramsAreNotReplaced finds one of each name in a folder that has no reports.
func TestFilesOfOtherProgramsAreNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	files := []string{"junit.xml", "summary.md", "report.html", "statement.json", "evidence.har", "metrics.prom",
		"sweep.html", "findings.ndjson", "differences.csv"}
	for _, name := range files {
		g.Expect(os.Mkdir(name, 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(name, name), []byte("mine"), 0o600)).To(Succeed())
		for _, args := range [][]string{{"run"}, {"sweep"}, {"judge", "e.har"}, {"merge", "shards"}} {
			var out bytes.Buffer
			code := callProgram(append(args, "--report-dir", name), nil, &out, &out)
			g.Expect(code).To(Equal(exitError), "%q", args)
			g.Expect(out.String()).To(MatchRegexp("has "+name+".*no command.* wrote.*--replace"), "%q", args)
			g.Expect(readAll(g, name)).To(Equal(map[string]string{name: "mine"}), "%q", args)
		}
	}
	g.Expect(callProgram([]string{"run", "--replace", "--report-dir", files[0]}, nil, io.Discard,
		io.Discard)).To(Equal(exitPass))
}

// TestNoFileIsWrittenByTwo names one file for two things that a command writes.
func TestNoFileIsWrittenByTwo(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	for _, args := range [][]string{
		{"sweep", "--versions", "v5", "--record", "twice", "--metrics-file", "twice"},
		{"sweep", "--versions", "v5", "--record", "reports/differences.csv", "--report-dir", "reports"},
		{"run", "--update-baseline", "twice", "--metrics-file", "twice"},
	} {
		var out bytes.Buffer
		g.Expect(callProgram(args, nil, &out, &out)).To(Equal(exitError), "%q", args)
		g.Expect(out.String()).To(ContainSubstring("name another file"), "%q", args)
	}
}

// TestAFolderIsOfOneCommandAtATime starts each command that writes reports in a folder in which a run has begun.
func TestAFolderIsOfOneCommandAtATime(t *testing.T) {
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	at := folder.Place{Dir: "held", MetricsFile: func() string { return "" }}
	text := func(err error) string { return err.Error() }
	g.Expect(folder.Live(at, &folder.Run{}, text, func(*folder.Folder) error {
		begun := readAll(g, "held")
		for _, args := range [][]string{{"run"}, {"run", "--replace"}, {"sweep"}, {"judge", "e.har"}, {"merge", "s"}} {
			var out bytes.Buffer
			code := callProgram(append(args, "--report-dir", "held"), nil, &out, &out)
			g.Expect(code).To(Equal(exitError), "%q: %s", args, &out)
			g.Expect(out.String()).To(MatchRegexp(`in use by another process.*: wait for its end`), "%q", args)
			g.Expect(readAll(g, "held")).To(Equal(begun), "%q", args)
		}
		return nil
	})).To(Succeed())
	g.Expect(callProgram([]string{"run", "--report-dir", "held"}, nil, io.Discard, io.Discard)).To(
		Equal(exitPass))
}

// readAll returns the content of the files in a folder, by name.
func readAll(g *WithT, folder string) map[string]string {
	files, err := os.ReadDir(folder)
	g.Expect(err).NotTo(HaveOccurred())
	content := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		g.Expect(err).NotTo(HaveOccurred())
		content[file.Name()] = string(text)
	}
	return content
}
