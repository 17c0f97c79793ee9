package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/explain"
	"authenticator-conformance/suites/internal/strictjson"
)

func requirementsCommand(s *app) *cobra.Command {
	asJSON, diff := false, ""
	cmd := &cobra.Command{
		Use:   "requirements",
		Short: "List the catalogue: id, section, kind, statement",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			suite, err := s.suite()
			if err != nil {
				return err
			}
			if diff != "" {
				return writeDiff(s, suite.Contract, diff, asJSON)
			}
			if asJSON {
				return strictjson.WriteIndented(s.stdout, struct {
					Contract     string           `json:"contract"`
					Requirements []explain.Listed `json:"requirements"`
				}{suite.Contract.Digest, explain.List(suite.Contract)})
			}
			out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
			for _, r := range suite.Contract.Requirements {
				statement := r.Statement
				if r.Reason != "" {
					statement += " Not observable: " + r.Reason
				}
				fmt.Fprintf(out, "%s\t§%s\t%s\t%s\n", r.ID, r.Section, r.Kind, statement)
			}
			return out.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the list as JSON")
	cmd.Flags().StringVar(&diff, "diff", "", "list what changes between two `VERSIONS` of the contract, such as v5..v6")
	return cmd
}

// writeDiff writes what changes between two versions of the contract.
func writeDiff(s *app, contract *schemas.Contract, versions string, asJSON bool) error {
	changes, err := explain.Diff(contract, versions)
	if err != nil {
		return fmt.Errorf("--diff: %w", err)
	}
	if asJSON {
		return strictjson.WriteIndented(s.stdout, changes)
	}
	for _, c := range changes {
		fmt.Fprintln(s.stdout, c)
	}
	if len(changes) == 0 {
		fmt.Fprintln(s.stdout, "nothing changes: both have the same requirements and messages")
	}
	return s.stdout.Err()
}
