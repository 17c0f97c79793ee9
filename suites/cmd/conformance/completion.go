package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// addCompletion adds cobra's command that prints a shell completion script. A missing or unknown shell is an error
// here, while cobra prints help with exit code 0, which a script would save as completion. Call it after all other
// commands are added and the output is set.
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
