package selftest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	"golang.org/x/term"
)

// The labels of the specs. `make prove` runs those with proof. The other one marks its specs of one target each.
const (
	proofLabel   = "proof"
	hostileLabel = "hostile"
)

// With make prove, the targets and the traces of secrets are counted.
var _ = ReportAfterSuite("prints the totals of the proof", func(r Report) {
	if suite, _ := GinkgoConfiguration(); !strings.Contains(suite.LabelFilter, proofLabel) ||
		strings.Contains(suite.LabelFilter, "!"+proofLabel) {
		return
	}
	survived, all, searched, leaks := 0, 0, 0, 0
	for _, spec := range r.SpecReports {
		if slices.Contains(spec.Labels(), hostileLabel) {
			all++
			if spec.State.Is(types.SpecStatePassed) {
				survived++
			}
		}
		for _, entry := range spec.ReportEntries {
			if found, ok := entry.GetRawValue().([]string); ok && entry.Name == traceEntry {
				searched++
				leaks += len(found)
			}
		}
	}
	fmt.Printf("\nhostile survived   %d/%d\n", survived, all)
	fmt.Printf("leaks              %d, in %d runs that were searched\n", leaks, searched)
})

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
}
