package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
)

// waysToGive are the ways in which the secret is given, beside a setting that has it as its value. Files are in the
// working folder.
var waysToGive = map[string]struct {
	environ  []string
	settings string // of the configuration file, in YAML
}{
	"a variable":             {environ: []string{"AUTHN_ACCESS_TOKEN_V5=" + secret}},
	"a token file":           {environ: []string{"AUTHN_ACCESS_TOKEN_FILE_V5=token.txt"}},
	"a named token file":     {settings: `{target: {v5: {accessTokenFile: token.txt}}}`},
	"a header":               {settings: `{target: {v5: {headers: {X-Key: ` + secret + `}}}}`},
	"a header of a file":     {settings: `{target: {v5: {headers: {Authorization: {file: token.txt}}}}}`},
	"a wrong header":         {settings: `{target: {v5: {headers: {Host: ` + secret + `}}}}`},
	"headers as a list":      {settings: `{target: {v5: {headers: [X-Key, ` + secret + `]}}}`},
	"no member":              {settings: `{target: {accessToken: ` + secret + `}}`},
	"the name of a variable": {settings: `{target: {v5: {headers: {X-Key: {env: ` + secret + `}}}}}`},
	"the name of a file":     {settings: `{target: {v5: {headers: {X-Key: {file: ` + secret + `}}}}}`},
	"a refused proxy":        {settings: `{target: {v5: {proxy: "http://user:` + secret + `@proxy"}}}`},
	"a variable for proxy":   {environ: []string{"HTTPS_PROXY=http://user:" + secret + "@proxy"}},
	"an unused proxy":        {environ: []string{"ALL_PROXY=http://user:" + secret + "@proxy"}},
	"a key of a proxy":       {environ: []string{"HTTP_PROXY=http://" + secret + "@proxy"}},
	"a wrong proxy":          {environ: []string{"AUTHN_PROXY_V5=ftp://user:" + secret + "@proxy"}},
	"a key, not its path": {environ: []string{"AUTHN_CLIENT_KEY_V5=-----BEGIN PRIVATE KEY-----\n" + secret +
		"\n-----END PRIVATE KEY-----"}},
}

// brokenFiles are configuration files that can't be read.
var brokenFiles = map[string]string{"no YAML": "target: [", "two documents": "rate: 1\n---\nrate: 1\n", "empty": ""}

// commandsWithSettings returns a command of each kind.
func commandsWithSettings() map[string]*cobra.Command {
	s := &app{}
	return map[string]*cobra.Command{
		"run": s.withReports(settings.Run, runCommand(s)), "sweep": s.withReports(settings.Sweep, sweepCommand(s)),
		"judge": s.withReports(settings.Judge, judgeCommand(s)), "plan": planCommand(s)}
}

// TestASecretInTheWrongSettingIsShownNowhere gives the token as the value of each flag, variable and member of the
// file, and as what is none of these. Another setting is always wrong, so that nothing is sent.
func TestASecretInTheWrongSettingIsShownNowhere(t *testing.T) {
	for command, cmd := range commandsWithSettings() {
		t.Run(command, func(t *testing.T) {
			x := newExposure(t, command, "AUTHN_ACCESS_TOKEN_V5="+secret)
			x.expectHidden([]string{secret})
			x.expectHidden([]string{"--" + secret})
			x.expectHidden([]string{"-" + secret})
			x.expectHidden(nil, "AUTHN_"+secret+"=1")
			x.expectHidden(nil, "AUTHN_CONFIG=target:\n  headers: {X-Key: "+secret+"}\n")
			cmd.Flags().VisitAll(func(f *pflag.Flag) { x.expectHidden([]string{"--" + f.Name + "=" + secret}) })
			names, keys := settingsIn(environmentColumn), settingsIn(keyColumn)
			x.Expect([]int{len(names), len(keys)}).To(HaveEach(BeNumerically(">", 30)))
			for _, name := range names {
				x.expectHidden(nil, name+"="+secret)
			}
			for _, key := range keys {
				x.configure("", key)
				x.expectHidden(nil)
			}
		})
	}
}

