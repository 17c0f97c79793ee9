package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/command/verify"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
	"authenticator-conformance/suites/internal/settings/input"
)

func signCommand(s *app) *cobra.Command {
	keyFile, replace := "", false
	cmd := &cobra.Command{
		Use:   "sign FOLDER",
		Short: "Sign a certificate with a private key",
		Long: `sign signs the statement.json of a report folder, and with ` +
			`it all files that it names. The signature is a Sigstore
bundle, statement.sigstore.json: conformance verify and cosign verify-blob-attestation check it with the public key. The
key is ECDSA, Ed25519 or RSA, in PEM and not encrypted. To make one: openssl ecparam -name prime256v1 -genkey -noout`,
		Args: oneArgument("sign takes one report folder, such as: conformance sign conformance-report --key key.pem"),
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "private key (PEM) `FILE` of who signs the certificate")
	cmd.Flags().BoolVar(&replace, replaceFlag, false, "replace an earlier signature")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if keyFile == "" {
			return errors.New("--key is missing: give the private key of who signs as --key FILE")
		}
		path := filepath.Join(args[0], report.SignatureFile)
		if _, err := os.Lstat(path); err == nil && !replace {
			return fmt.Errorf("%s: the certificate is signed already: replace the signature with --%s", path,
				replaceFlag)
		}
		key, err := input.ReadFile(keyFile)
		if err != nil {
			return fmt.Errorf("--key: the file that it names %w", err)
		}
		files, err := verify.Open(args[0])
		if err != nil {
			return err
		}
		signed, err := verify.Sign(files, key)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(path, signed, 0o644); err != nil {
			return fmt.Errorf("%s can't be written: %w; sign a copy of the folder that you may write to", path,
				input.WithoutPath(err))
		}
		_, err = fmt.Fprintf(s.stdout, "%s is signed; conformance verify %s --key PUBLIC.pem checks it\n", path,
			args[0])
		return err
	}
	return cmd
}
