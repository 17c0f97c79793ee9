//go:build man

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

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
			return doc.GenManTree(root, header, args[0])
		},
	}
}
