package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addCompletion adds cobra's command that prints a shell completion script. A missing or unknown shell is an error
// here, while cobra prints help with exit code 0, which a script would save as completion. Call it after all other
// commands are added and the output is set.
//
// For a shell that completes a line, the flags for one version are no longer hidden.
func addCompletion(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd()
	requests := []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	isShell := len(args) > 0 && slices.Contains(requests, args[0])
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden && !isShell })
		if cmd.Name() == "completion" {
			cmd.Short = "Print a completion script for bash, zsh, fish or powershell"
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(*cobra.Command, []string) error {
				return errors.New("which shell? One of: bash, zsh, fish, powershell")
			}
		}
	}
}
