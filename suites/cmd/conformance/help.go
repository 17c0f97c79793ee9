package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/settings"
)

// The groups of commands in the help, by id.
var groups = []*cobra.Group{
	{ID: "judge", Title: "Judge a target:"},
	{ID: "certify", Title: "Certificates and evidence:"},
	{ID: "users", Title: "All users of a target:"},
}

// help is what the help and the man page of a command say besides its flags.
type help struct {
	group    string // "" for none
	examples []string
	exits    string // its exit codes
	files    string // what it reads and writes, for the man page
	asks     bool   // it asks a target, and so has a token
}

const (
	runExits   = "0 pass, 1 fail, 2 error, 3 inconclusive"
	otherExits = "0 done, 2 error"
	runFiles   = "The report folder has report.html, report.json, junit.xml, summary.md, evidence.har, " +
		"statement.json and metrics.prom. Files with answers or users are readable by their owner only."
	tokenHelp = "The token comes from AUTHN_ACCESS_TOKEN or from the file that --access-token-file names. It has no " +
		"flag, as\nother users of a machine can read those."
)

// helps has the help of each command, by its name.
var helps = map[string]help{
	runName: {"judge", []string{
		"conformance run --target-url https://am.example/am/core --users users.csv",
		"conformance run --target-url https://am.example/am/core --users users.csv --baseline baseline.json",
	}, runExits, runFiles, true},
	"plan": {"judge", []string{
		"conformance plan --target-url https://am.example/am/core --users users.csv",
		"conformance plan --json",
	}, otherExits, "", false},
	"serve": {"judge", []string{
		"conformance serve",
		"conformance serve --mutant created-on-two-digit-fraction-v5",
	}, otherExits, "", false},
	"explain": {"judge", []string{
		"conformance explain 2.1/CreatedOn",
		"conformance explain '4.1/*' 9.3/getUserAuth/shape",
	}, otherExits, "", false},
	"verify": {"certify", []string{
		"conformance verify conformance-report",
		"conformance verify --key cosign.pub --max-age 30d certificate.zip",
	}, "0 the certificate holds, 1 it does not, 2 it could not be checked, 3 it holds as far as it can be checked",
		"It reads a report folder, or an archive of it, and writes nothing.", false},
	"sign": {"certify", []string{
		"conformance sign --key key.pem conformance-report",
		"conformance sign --replace --key key.pem conformance-report",
	}, otherExits, "It writes statement.sigstore.json into the report folder.", false},
	judgeName: {"certify", []string{
		"conformance judge conformance-report/evidence.har",
		"conformance judge --baseline baseline.json conformance-report/evidence.har",
	}, runExits, runFiles, false},
	sweepName: {"users", []string{
		"conformance sweep --target-url https://am.example/am/core --users everybody.csv",
		"conformance sweep --target-url https://am.example/am/core --users everybody.csv --resume",
	}, "0 all alike and within the contract, 1 a difference or a broken contract, 2 error, also of a spent " +
		"deadline,\n3 users who could not be compared, or too few who were served, 4 stopped by a signal, 5 the " +
		"target refuses the token\nor the settings",
		"The report folder has sweep.html, sweep.json, findings.ndjson, differences.csv, differences.har and, while " +
			"it runs, sweep.checkpoint.json.", true},
	mergeName: {"users", []string{
		"conformance merge shard-1 shard-2",
		"conformance merge --wait shards",
	}, "0 all alike and within the contract, 1 a difference or a broken contract, 2 error,\n3 users who could not be " +
		"compared, or too few who were served",
		"It reads sweep.json and findings.ndjson of each shard, and writes sweep.json, sweep.html and differences.csv.",
		false},
}

// addHelp adds groups, examples and exit codes to the help of each command.
func addHelp(root *cobra.Command) {
	root.AddGroup(groups...)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.RunE = printHelp
		}
		h, ok := helps[cmd.Name()]
		if !ok {
			continue
		}
		cmd.GroupID = h.group
		cmd.Example = "  " + strings.Join(h.examples, "\n  ")
		if h.asks {
			cmd.Long += "\n\n" + tokenHelp
		}
		cmd.Long += h.exitCodes()
	}
}

// printHelp prints the help of the command that the arguments name. For an unknown one it returns the error of calling
// it; cobra prints the help of the root command then, with exit code 0.
func printHelp(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err != nil {
		return err
	}
	if !cmd.HasParent() && len(rest) > 0 {
		return noArguments(cmd, rest)
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}

// exitCodes is the last paragraph of a command's help.
func (h help) exitCodes() string { return "\n\nExit codes: " + h.exits + "." }

// addCompletion adds cobra's command that prints a shell completion script. A missing or unknown shell is an error
// here, while cobra prints help with exit code 0, which a script would save as completion. Call it after all other
// commands are added and the output is set.
//
// For a shell that completes a line, the flags for one version are no longer hidden. It is offered the values of flags
// that have only some, and the labels of specs.
func addCompletion(root *cobra.Command, args []string, labels func() []string) {
	root.InitDefaultCompletionCmd()
	requests := []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	isShell := len(args) > 0 && slices.Contains(requests, args[0])
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !isShell {
				return
			}
			f.Hidden = false
			choices := settings.Choices(f)
			if f.Name == "label-filter" {
				choices = labels()
			}
			if len(choices) > 0 {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, // the flag exists, and has no such function yet
					cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
			}
		})
		if cmd.Name() == "completion" {
			cmd.Short = "Print a completion script for bash, zsh, fish or powershell"
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(*cobra.Command, []string) error {
				return errors.New("which shell? One of: bash, zsh, fish, powershell")
			}
		}
	}
}

// labels returns the labels that a label filter can name.
func (s *app) labels() []string {
	suite, err := s.suite()
	if err != nil {
		return nil
	}
	return ginkgospecs.KnownLabels(suite.Contract)
}
