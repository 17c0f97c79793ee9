//go:build man

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
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
		RunE:   func(cmd *cobra.Command, args []string) error { return writePages(cmd.Root(), args[0]) },
	}
}

// writePages writes the page of a command, and of those below it.
func writePages(cmd *cobra.Command, dir string) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			if err := writePages(sub, dir); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, nameOfPage(cmd)+".1"), []byte(page(cmd)), 0o644)
}

func nameOfPage(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page returns the page of a command, in the language of man(7).
func page(cmd *cobra.Command) string {
	h, options, commands, variables, others, examples := helps[cmd.Name()], "", "", "", []string{}, ""
	if h.asks {
		variables = ".TP\n.B AUTHN_ACCESS_TOKEN\nthe administrator's token\n"
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		placeholder, usage := pflag.UnquoteUsage(flag)
		if !slices.Contains([]string{"", "0", "false", "[]"}, flag.DefValue) {
			usage += " (default " + flag.DefValue + ")"
		}
		if !flag.Hidden {
			name := strings.TrimSpace("--" + flag.Name + " " + placeholder)
			options += fmt.Sprintf(".TP\n.B %s\n%s\n", roff(name), roff(usage))
		}
		if found := variable.FindString(usage); found != "" {
			variables += fmt.Sprintf(".TP\n.B %s\nas %s\n", strings.Trim(found, "()"), roff("--"+flag.Name))
		}
	})
	if cmd.Example != "" {
		examples = ".nf\n" + roff(cmd.Example) + "\n.fi"
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			commands += fmt.Sprintf(".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
		}
	}
	for _, other := range append(cmd.Commands(), cmd.Parent()) {
		if other != nil && (other.IsAvailableCommand() || !other.HasParent()) {
			others = append(others, roff(nameOfPage(other))+"(1)")
		}
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = time.Now().Unix()
	}
	text := fmt.Sprintf(".TH %q 1 %q %q %q\n.nh\n", strings.ToUpper(nameOfPage(cmd)),
		time.Unix(seconds, 0).UTC().Format("Jan 2006"), report.Name+" "+report.Version, report.Name)
	for _, section := range [][2]string{
		{"NAME", roff(nameOfPage(cmd)) + ` \- ` + roff(cmd.Short)},
		{"SYNOPSIS", roff(cmd.UseLine())},
		{"DESCRIPTION", roff(cmp.Or(strings.TrimSuffix(cmd.Long, h.exitCodes()), cmd.Short))},
		{"COMMANDS", commands}, {"OPTIONS", options}, {"EXAMPLES", examples}, {"EXIT STATUS", roff(h.exits)},
		{"ENVIRONMENT", variables}, {"FILES", roff(h.files)}, {"SEE ALSO", strings.Join(others, ", ")},
	} {
		if section[1] != "" {
			text += ".SH " + section[0] + "\n" + strings.TrimSuffix(section[1], "\n") + "\n"
		}
	}
	return text
}

// roff returns a text that man(7) shows as it stands. Paragraphs have a blank line between them.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n\n", "\n.PP\n", "\n.", "\n\\&.", "\n'", "\n\\&'").Replace

// variable finds the environment variable in the usage of a flag.
var variable = regexp.MustCompile(`\(AUTHN_[A-Z0-9_]+\)`)