// TestASecretIsKnownInWhateverWayItIsGiven gives it in each way, and as the value of a setting.
func TestASecretIsKnownInWhateverWayItIsGiven(t *testing.T) {
	for command := range commandsWithSettings() {
		for way, given := range waysToGive {
			t.Run(command+" with "+way, func(t *testing.T) {
				x := newExposure(t, command, given.environ...)
				x.configure(given.settings, "stale")
				x.expectHidden(nil)
				x.expectHidden([]string{secret})
				x.Expect(x.expectHidden([]string{"--rate=" + secret})).To(ContainSubstring("--rate"), "the setting")
				x.expectHidden([]string{"--shard=" + secret})
				x.expectHidden([]string{"--report-dir=" + filepath.Join("reports", secret)})
				x.expectHidden([]string{"--metrics-file=" + secret})
				x.expectHidden(nil, "AUTHN_VALUES="+secret)
				for _, broken := range brokenFiles {
					if given.settings == "" {
						x.write("conformance.yaml", broken)
						x.expectHidden([]string{"--" + settings.LastFailedFlag + "=" + secret}, "AUTHN_RATE="+secret)
					}
				}
			})
		}
	}
}

// filesWithASecret are configuration files that are refused, whole or for another member.
var filesWithASecret = []string{"target:\n  headers: {A: b}\n  headers:\n    X-Token: c\n    X-Key: " + secret + "\n",
	"target:\n  headers:\n  - X-Key: '" + secret + "'\n", "target: {headers: {X-Key: [" + secret + "], rate: 1\n",
	"token: " + secret + "\n\xff", "target:\n  headers:\n    X-Key: |\n      " + secret + "\n\t- {\n",
	"target:\n  headers:\n\n    X-Key: " + secret + "\nbroken: [\n"}

// TestASecretInAFileThatIsRefusedIsKnown gives it as the value of another setting, too.
func TestASecretInAFileThatIsRefusedIsKnown(t *testing.T) {
	for _, content := range filesWithASecret {
		t.Run(content, func(t *testing.T) {
			x := newExposure(t, runName)
			x.write("conformance.yaml", content)
			x.expectHidden([]string{"--rate=" + secret})
			x.expectHidden([]string{"--" + settings.LastFailedFlag + "=" + secret})
		})
	}
}

// TestASecretInTheArgumentsOfOtherCommandsIsNotShown gives it to the commands that have no settings.
func TestASecretInTheArgumentsOfOtherCommandsIsNotShown(t *testing.T) {
	for _, command := range []string{"merge", "serve", "explain", "verify", "sign", secret, "--" + secret} {
		for way, given := range waysToGive {
			t.Run(command+" with "+way, func(t *testing.T) {
				x := newExposure(t, command, given.environ...)
				x.configure(given.settings, "")
				x.expectHidden([]string{secret})
				x.expectHidden([]string{"--" + secret})
			})
		}
	}
}

// TestReportsWithASecretThatIsGivenAreNotCopied judges evidence, and merges a shard, of a command that did not know the
// secret.
func TestReportsWithASecretThatIsGivenAreNotCopied(t *testing.T) {
	for command, reader := range map[string]string{runName: judgeName, sweepName: mergeName} {
		t.Run(reader, func(t *testing.T) {
			t.Chdir(t.TempDir())
			g := NewWithT(t)
			var out bytes.Buffer
			g.Expect(callProgram([]string{command, "--report-dir", "first"}, nil, &out, &out)).To(
				Equal(exitPass), out.String())
			files := readAll(g, "first")
			id := regexp.MustCompile(`"(?:run|sweep)": "(\w+)"`)
			given := id.FindStringSubmatch(files["report.json"] + files["sweep.json"])[1]
			code := callProgram([]string{reader, "--report-dir", "again", "first"},
				[]string{"AUTHN_ACCESS_TOKEN=" + given}, &out, &out)
			g.Expect(code).To(Equal(exitError), out.String())
			g.Expect(out.String()).To(And(MatchRegexp("contains? a secret that is given"),
				Not(ContainSubstring("defect"))))
			for name, content := range readAll(g, "again") {
				g.Expect(content).NotTo(ContainSubstring(given), name)
			}
		})
	}
}

