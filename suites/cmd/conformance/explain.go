package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/command/explain"
)

func explainCommand(s *app) *cobra.Command {
	format, formats := "", []string{"text", "json"}
	cmd := &cobra.Command{
		Use: "explain [ID… | RULE…]",
		Short: "List the catalogue, or explain requirements: what is sent, by which rule it is judged, " +
			"the schema's line",
		Long: `explain lists every requirement: id, section, kind, ` +
			`statement. Of each requirement that is named, by its id or by a
pattern such as '2.1/*', it prints the statement, what a run sends, the rules by which answers are judged, and what the
schema says. Of the name of a rule, such as J14, it prints the rule. It sends nothing.`,
		RunE: func(_ *cobra.Command, names []string) error {
			if !slices.Contains(formats, format) {
				return fmt.Errorf("--format: expected %s, got %q", strings.Join(formats, " or "), format)
			}
			suite, err := s.suite()
			if err != nil {
				return err
			}
			if len(names) > 0 && explain.IsRule(names[0]) {
				text, err := explain.Rules(names)
				fmt.Fprint(s.stdout, text)
				return cmp.Or(err, s.stdout.Err())
			}
			selected := suite.Requirements()
			if len(names) > 0 {
				if selected, err = explain.Select(suite, names); err != nil {
					return err
				}
			}
			switch {
			case format == "json":
				return explain.WriteJSON(s.stdout, suite.Contract, selected)
			case len(names) == 0:
				return explain.WriteList(s.stdout, selected)
			}
			for i, r := range selected {
				if i > 0 {
					fmt.Fprintln(s.stdout)
				}
				fmt.Fprint(s.stdout, explain.Explain(suite, r))
			}
			return s.stdout.Err()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			suite, err := s.suite()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var ids []cobra.Completion
			for _, r := range suite.Requirements() {
				ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Statement))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&format, "format", formats[0], "`FORMAT` of the list: "+strings.Join(formats, " or "))
	_ = cmd.RegisterFlagCompletionFunc("format", // the flag is defined above
		cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
