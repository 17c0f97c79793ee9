package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/terminal"
)

// reportedIn does work between two reports in a folder of its own, and gives the report.json that stands there at the
// end.
func reportedIn(t *testing.T, work func(*app) error) (text string, err error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "reports")
	s := &app{args: []string{"run", "--report-dir", dir}, stdout: &terminal.Printer{Writer: io.Discard},
		stderr: io.Discard,
		suite:  embedded}
	err = s.writeReports(t.Context(), runName, nil, func() error {
		content, readErr := os.ReadFile(filepath.Join(dir, report.JSONFile))
		if readErr != nil || !strings.Contains(string(content), "unfinished") {
			t.Errorf("before the work, report.json holds %q, %v", content, readErr)
		}
		return work(s)
	})
	files, readErr := os.ReadDir(dir)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, file := range files {
		if strings.HasPrefix(file.Name(), ".") || file.Name() == report.EvidenceFile {
			t.Errorf("%s was left behind", file.Name())
		}
	}
	content, readErr := os.ReadFile(filepath.Join(dir, report.JSONFile))
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(content), err
}

func TestALeakEndsInAReportOfAnError(t *testing.T) {
	g := NewWithT(t)
	const secret = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"
	passed := func(s *app) *report.Report {
		suite, err := s.suite()
		g.Expect(err).NotTo(HaveOccurred())
		r := report.Unfinished(suite.Contract.Digest, time.Now())
		r.Error, r.Complete, r.Verdict = nil, true, "pass"
		return r
	}
	text, err := reportedIn(t, func(s *app) error {
		return s.folder.Write(folder.Content{Report: passed(s), Guard: sanitize.NewGuard("", secret),
			Archive: func(w io.Writer) error {
				_, err := io.Copy(w, bytes.NewBufferString("it said "+secret))
				return err
			}})
	})
	g.Expect(err).To(BeAssignableToTypeOf(&sanitize.Leak{}))
	g.Expect(text).To(ContainSubstring(`"verdict": "error"`))
	g.Expect(text).To(ContainSubstring("evidence.har would have contained a secret"))
	g.Expect(text).NotTo(ContainSubstring(secret[:12]))
}

func TestAPanicEndsInAReportOfAnError(t *testing.T) {
	g := NewWithT(t)
	text, err := reportedIn(t, func(*app) error { panic("at the worst moment") })
	g.Expect(err).To(MatchError(ContainSubstring("defect of the suite")))
	g.Expect(text).To(ContainSubstring(`"verdict": "error"`))
	g.Expect(text).To(ContainSubstring("at the worst moment"))
}

func TestEachLineOfAFaultIsIndentedBelowIt(t *testing.T) {
	var out bytes.Buffer
	(&app{stderr: &out}).printFaults(errors.Join(errors.New("a\nb"),
		errors.Join(fmt.Errorf("c: %w", errors.Join(errors.New("d"), errors.New("e"))))))
	NewWithT(t).Expect(out.String()).To(Equal("error: a\n  b\nerror: c: d\n  e\n"))
}
