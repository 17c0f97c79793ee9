package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/suggestion"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/terminal"
	"authenticator-conformance/suites/internal/wording"
)

func suggestCommand(s *app) *cobra.Command {
	sample, seed := 0, uint64(0)
	cmd := &cobra.Command{
		Use:   "suggest-users FILE",
		Short: "Find the smallest users file that shows all that a sample of users shows",
		Long: `suggest-users asks the target for a sample of the users in a file, with well-formed requests only, and prints a users
file (YAML) with the fewest of them that show every alternative that was seen: values, null and absent members, forms of
dates, numbers and GUIDs, one record or a list. A comment says what each user is for. The file may be one of a sweep.`,
		Args: oneArgument("suggest-users takes one users file, such as: conformance suggest-users users.csv"),
	}
	settings.AddFlags(settings.Replay, cmd.Flags())
	cmd.Flags().IntVar(&sample, "sample", 500, "how many users are asked, drawn at random: a `NUMBER`")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "the `SEED` of the draw")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if sample < 1 {
			return errors.New("--sample: expected a number of at least 1")
		}
		s.input = settings.Read(settings.Replay, cmd.Flags(), s.args, s.environ)
		own, suite, err := s.resolve()
		if err != nil {
			return err
		}
		var all int64
		users, err := engine.Value(cmd.Context(), 0, func() (users []population.Row, err error) {
			users, all, err = suggestion.Sample(args[0], s.stdin, suite.Contract, sample, seed)
			return users, err
		})
		if err != nil {
			return err
		}
		client := target.New(own, suite.Contract, report.Version, uuid.NewString())
		defer client.Close()
		s.warn(s.out.Text(client.UnencryptedWarning(), 0))
		var done atomic.Int64
		stop := terminal.Log(s.stderr, 10*time.Second, time.Minute, func() string {
			return fmt.Sprintf("%d of %s asked", done.Load(), wording.Count(len(users), "user"))
		})
		seen, err := suggestion.Ask(cmd.Context(), users, own, suite, client.Do, func(n int) { done.Store(int64(n)) })
		stop()
		if err != nil {
			return err
		}
		found := suggestion.Cover(seen)
		if found.Shown == 0 {
			return fmt.Errorf("none of %s showed anything: check token, application, URL and users",
				wording.Count(len(users), "user"))
		}
		if err := found.Write(s.stdout, len(users), all); err != nil {
			return err
		}
		return s.stdout.Err()
	}
	return cmd
}
