package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

// resolveFuzzed writes a configuration file and resolves it.
func resolveFuzzed(t *testing.T, path string, content []byte) (*settings.Settings, error) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	contract := testkit.Contract()
	user := exchange.User{ID: firstID, UserID: "reference-user", Enrolled: true}
	defaults := settings.Defaults{AccessToken: "t", ApplicationID: "a", Users: []exchange.User{user}}
	return settings.Read(settings.Run, nil, []string{"--config", path}, nil).Resolve(defaults, contract,
		noonOfToday())
}

// FuzzFlags holds what is read leniently to what the command line is parsed to, if it can be parsed.
func FuzzFlags(f *testing.F) {
	for _, seed := range []string{"run --rate 1 --report-dir out", "--focus --report-dir -v --rate=",
		"--other --rate 5 --other=x", "-v -- --rate 1",
		"--rate", "--=x --rate 1", "---", "-vx --no --rate 1", "--users - -n 5 -n5 --number=6"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
		settings.AddFlags(settings.Run, fs)
		fs.BoolP("verbose", "v", false, "")
		fs.StringP("number", "n", "", "")
		fs.String("other", "", "")
		fs.Lookup("other").NoOptDefVal = "none"
		err := fs.Parse(args)
		in := settings.Read(settings.Run, fs, args, nil)
		if err != nil {
			return
		}
		fs.VisitAll(func(flag *pflag.Flag) {
			text, given := in.Flag(flag.Name)
			if given != flag.Changed || given && flag.Name != "verbose" && text != flag.Value.String() {
				t.Fatalf("--%s: parsed %t %q, read %t %q", flag.Name, flag.Changed, flag.Value, given, text)
			}
		})
	})
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"target: {headers: {X-A: {env: PATH}, X-B: {file: a}, X-C: '${D}'}}\n",
		"target: {applicationId: app, headers: {X-A: b, Authorization: Basic YTpi}}\nversions: [v6]\nrate: 0.5\n",
		"target: {url: 'https://h/p/', accessTokenFile: token, v5: {url: 'http://[::1]:80'}}\n",
		"waivers:\n- {requirement: 2.1/Id, version: v5, verdict: inconclusive, reason: r, until: 2027-01-31}\n",
		"waivers:\n- {requirement: 9.3/getUserAuth/shape, reason: r, until: 2020-02-29}\n",
		"parity: {mode: shape, ignore: [{pointer: /a~1/*, reason: r}]}\ndivergence: fail\n",
		"reportDir: out\nbaseline: b.json\nconcurrency: 9\ntimeout: 1s\ndeadline: 1h\n",
		"target: &t\n  v5: *t\n", "a: &a [*a, *a]\n", "waivers: !!seq x\n", "rate: !!int [1]\n", "{}", "---\n---\n",
		"\xff",
		"<<: {rate: 1}\n", "? {a: b}\n: c\n", "versions: [v5,v5]\n", "rate: .inf\n", "timeout: 10\n",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "conformance.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := resolveFuzzed(t, path, content)
		dir := settings.Read(settings.Run, nil, []string{"--config", path}, nil).ReportDir()
		if err != nil {
			lacks := strings.Contains(err.Error(), " is missing: ") || strings.Contains(err.Error(), " has no URL: ")
			if !lacks && !strings.Contains(err.Error(), path) || !utf8.ValidString(err.Error()) {
				t.Fatalf("the error does not name the file, or is no text: %q", err)
			}
			return
		}
		if dir != s.ReportDir {
			t.Fatalf("ReportDir says %q, Resolve %q", dir, s.ReportDir)
		}
		checkSettings(t, s)
	})
}

// checkSettings holds for all settings that are accepted.
func checkSettings(t *testing.T, s *settings.Settings) {
	t.Helper()
	if len(s.Versions) == 0 || len(s.Targets) != len(s.Versions) {
		t.Fatalf("versions %v with URLs %v", s.Versions, s.Targets)
	}
	if s.Concurrency != 0 || s.Rate != 0 && !(s.Rate >= 0.01) || s.Timeout <= 0 ||
		s.Deadline <= 0 {
		t.Fatalf("a number out of its bounds: %+v", s)
	}
	if s.ReportDir == "" || slices.Contains(s.Secrets, "") {
		t.Fatalf("a text is empty: %+v", s)
	}
	for _, target := range s.Targets {
		if target.AccessToken == "" || target.ApplicationID == "" || (target.URL == nil) != s.Embedded {
			t.Fatalf("a target lacks something: %+v", target)
		}
	}
	for _, w := range s.Waivers {
		versions := append(schemas.Versions(), schemas.Parity, "")
		if w.Requirement == "" || w.Reason == "" || !slices.Contains(versions, w.Version) {
			t.Fatalf("a waiver lacks something: %+v", w)
		}
	}
	for _, i := range s.Ignore {
		if !strings.HasPrefix(i.Pointer, "/") || i.Reason == "" {
			t.Fatalf("an ignored place lacks something: %+v", i)
		}
	}
	for _, h := range s.Targets[s.Versions[0]].Headers {
		if h.Name == "" || h.Value == "" || strings.ContainsAny(h.Value, "0123456789") &&
			!slices.Contains(s.Secrets, h.Value) {
			t.Fatalf("a header is wrong or no secret: %q", h.Name)
		}
	}
}
