package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/openapi"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

func openapiCommand(s *app) *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "openapi",
		Short: "Write the contract as an OpenAPI 3.1 document",
		Long: `openapi writes the operations of both versions, their requests and answers with an example of each, as an
OpenAPI 3.1 document for mocks, gateways and generators of clients. Its servers are the target URLs of the
settings.`,
		Args: noArguments,
	}
	settings.AddFlags(settings.OpenAPI, cmd.Flags())
	formats := openapi.Formats()
	cmd.Flags().StringVar(&format, "format", formats[0], "`FORMAT` of the document: "+strings.Join(formats, " or "))
	complete := cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("format", complete); err != nil {
		panic("the flag --format is defined above: " + err.Error())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains(formats, format) {
			return fmt.Errorf("--format: expected %s, got %q", strings.Join(formats, " or "), format)
		}
		suite, err := s.suite()
		if err != nil {
			return err
		}
		resolved, err := engine.Value(cmd.Context(), 0, func() (*settings.Settings, error) {
			in := settings.Read(settings.OpenAPI, cmd.Flags(), s.args, s.environ)
			return in.Resolve(settings.Defaults{}, suite.Contract, time.Now())
		})
		if err != nil {
			return err
		}
		example, err := referenceExample()
		if err != nil {
			return err
		}
		o := openapi.Options{
			Suite: report.Version, Versions: resolved.Versions, Servers: map[schemas.Version]string{}, Example: example,
		}
		for v, base := range resolved.URLs {
			o.Servers[v] = base.String()
		}
		document, err := openapi.New(suite, o)
		if err != nil {
			return fmt.Errorf("defect of the suite: %w", err)
		}
		text, err := document.Encode(format)
		if err != nil {
			return fmt.Errorf("defect of the suite: %w", err)
		}
		_, err = s.stdout.Write(text)
		return err
	}
	return cmd
}

// referenceExample returns the embedded reference's answer for its first user, who is an ordinary one.
func referenceExample() (openapi.Example, error) {
	users, err := fixtures.Users()
	if err != nil {
		return openapi.Example{}, fmt.Errorf("defect of the suite: the embedded users do not load: %w", err)
	}
	records, err := fixtures.Records()
	if err != nil {
		return openapi.Example{}, fmt.Errorf("defect of the suite: the embedded records do not load: %w", err)
	}
	return openapi.Example{
		User: settings.User(users[0]), ApplicationID: fixtures.ApplicationID,
		Record: records[0].Authenticator, Identifiers: records[0].Identifiers,
	}, nil
}
