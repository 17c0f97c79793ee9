// Command conformance tests deployed services of the Authenticator API against the API document. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/terminal"
	"authenticator-conformance/suites/internal/settings"
)

func main() {
	forbidCoreDumps()
	tuneMemory()
	// net/http logs some of what a target sends without escaping it; it must not reach a terminal.
	log.SetOutput(io.Discard)
	ctx, stop := interruptible(context.Background(), exitOnSignal(os.Args[1:]))
	code := execute(ctx, os.Args[0], os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// tuneMemory lets the heap of a short-lived process grow before it is collected. The memory limit makes the collector
// work harder, so that a hostile target's answers do not pile up. GOGC and GOMEMLIMIT override both.
func tuneMemory() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(200)
	}
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(560 << 20)
	}
}

// developerCommands are commands that exist only in a build with a tag (see man.go).
var developerCommands []*cobra.Command

// embedded loads the contract in the binary, with its requirements.
func embedded() (*conformance.Requirements, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the embedded contract does not load: %w", err)
	}
	return conformance.Specification(contract)
}

// paths names the path of each version.
func paths() string {
	var list []schemas.Version
	for _, v := range schemas.Versions() {
		list = append(list, "/api/"+v)
	}
	return schemas.Named(list)
}

func execute(ctx context.Context, program string, args, environ []string, stdout, stderr io.Writer) int {
	s := &app{program: shellescape.Quote(program), args: args, environ: environ, stdin: os.Stdin,
		stdout: &terminal.Printer{Writer: stdout}, stderr: stderr, suite: sync.OnceValues(embedded)}
	root := &cobra.Command{
		Use:   "conformance",
		Short: "Judge a deployed Authenticator API against its document",
		Long: `conformance judges whether a deployed service keeps the ` +
			`contract of the Authenticator API (getUserAuth and
findByUserIds, ` + paths() + `), and whether both versions agree. Without a target it judges the embedded
reference service.

Exit codes: 0 pass, 1 fail, 2 error, 3 inconclusive, 4 a sweep that a signal stopped, 5 a sweep that was refused.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.Help(); err != nil {
				return err
			}
			return fmt.Errorf("which command? The usual one is: conformance run")
		},
	}
	root.SetFlagErrorFunc(flagFault)
	root.AddCommand(s.withReports(settings.Run, runCommand(s)), s.withReports(settings.Sweep, sweepCommand(s)),
		s.withReports(settings.Merge, mergeCommand(s)), s.withReports(settings.Judge, judgeCommand(s)), planCommand(s),
		serveCommand(s), explainCommand(s), verifyCommand(s), signCommand(s))
	root.AddCommand(developerCommands...)
	root.SetArgs(args)
	root.SetOut(s.stdout)
	root.SetErr(stderr)
	addCompletion(root, args, s.labels)
	addHelp(root)

	err := root.ExecuteContext(ctx)
	if err == nil {
		err = s.stdout.Err()
	}
	if err != nil {
		s.printFaults(err)
		if errors.As(err, new(interruption)) {
			return exitOnSignal(args)
		}
		if s.dir != "" {
			s.conclude(err)
		}
		return exitError
	}
	return s.code
}

// version returns the suite's version and the commit that it was built from.
func version() string {
	if commit := report.Commit(); commit != "" {
		return report.Version + ", commit " + commit
	}
	return report.Version + ", of an unknown commit"
}

// The most time that a command may take after a signal, even if it blocks (J18).
const (
	reportGrace = 10 * time.Second // a command that leaves reports
	exitGrace   = 20 * time.Second // the process
)

// oneSignal is how long a repeated signal counts as the same one: timeout(1) signals both the process and its group.
const oneSignal = 200 * time.Millisecond

// interruption is the cause of a context that ended because of a signal.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string {
	name := i.signal.String()
	switch i.signal {
	case os.Interrupt:
		name = "SIGINT"
	case syscall.SIGTERM:
		name = "SIGTERM"
	}
	return fmt.Sprintf("interrupted by %s before the run had ended; run again", name)
}

// interrupted reports whether a signal ended a context.
func interrupted(ctx context.Context) bool { return errors.As(context.Cause(ctx), new(interruption)) }

// exitOnSignal returns the exit code of a command that a signal ended before its work was done. A sweep has its own
// code, so that a Kubernetes Job that restarts it does not treat the signal as an error or a verdict.
func exitOnSignal(args []string) int {
	if len(args) > 0 && args[0] == sweepName {
		return exitStopped
	}
	return exitError
}

// interruptible returns a context that ends at SIGINT or SIGTERM, with an interruption as its cause, so that a run can
// still write its reports. The process exits with code after exitGrace, whatever it does. A second signal ends it at
// once, as by default.
func interruptible(parent context.Context, code int) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			time.AfterFunc(oneSignal, func() { signal.Stop(signals) })
			time.AfterFunc(exitGrace, func() { os.Exit(code) })
			cancel(interruption{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
