package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/report/terminal"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

const secret = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"

// reportedIn does work between two reports in a folder of its own, and returns the report.json at its end. No other
// report says anything else, and no file is left beside them.
func reportedIn(t *testing.T, work func(*app) error) (text string, err error) {
	g, dir := NewWithT(t), filepath.Join(t.TempDir(), "reports")
	s := &app{args: []string{"run", "--report-dir", dir}, stdout: &terminal.Printer{Writer: io.Discard},
		stderr: io.Discard, suite: embedded}
	read := func() string {
		content, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
		g.Expect(err).NotTo(HaveOccurred())
		return string(content)
	}
	cmd := s.withReports(settings.Run, runCommand(s))
	cmd.SetContext(t.Context())
	err = s.writeReports(settings.Run, cmd, func() error {
		g.Expect(read()).To(ContainSubstring("unfinished"), "before the work")
		return work(s)
	})
	files, readErr := filepath.Glob(filepath.Join(dir, "*"))
	g.Expect(readErr).NotTo(HaveOccurred())
	for _, file := range files {
		g.Expect(filepath.Base(file)).NotTo(Or(HavePrefix("."), Equal(report.EvidenceFile)), "left behind")
	}
	return read(), err
}

func TestALeakEndsInAReportOfAnError(t *testing.T) {
	g := NewWithT(t)
	text, err := reportedIn(t, func(s *app) error {
		r := report.Unfinished(testkit.Contract().Digest, time.Now())
		r.Error, r.Complete, r.Verdict = nil, true, "pass"
		return s.folder.Write(folder.Content{Report: r, Guard: sanitize.NewGuard("", secret),
			Archive: func(w io.Writer) error {
				_, err := io.WriteString(w, "it said "+secret)
				return err
			}})
	})
	g.Expect(err).To(BeAssignableToTypeOf(&sanitize.Leak{}))
	g.Expect(text).To(And(ContainSubstring(`"verdict": "error"`), Not(ContainSubstring(secret[:12])),
		ContainSubstring("evidence.har would have contained a secret")))
}

func TestAPanicEndsInAReportOfAnError(t *testing.T) {
	text, err := reportedIn(t, func(*app) error { panic("at the worst moment") })
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("defect of the suite")))
	NewWithT(t).Expect(text).To(And(ContainSubstring(`"verdict": "error"`), ContainSubstring("at the worst moment")))
}

func TestEachLineOfAFaultIsIndentedBelowIt(t *testing.T) {
	out := &strings.Builder{}
	(&app{stderr: out}).printFaults(errors.Join(errors.New("a\nb"),
		errors.Join(fmt.Errorf("c: %w", errors.Join(errors.New("d"), errors.New("e"))))))
	NewWithT(t).Expect(out.String()).To(Equal("error: a\n  b\nerror: c: d\n  e\n"))
}

func TestASweepLeavesNoFileThatHoldsASecret(t *testing.T) {
	g := NewWithT(t)
	f, err := folder.Open(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	s := &app{folder: f, out: sanitize.WithHole(secret), stdout: &terminal.Printer{Writer: io.Discard},
		stderr: io.Discard}
	err = s.writeSweep(stats.Empty(report.SuiteOf("sha256:0"), time.Now(), "it says "+secret), "")
	g.Expect(errors.As(err, new(*sanitize.Leak))).To(BeTrue())
}

func TestASweepHeedsItsDeadline(t *testing.T) {
	arguments := []string{"sweep", "--deadline", "1ns", "--report-dir", t.TempDir()}
	NewWithT(t).Expect(callProgram(arguments, nil, io.Discard, io.Discard)).To(Equal(exitError))
}

func TestALogSaysHowFarASweepIsAlsoWhileNothingIsSent(t *testing.T) {
	g := NewWithT(t)
	options := sweep.Options{Shard: stats.Shard{Index: 8, Of: 16}}
	w := sweep.New(testkit.Settings(&url.URL{Scheme: "http", Host: "127.0.0.1:9"}, nil), testkit.Suite(), options,
		sweep.Input{})
	log := gbytes.NewBuffer()
	progress, stop := (&app{stderr: log}).showSweep(w, time.Millisecond, time.Millisecond)
	progress(sweep.Progress{Users: 1200, Counted: 1200, Part: 0.25})
	g.Eventually(log).Should(
		gbytes.Say(`(?m)^\S+Z shard 8/16: 1,200 users, 0/s, 0 different, 25% done$`))
	stop()
	at := len(log.Contents())
	g.Consistently(func() int { return len(log.Contents()) }, "20ms").Should(Equal(at), "it ends with the sweep")
}

func TestALogSaysHowFarARunIsAndHowLongTheRestTakes(t *testing.T) {
	g := NewWithT(t)
	log := gbytes.NewBuffer()
	progress, stop := (&app{stderr: log}).showProgress(time.Millisecond)
	g.Eventually(log).Should(gbytes.Say(`(?m)^\S+Z 0 of 0 requests done$`), "nothing is known yet")
	progress(31, 310)
	g.Eventually(log).Should(gbytes.Say(`(?m)^\S+Z 31 of 310 requests done, about 1s left$`))
	stop()
	at := len(log.Contents())
	g.Consistently(func() int { return len(log.Contents()) }, "20ms").Should(Equal(at), "it ends with the run")
}
