package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

func verifyCommand(s *app) *cobra.Command {
	policy, keyFile, maxAge, versions := verify.Policy{}, "", "", []string{}
	cmd := &cobra.Command{
		Use:   "verify FOLDER",
		Short: "Check somebody else's certificate, without the target",
		Long: `verify checks a report folder that somebody gave you, or an archive of it: that its files are those of
statement.json, who signed that, and that the evidence, judged again by the contract of this binary, gives the same rows
and verdict. It sends nothing and writes nothing.`,
		Args: oneArgument("verify takes one report folder, such as: conformance verify conformance-report"),
	}
	flags := cmd.Flags()
	flags.StringVar(&keyFile, "key", "", "public key (PEM) `FILE` of who signed the certificate, such as cosign.pub")
	flags.StringVar(&maxAge, "max-age", "", "how old the certificate may be: `DAYS` such as 30d")
	flags.StringVar(&policy.SubjectVersion, "subject-version", "",
		"the `VERSION` of the product that it has to be about")
	flags.StringVar(&policy.SubjectBuild, "subject-build", "", "the `BUILD` of the product that it has to be about")
	flags.StringVar(&policy.Target, "target", "", "the base `URL` at which every version has to have been asked")
	targets := map[schemas.Version]*string{}
	for _, v := range schemas.Versions() {
		targets[v] = flags.String("target-"+string(v), "",
			fmt.Sprintf("the base `URL` at which %s has to have been asked", v))
	}
	flags.StringSliceVar(&versions, "versions", nil, "the `VERSIONS` that it has to cover, such as v5,v6")
	flags.IntVar(&policy.UsersAtLeast, "users-at-least", 0,
		"the `NUMBER` of users whom each operation has to have served in every version")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if policy.UsersAtLeast < 0 {
			return fmt.Errorf("--users-at-least: expected a number of users, got %d", policy.UsersAtLeast)
		}
		for _, v := range versions {
			if !slices.Contains(schemas.Versions(), schemas.Version(v)) {
				return fmt.Errorf("--versions: %w", settings.NotAVersion(v))
			}
			policy.Versions = append(policy.Versions, schemas.Version(v))
		}
		if maxAge != "" {
			days, err := settings.Days(maxAge)
			if err != nil {
				return fmt.Errorf("--max-age: %w", err)
			}
			policy.MaxAge = time.Duration(days) * 24 * time.Hour
		}
		policy.Targets = map[schemas.Version]string{}
		for v, base := range targets {
			if *base != "" {
				policy.Targets[v] = *base
			}
		}
		var key []byte
		if keyFile != "" {
			var err error
			if key, err = input.ReadFile(keyFile); err != nil {
				return fmt.Errorf("--key: %w", err)
			}
		}
		suite, err := s.suite()
		if err != nil {
			return err
		}
		result, err := bounded.Value(cmd.Context(), 0, func() (*verify.Result, error) {
			files, err := verify.Open(args[0])
			if err != nil {
				return nil, err
			}
			return verify.Check(cmd.Context(), files, suite, key, policy, time.Now())
		})
		if err != nil {
			return fmt.Errorf("the certificate could not be checked: %w", err)
		}
		s.code = result.Code()
		_, err = fmt.Fprint(s.stdout, result)
		return err
	}
	return cmd
}
