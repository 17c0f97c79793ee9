// Command conformance judges deployed services of the Authenticator API against the document. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
)

// The exit codes.
const (
	exitPass         = 0
	exitFail         = 1
	exitError        = 2
	exitInconclusive = 3
)

func main() {
	tuneMemory()
	// The HTTP client of the standard library logs some of what a target sends, as it is: nothing may reach a terminal so.
	log.SetOutput(io.Discard)
	ctx, stop := interruptible(context.Background())
	code := execute(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// tuneMemory lets the heap of a short-lived process grow before it is cleared up, within a limit past which the collector
// does all it can, so that a hostile target's answers do not pile up. GOGC and GOMEMLIMIT keep their say.
func tuneMemory() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
	}
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(768 << 20)
	}
}

// surroundings is what a command gets from the outside.
type surroundings struct {
	args, environ  []string
	stdin          io.Reader
	stdout, stderr io.Writer
	contract       func() (*schemas.Contract, error) // loads the embedded contract, once
	folder         *folder.Folder                    // of the reports; of a command that leaves some
	guard          *redact.Guard                     // of a sweep, once its secrets are known
	code           int                               // set by the command that ran
}

// embedded loads the contract that is part of the binary.
func embedded() (*schemas.Contract, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, fmt.Errorf("defect of the suite: the embedded contract does not load: %w", err)
	}
	return contract, nil
}

func execute(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	s := &surroundings{args: args, environ: environ, stdin: os.Stdin, stdout: stdout, stderr: stderr, contract: sync.OnceValues(embedded)}
	root := &cobra.Command{
		Use:           "conformance",
		Short:         "Judge a deployed Authenticator API against its document",
		Long:          "conformance judges whether a deployed service keeps the contract of the Authenticator API (getUserAuth and\nfindByUserIds, /api/v5 and /api/v6), and whether both versions agree. Without a target it judges the embedded\nreference service.\n\nExit codes: 0 pass, 1 fail, 2 error, 3 inconclusive.",
		Version:       report.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.Help(); err != nil {
				return err
			}
			return fmt.Errorf("which command? The usual one is: conformance run")
		},
	}
	root.AddCommand(runCommand(s), sweepCommand(s), mergeCommand(s), planCommand(s), judgeCommand(s), serveCommand(s), requirementsCommand(s))
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)

	err := func() error {
		work := func() error { return root.ExecuteContext(ctx) }
		command, _, err := root.Find(args)
		if err != nil || asksForHelp(args) {
			return work()
		}
		r, err := s.reportsFor(command.Name())
		if err != nil || r == nil {
			return errors.Join(err, work())
		}
		return reported(s, r, work)
	}()
	if err != nil {
		fmt.Fprintf(stderr, "error: %s\n", redact.PrintableLines(err.Error()))
		return exitError
	}
	return s.code
}

func asksForHelp(args []string) bool {
	for _, arg := range args {
		if arg == "--help" || arg == "-h" {
			return true
		}
	}
	return false
}
