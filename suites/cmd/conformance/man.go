//go:build man

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/report"
)

func init() { developerCommands = append(developerCommands, manCommand()) }

// manCommand returns the command that writes a man page for each command into an existing folder. Only `make release`
// needs it. The date in the pages is SOURCE_DATE_EPOCH.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // the tag would contain the day of the build
			header := &doc.GenManHeader{Section: "1", Source: report.Name + " " + report.Version, Manual: report.Name}
			namePlaceholders(root)
			return doc.GenManTree(root, header, args[0])
		},
	}
}

// namePlaceholders makes the pages show the flags as --help does: --ca FILE, not --ca with its default, which is empty.
func namePlaceholders(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if name, usage := pflag.UnquoteUsage(flag); name != "" {
			if flag.DefValue != "" {
				usage += " (default " + flag.DefValue + ")"
			}
			flag.Value, flag.DefValue, flag.Usage = named{flag.Value}, name, usage
		}
	})
	for _, sub := range cmd.Commands() {
		namePlaceholders(sub)
	}
}

// named is a value whose placeholder a page shows without quotes.
type named struct{ pflag.Value }

// Type returns a type that is not "string".
func (named) Type() string { return "named" }
