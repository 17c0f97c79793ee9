package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/terminal"
)

func TestASweepLeavesNoFileThatHoldsASecret(t *testing.T) {
	g := NewWithT(t)
	const secret = "tenant-7731-lantern"
	f, err := folder.Open(t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	g.Expect(f.Lock()).To(Succeed())
	s := &app{folder: f, out: sanitize.WithHole(secret), stdout: &terminal.Printer{Writer: io.Discard},
		stderr: io.Discard}
	var leak *sanitize.Leak
	g.Expect(errors.As(s.writeSweep(stats.Empty(report.SuiteOf("sha256:0"), time.Now(), "it says "+secret), ""),
		&leak)).To(
		BeTrue())
}

func TestASweepHeedsItsDeadline(t *testing.T) {
	g := NewWithT(t)
	arguments := []string{"sweep", "--deadline", "1ns", "--report-dir", t.TempDir()}
	g.Expect(execute(context.Background(), arguments, nil, io.Discard, io.Discard)).To(Equal(exitError))
}
