package selftest_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/term"
)

// The labels of the specs. `make prove` runs those with proof. The others mark its specs of one service each.
const (
	proofLabel      = "proof"
	mutantLabel     = "mutant"
	conformingLabel = "conforming"
	hostileLabel    = "hostile"
)

// specReport is Ginkgo's report, stored for the totals of the proof.
var specReport Report

var _ = ReportAfterSuite("stores the report", func(r Report) { specReport = r })

// Jobs whose specs did not run must end before their folder is removed.
var _ = AfterSuite(func() { startedJobs.Wait() })

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
		totalsOf(specReport).print(os.Stdout) // after Ginkgo's own summary
	}
}
