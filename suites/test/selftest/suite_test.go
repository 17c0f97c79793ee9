package selftest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	"golang.org/x/term"
)

// The labels of the specs. `make prove` runs those with proof. Of these, hostile marks the specs of one target each,
// and night what a change is not checked with.
const (
	proofLabel   = "proof"
	hostileLabel = "hostile"
	nightLabel   = "night"
)

var (
	suiteFolder string       // everything that this suite writes: the binary, and a folder for each process
	folderCount atomic.Int64 // of the folders in suiteFolder
)

// TestSelftest builds the binary with the flags of `make build`, so that both share Go's cache, and runs the specs.
func TestSelftest(t *testing.T) {
	RegisterFailHandler(Fail)
	suiteFolder = t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", binaryPath(), "./suites/cmd/conformance")
	build.Dir, build.Env = filepath.Join("..", "..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	suite, reporter := GinkgoConfiguration()
	reporter.SilenceSkips = true
	reporter.NoColor = reporter.NoColor || !term.IsTerminal(int(os.Stdout.Fd()))
	RunSpecs(t, "selftest", suite, reporter)
}

func binaryPath() string { return filepath.Join(suiteFolder, "conformance") }

// newFolder creates a folder in suiteFolder. It panics if it fails, and may be called from any goroutine.
func newFolder() string {
	folder := filepath.Join(suiteFolder, fmt.Sprintf("work-%d", folderCount.Add(1)))
	mustSucceed(os.Mkdir(folder, 0o755))
	return folder
}

// writeFile writes a file, and returns its path. It panics if it fails, and may be called from any goroutine.
func writeFile(folder, name, content string) string {
	path := filepath.Join(folder, name)
	mustSucceed(os.MkdirAll(filepath.Dir(path), 0o755))
	mustSucceed(os.WriteFile(path, []byte(content), 0o600))
	return path
}

func mustSucceed(err error) {
	if err != nil {
		panic(err)
	}
}

// Processes whose specs did not run must end before their folder is removed.
var _ = AfterSuite(func() { startedJobs.Wait() })

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
