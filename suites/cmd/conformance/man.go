//go:build man

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"

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
			return writePages(root, header, args[0])
		},
	}
}

// writePages writes the page of a command, and of those below it.
func writePages(cmd *cobra.Command, header *doc.GenManHeader, dir string) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := writePages(sub, header, dir); err != nil {
				return err
			}
		}
	}
	h := helps[cmd.Name()]
	cmd.Long = strings.TrimSuffix(cmd.Long, h.exitCodes())
	var page bytes.Buffer
	own := *header
	if err := doc.GenMan(cmd, &own, &page); err != nil {
		return err
	}
	text, also, found := strings.Cut(page.String(), "\n.SH SEE ALSO")
	text += h.sections(cmd)
	if found {
		text += "\n.SH SEE ALSO" + also
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

// sections returns the sections EXIT STATUS, ENVIRONMENT and FILES of a page.
func (h help) sections(cmd *cobra.Command) string {
	text := ""
	if h.exits != "" {
		text += "\n.SH EXIT STATUS\n" + strings.ReplaceAll(h.exits, "\n", " ") + "."
	}
	environment := ""
	if h.asks {
		environment += "\n.TP\n.B AUTHN_ACCESS_TOKEN\nthe administrator's token"
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if found := variable.FindString(flag.Usage); found != "" {
			environment += "\n.TP\n.B " + strings.Trim(found, "()") + "\nas \\-\\-" + flag.Name
		}
	})
	if environment != "" {
		text += "\n.SH ENVIRONMENT" + environment
	}
	if h.files != "" {
		text += "\n.SH FILES\n" + h.files
	}
	return text + "\n"
}

// variable finds the environment variable in the usage of a flag.
var variable = regexp.MustCompile(`\(AUTHN_[A-Z0-9_]+\)`)

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
