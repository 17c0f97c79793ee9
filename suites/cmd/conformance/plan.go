package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

func planCommand(s *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "List every request that a run would send, and send none",
		Long: `plan lists every request that a run with the same settings ` +
			`would send, in order: exchange id, risk label, method,
URL, what the probe is, and the body with the token as a placeholder. The last line is their number. More are sent
where the target throttles, refuses a user or has nothing for one (a control, and the request again), or answers
identical requests differently. It needs no token.`,
		Args: noArguments,
	}
	settings.AddFlags(settings.Plan, cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the list as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defer s.close()
		n, err := bounded.Value(cmd.Context(), 0, func() (*session.Session, error) {
			s.input = settings.Read(settings.Plan, cmd.Flags(), s.args, s.environ)
			if err := s.readLastFailed(settings.Plan); err != nil {
				return nil, err
			}
			return s.prepare(cmd.Context())
		})
		if err != nil {
			return err
		}
		requests := n.Plan()
		if asJSON {
			return strictjson.WriteIndented(s.stdout, struct {
				Requests []session.Planned `json:"requests"`
				Count    int               `json:"count"`
			}{requests, len(requests)})
		}
		out := bufio.NewWriter(s.stdout)
		for _, r := range requests {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Exchange, r.Risk, r.Method, r.URL, r.Probe, r.Body)
		}
		fmt.Fprintf(out, "%d\n", len(requests))
		return out.Flush()
	}
	return cmd
}
