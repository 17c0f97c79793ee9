package selftest_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/term"
)

// The labels of the specs. proof is what `make prove` runs; the others mark its specs of one service each.
const (
	proofLabel      = "proof"
	mutantLabel     = "mutant"
	conformingLabel = "conforming"
	hostileLabel    = "hostile"
)

// specReport is Ginkgo's report, kept for the totals that are printed after it.
var specReport Report

var _ = ReportAfterSuite("keeps the report", func(r Report) { specReport = r })

// Work that was started ahead for specs that then did not run must not outlive its folder.
var _ = AfterSuite(func() { startedAhead.Wait() })

// TestSelftest builds the binary and runs the specs.
func TestSelftest(t *testing.T) {
	RegisterFailHandler(Fail)
	suiteFolder = t.TempDir()
	if _, err := shippedBinary(); err != nil {
		t.Fatal(err)
	}
	suite, reporter := GinkgoConfiguration()
	reporter.SilenceSkips = true
	reporter.NoColor = reporter.NoColor || !term.IsTerminal(int(os.Stdout.Fd()))
	RunSpecs(t, "selftest", suite, reporter)
	if suite.LabelFilter == proofLabel {
		totalsOf(specReport).print(os.Stdout) // after Ginkgo's own summary, so that what slipped through is the last line
	}
}
