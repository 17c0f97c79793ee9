package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/explain"
	"authenticator-conformance/suites/internal/wording"
)

func explainCommand(s *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [ID…]",
		Short: "Explain a requirement: what is sent, by which rule it is judged, an accepted and a refused example",
		Long: `explain says of each requirement that is named, by its id or by a pattern such as '2.1/*', what it states,
what a run sends for it and by which rule answers are judged, with an example that is accepted and one that
is refused. Without an id it lists the sections. It sends nothing.`,
		Example: "  conformance explain 2.1/CreatedOn\n  conformance explain '4.1/*' 9.3/getUserAuth/shape",
		RunE: func(_ *cobra.Command, names []string) error {
			suite, err := s.suite()
			if err != nil {
				return err
			}
			if len(names) == 0 {
				return listSections(s, suite)
			}
			return explainEach(s, suite, names)
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
}

// explainEach prints an explanation of each requirement that the ids and patterns match.
func explainEach(s *app, suite *conformance.Requirements, names []string) error {
	selected, err := explain.Select(suite, names)
	if err != nil {
		return err
	}
	all, err := messages.All()
	if err != nil {
		return fmt.Errorf("defect of the suite: the embedded examples do not load: %w", err)
	}
	var examples []explain.Message
	for _, m := range all {
		examples = append(examples, explain.Message{Schema: m.Schema, Body: m.Body})
	}
	explainer, err := explain.New(suite, examples)
	if err != nil {
		return fmt.Errorf("defect of the suite: %w", err)
	}
	for i, r := range selected {
		explanation, err := explainer.Explain(r)
		if err != nil {
			return fmt.Errorf("defect of the suite: %w", err)
		}
		if i > 0 {
			fmt.Fprintln(s.stdout)
		}
		fmt.Fprint(s.stdout, explanation)
	}
	return nil
}

// listSections prints the sections that have requirements, each with its first id.
func listSections(s *app, suite *conformance.Requirements) error {
	out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, section := range suite.Sections {
		fmt.Fprintf(out, "§%s\t%s\t%s, the first: %s\n", section.Number, section.Title,
			wording.Count(len(section.Requirements), "requirement"), section.Requirements[0].ID)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.stdout, "\nexplain one by its id, or several by a pattern such as '4.1/*'; all ids: "+
		"conformance requirements")
	return nil
}
