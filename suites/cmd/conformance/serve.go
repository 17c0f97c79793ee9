package main

import (
	"bytes"
	"fmt"
	"os"
	"text/tabwriter"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings/users"
)

func serveCommand(s *app) *cobra.Command {
	var address, usersFile, mutant string
	var list, printUsers bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the embedded reference service on a loopback port, or one that breaks a requirement",
		Long: `serve answers both operations in both versions on a ` +
			`loopback port until it is interrupted: to look at a right
service, to develop a client against it, or, with --mutant, to see what a run says of a wrong one.`,
		Args: noArguments,
	}
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:0",
		"loopback `ADDRESS` to listen on; port 0 takes any free one")
	cmd.Flags().StringVar(&usersFile, "users", "",
		"`FILE` of the users to serve: YAML, JSON, NDJSON or CSV (default: the embedded ones, fixtures/users.yaml)")
	cmd.Flags().StringVar(&mutant, "mutant", "", "serve the service that breaks one thing, by its `NAME`")
	_ = cmd.RegisterFlagCompletionFunc("mutant", // the flag is defined above
		func(*cobra.Command, []string, string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, m := range mutants.All() {
				names = append(names, cobra.CompletionWithDesc(m.Name, m.Sentence))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		})
	cmd.Flags().BoolVar(&list, "list", false, "list the mutants and end")
	cmd.Flags().BoolVar(&printUsers, "print-users", false, "print the users file of the embedded users, and end")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if list {
			return listMutants(s)
		}
		if printUsers {
			_, err := s.stdout.Write(fixtures.UsersFile())
			return err
		}
		users, err := bounded.Value(cmd.Context(), 0,
			func() ([]exchange.User, error) { return s.usersToServe(usersFile) })
		if err != nil {
			return err
		}
		handler := referenceOf(users)
		if cmd.Flags().Changed("mutant") {
			m, ok := mutants.Find(mutant)
			if !ok {
				return fmt.Errorf("--mutant: there is no mutant %q; see their names with: conformance serve --list",
					mutant)
			}
			handler = m.Handler(handler)
			fmt.Fprintf(s.stdout, "mutant %s: %s\n", m.Name, m.Sentence)
		}
		server, err := reference.Listen(cmd.Context(), handler, address)
		if err != nil {
			return fmt.Errorf("--address: %w", err)
		}
		fmt.Fprintf(s.stdout, "serving %s at %s until interrupted; judge it in another terminal with:\n",
			wording.Count(len(users), "user"), server.URL)
		fmt.Fprintln(s.stdout, s.runCommandLine(server.URL, usersFile))
		return server.Wait()
	}
	return cmd
}

// runCommandLine returns a command that works in the folder in which serve was started: it runs the suite against the
// service. If that has no file of the embedded users, the command writes one.
func (a *app) runCommandLine(url, usersFile string) string {
	binary, before := a.program, ""
	if usersFile == "" {
		usersFile = "fixtures/users.yaml"
		if content, err := os.ReadFile(usersFile); err != nil || !bytes.Equal(content, fixtures.UsersFile()) {
			usersFile = "reference-users.yaml"
			before = binary + " serve --print-users > " + usersFile + " && "
		}
	}
	return fmt.Sprintf("%sAUTHN_TARGET_URL=%s AUTHN_ACCESS_TOKEN=%s AUTHN_APPLICATION_ID=%s AUTHN_USERS=%s %s run",
		before,
		url, fixtures.AccessToken, fixtures.ApplicationID, a.wayOut().Text(shellescape.Quote(usersFile), 1000), binary)
}

// usersToServe returns the users of a file, or the embedded ones for "".
func (a *app) usersToServe(file string) ([]exchange.User, error) {
	if file == "" {
		return embeddedUsers()
	}
	suite, err := a.suite()
	if err != nil {
		return nil, err
	}
	list, _, err := users.ReadAll(file, suite.Contract, false)
	if err != nil {
		return nil, fmt.Errorf("--users: %w", err)
	}
	return list, nil
}

func listMutants(s *app) error {
	out := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, m := range mutants.All() {
		fmt.Fprintf(out, "%s\t%s\n", m.Name, m.Sentence)
	}
	return out.Flush()
}
