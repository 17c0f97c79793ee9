package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func requirementsCommand(s *surroundings) *cobra.Command {
	return &cobra.Command{
		Use:   "requirements",
		Short: "List the catalogue: id, section, kind, statement",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			contract, err := s.contract()
			if err != nil {
				return err
			}
			out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
			for _, r := range contract.Requirements {
				statement := r.Statement
				if r.Reason != "" {
					statement += " Not observable: " + r.Reason
				}
				fmt.Fprintf(out, "%s\t§%s\t%s\t%s\n", r.ID, r.Section, r.Kind, statement)
			}
			return out.Flush()
		},
	}
}
