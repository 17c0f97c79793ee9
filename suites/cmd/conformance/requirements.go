package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
)

// listedRequirement is one requirement in the output of requirements --json.
type listedRequirement struct {
	ID         string              `json:"id"`
	Section    string              `json:"section"`
	Kind       schemas.Kind        `json:"kind"`
	Operations []schemas.Operation `json:"operations"`
	Parity     bool                `json:"parity"`
	Risk       schemas.Risk        `json:"risk"`
	Statement  string              `json:"statement"`
	Reason     string              `json:"reason"`
}

func requirementsCommand(s *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "requirements",
		Short: "List the catalogue: id, section, kind, statement",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			suite, err := s.suite()
			if err != nil {
				return err
			}
			if asJSON {
				return writeRequirements(s.stdout, suite.Contract)
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
	return cmd
}

func writeRequirements(w io.Writer, contract *schemas.Contract) error {
	list := []listedRequirement{}
	for _, r := range contract.Requirements {
		operations := append([]schemas.Operation{}, r.Operations...)
		list = append(list, listedRequirement{r.ID, r.Section, r.Kind, operations, r.Parity, r.Risk, r.Statement,
			r.Reason})
	}
	return writeJSON(w, struct {
		Contract     string              `json:"contract"`
		Requirements []listedRequirement `json:"requirements"`
	}{contract.Digest, list})
}
