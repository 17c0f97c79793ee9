package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// addCompletion adds cobra's command that prints a completion script for a shell. Cobra's own answers a missing or an
// unknown shell with its help and exit code 0, which a script would write to a file: here both are errors. Call it
// after all other commands were added and the output was set.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a completion script for bash, zsh, fish or powershell"
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(*cobra.Command, []string) error {
				return errors.New("which shell? One of: bash, zsh, fish, powershell")
			}
		}
	}
}