// The columns of the table in the README of package settings, which is made from its table of all settings.
const (
	environmentColumn = 3
	keyColumn         = 4
)

// settingsTable is read before a test changes the working folder.
var settingsTable, _ = os.ReadFile(filepath.Join("..", "..", "internal", "settings", "README.md"))

// settingsIn returns the names in a column, and those for each version.
func settingsIn(column int) (names []string) {
	for row := range strings.Lines(string(settingsTable)) {
		cells := strings.Split(row, " | ")
		if len(cells) != 6 || !strings.HasPrefix(row, "| ") {
			continue
		}
		name := regexp.MustCompile("^`([A-Za-z_.]+)`$").FindStringSubmatch(cells[column-1])
		if name == nil {
			continue
		}
		if names = append(names, name[1]); strings.HasSuffix(cells[0], "ᵛ") {
			for _, v := range schemas.Versions() {
				names = append(names, settings.ForVersion(name[1], v))
			}
		}
	}
	return names
}

// exposure is a command that is given a secret.
type exposure struct {
	*WithT
	command string
	environ []string
}

func newExposure(t *testing.T, command string, environ ...string) *exposure {
	t.Chdir(t.TempDir())
	x := &exposure{NewWithT(t), command, append([]string{"AUTHN_TARGET_URL=http://127.0.0.1:1", "AUTHN_TIMEOUT=none",
		"AUTHN_REPORT_DIR=reports"}, environ...)}
	x.configure("", "")
	x.write("token.txt", secret+"\n")
	return x
}

func (x *exposure) write(name, content string) {
	x.THelper()
	x.Expect(os.WriteFile(name, []byte(content), 0o600)).To(Succeed())
}

// configure writes a configuration file. Unless it has the member that key names, that gets the secret.
func (x *exposure) configure(content, key string) {
	x.THelper()
	root := map[string]any{"rate": 1}
	x.Expect(yaml.Unmarshal([]byte(content), &root)).To(Succeed())
	group, parts := root, strings.Split(key, ".")
	for _, name := range parts[:len(parts)-1] {
		inner, isGroup := group[name].(map[string]any)
		if !isGroup {
			inner = map[string]any{}
			group[name] = inner
		}
		group = inner
	}
	if last := parts[len(parts)-1]; group[last] == nil && key != "" {
		group[last] = secret
	}
	file, err := yaml.Marshal(root)
	x.Expect(err).NotTo(HaveOccurred())
	x.write("conformance.yaml", string(file))
}

// expectHidden expects the command to end in an error, and to show no part of the secret. It returns the error.
func (x *exposure) expectHidden(args []string, environ ...string) string {
	x.THelper()
	args = append([]string{x.command}, args...)
	if x.command == judgeName && (len(args) == 1 || args[1] != secret) {
		args = append(args, "missing.har")
	}
	var out, errs bytes.Buffer
	environ = slices.Concat([]string{"AUTHN_CONFIG=conformance.yaml"}, x.environ, environ)
	code := callProgram(args, environ, &out, &errs)
	x.Expect(code).To(Equal(exitError), "%q: %s", args, errs.String())
	shown := map[string]string{"the terminal": out.String() + errs.String()}
	x.Expect(filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == "token.txt" || name == "conformance.yaml" {
			return err
		}
		content, err := os.ReadFile(name)
		shown[name] = string(content)
		return err
	})).To(Succeed())
	x.Expect(filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		shown["the names of files"] += name + "\n"
		return err
	})).To(Succeed())
	for name, text := range shown {
		for i := range len(secret) - 11 { // a part has twelve characters (J21)
			if strings.Contains(text, secret[i:i+12]) {
				x.Expect(text).NotTo(ContainSubstring(secret[i:i+12]), "%q %q: %s", args, environ, name)
			}
		}
	}
	x.Expect(os.RemoveAll("reports")).To(Succeed())
	return errs.String()
}
