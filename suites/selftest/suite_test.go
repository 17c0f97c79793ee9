package selftest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"
)

// proof labels the specs that judge the judge: what make prove runs. The others label, among them, those of one mutant, one
// conforming service and one hostile target.
const (
	proof             = "proof"
	mutantService     = "mutant"
	conformingService = "conforming"
	hostileTarget     = "hostile"
)

// binary is the command as it ships. It is set before the first spec is registered.
var binary string

// TestSelftest builds the binary, once as it ships and once with a defect, and registers the specs that drive it.
func TestSelftest(t *testing.T) {
	RegisterFailHandler(Fail)
	r, err := newRig(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary = r.binary
	// Jobs that were begun ahead for specs that then did not run must not outlive the folder.
	defer r.jobs.Wait()

	closedSpecs(r)
	scopeSpecs(r)
	mutantSpecs(r)
	conformingSpecs(r)
	canarySpecs(r)
	hostileSpecs(r)
	nginxSpecs(r)
	differenceSpecs(r)
	gateSpecs(r)
	verboseSpecs(r)
	observedSpecs(r)
	evidenceSpecs(r)
	againSpecs(r)
	abruptSpecs(r)
	ciSpecs(r)
	sweepSpecs(r)

	var ran Report
	ReportAfterSuite("keeps what the specs came to", func(r Report) { ran = r })
	suite, reporter := GinkgoConfiguration()
	reporter.SilenceSkips = true
	reporter.NoColor = reporter.NoColor || !term.IsTerminal(int(os.Stdout.Fd()))
	RunSpecs(t, "selftest", suite, reporter)
	if suite.LabelFilter == proof {
		// After Ginkgo's own words, so that what slipped through stands last.
		weigh(ran).print(os.Stdout)
	}
}

// newRig builds the binaries into a folder, from this module's sources.
func newRig(folder string) (*rig, error) {
	users, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "users.yaml"))
	if err != nil {
		return nil, err
	}
	r := &rig{
		binary:    filepath.Join(folder, "conformance"),
		defective: filepath.Join(folder, "conformance-defect"),
		folder:    folder,
		users:     users,
		slots:     make(chan struct{}, max(4, runtime.NumCPU())), // many a target is waited for
	}
	var builds errgroup.Group
	builds.Go(func() error { return build(r.binary) })
	builds.Go(func() error { return build(r.defective, "-tags", "defect") })
	return r, builds.Wait()
}

func build(to string, flags ...string) error {
	arguments := append([]string{"build", "-trimpath", "-o", to}, flags...)
	command := exec.Command("go", append(arguments, "authenticator-conformance/suites/cmd/conformance")...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command.Run()
}
