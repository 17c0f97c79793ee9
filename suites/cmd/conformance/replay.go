package main

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/replay"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
)

func replayCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FOLDER",
		Short: "Send again only what has findings in a report",
		Long: `replay sends again only the requests that have findings in a report folder, in their order, to the target of its
settings, and says of each finding: FIXED, STILL, or OTHER with what came. It is for whoever repairs the service. It
needs the URL of the target, as the token goes there. It certifies nothing: a whole run is due afterwards. Exit codes: 0
all is fixed, 1 something is not, 2 error.`,
		Args: oneArgument("replay takes one report folder, such as: conformance replay conformance-report"),
	}
	settings.AddFlags(settings.Replay, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.input = settings.Read(settings.Replay, cmd.Flags(), s.args, s.environ)
		own, suite, err := s.resolve()
		if err != nil {
			return err
		}
		plan, err := engine.Value(cmd.Context(), 0, func() (*replay.Plan,
			error) {
			return replay.Read(args[0], own, suite)
		})
		if err != nil {
			return err
		}
		client := target.New(own, suite.Contract, report.Version, uuid.NewString())
		defer client.Close()
		s.warn(s.out.Text(client.UnencryptedWarning(), 0))
		fmt.Fprintf(s.stdout, "%s\n%s\n", strings.Join(s.out.Texts(client.Targets()), "\n"), plan)
		count := map[replay.State]int{}
		fixed, err := plan.Execute(cmd.Context(), client.Do, s.out, func(f replay.Finding) {
			count[f.State]++
			fmt.Fprintln(s.stdout, f)
		})
		if err != nil {
			return err
		}
		for _, row := range plan.Compared() {
			fmt.Fprintf(s.stdout, "?      %s: it compares whole runs\n", row)
		}
		fmt.Fprintf(s.stdout,
			"%d fixed, %d still, %d other; this certifies nothing: a whole run is due (conformance run)\n",
			count[replay.Fixed], count[replay.Still], count[replay.Other])
		if !fixed {
			s.code = exitFail
		}
		return s.stdout.Err()
	}
	return cmd
}
