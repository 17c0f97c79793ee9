package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings"
)

// TestATokenInTheWrongSettingIsShownNowhere gives the token as the value of every flag and variable, and beside the
// flags: each time another setting is wrong, so that nothing is sent.
func TestATokenInTheWrongSettingIsShownNowhere(t *testing.T) {
	g := NewWithT(t)
	const token = "canary-7d1f0b52-4c9e-token-3b60"
	t.Chdir(t.TempDir())
	file := filepath.Join(t.TempDir(), "token.txt")
	g.Expect(os.WriteFile(file, []byte(token+"\n"), 0o600)).To(Succeed())
	variable := regexp.MustCompile(`\((AUTHN_\w+)\)$`)
	for command, of := range map[string]settings.Command{"run": settings.Run, "sweep": settings.Sweep,
		"plan": settings.Plan} {
		shown := func(args, environ []string) {
			g.THelper()
			dir := t.TempDir()
			if command != "plan" {
				args = append([]string{"--report-dir", dir}, args...)
			}
			environ = append([]string{"AUTHN_ACCESS_TOKEN_V5=" + token, "AUTHN_TARGET_URL=http://127.0.0.1:1",
				"AUTHN_TIMEOUT=none"}, environ...)
			var out, errs bytes.Buffer
			g.Expect(execute(context.Background(), append([]string{command}, args...), environ, &out, &errs)).To(
				Equal(exitError), "%s %v: %s", command, args, errs.String())
			g.Expect(out.String()+errs.String()).NotTo(ContainSubstring(token), "%s %v %v", command, args, environ)
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			g.Expect(err).NotTo(HaveOccurred())
			for _, name := range files {
				content, err := os.ReadFile(name)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(string(content)).NotTo(ContainSubstring(token), "%s %v: %s", command, args, name)
			}
		}
		shown([]string{token}, nil)
		shown([]string{"--" + token}, nil)
		shown([]string{"--access-token-file", file, "--rate", token}, []string{"AUTHN_ACCESS_TOKEN_V5=another-one"})
		flags := pflag.NewFlagSet(command, pflag.ContinueOnError)
		settings.AddFlags(of, flags)
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Name == "report-dir" {
				return
			}
			shown([]string{"--" + f.Name, token}, nil)
			if name := variable.FindStringSubmatch(f.Usage); name != nil {
				shown(nil, []string{name[1] + "=" + token})
			}
		})
	}
}
