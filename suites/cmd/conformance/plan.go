package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/settings"
)

func planCommand(s *surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "List every request that a run would send, and send none",
		Long:  "plan lists every request that a run with the same settings would send, in order: exchange id, risk label, method,\nURL, what the probe is, and the body with the token as a placeholder. The last line is their number. More are sent\nonly where the target throttles or answers identical requests differently.",
		Args:  cobra.NoArgs,
	}
	settings.AddFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := prepare(cmd.Context(), s, cmd.Flags(), nil)
		if err != nil {
			return err
		}
		defer p.close()
		probes := p.run.Plan()
		out := bufio.NewWriter(s.stdout)
		secrets := p.run.Secrets()
		for _, probe := range probes {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", probe.ID, probe.Risk(), probe.Method(),
				secrets.Show(p.run.URL(probe), 0), probe.Name(), secrets.Show(p.run.Shown(probe), 0))
		}
		fmt.Fprintf(out, "%d\n", len(probes))
		return out.Flush()
	}
	return cmd
}
