package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"

	"github.com/spf13/pflag"
)

// resolveFuzzed writes content to a file and resolves it as the value of a flag.
func resolveFuzzed(t *testing.T, flag, path string, content []byte) (*settings.Settings, error) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	contract, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
	settings.AddFlags(fs)
	if err := fs.Parse([]string{flag, path}); err != nil {
		t.Fatal(err)
	}
	user := settings.User{ID: firstID, UserID: "reference-user", Enrolled: true}
	return settings.Resolve(fs, nil, settings.Defaults{AccessToken: "t", ApplicationID: "a", Users: []settings.User{user}},
		contract, time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC))
}

// checkUsers holds for every list of users that is accepted.
func checkUsers(t *testing.T, users []settings.User) {
	t.Helper()
	seen := map[settings.User]bool{}
	enrolled := false
	for _, u := range users {
		key := settings.User{ID: strings.ToLower(u.ID), UserID: u.UserID}
		if seen[key] {
			t.Fatalf("%+v stands twice", u)
		}
		seen[key] = true
		enrolled = enrolled || u.Enrolled
		if len(u.ID) != len(firstID) || strings.Trim(key.ID, "0123456789abcdef-") != "" || strings.Count(u.ID, "-") != 4 {
			t.Fatalf("%q is no GUID", u.ID)
		}
		if u.UserID == "" || !utf8.ValidString(u.UserID) || !utf8.ValidString(u.Name) {
			t.Fatalf("%+v has a wrong text", u)
		}
	}
	if !enrolled {
		t.Fatalf("nobody is enrolled among %d users", len(users))
	}
}

func FuzzUsers(f *testing.F) {
	forms := []string{".yaml", ".json", ".ndjson", ".csv"}
	seeds := []string{
		"- {id: " + firstID + ", userId: a, enrolled: true, name: n}\n- &x {id: " + secondID + ", userId: '1'}\n",
		`[{"id":"` + firstID + `","userId":"\ud83d\ude00","enrolled":true},{"id":"` + secondID + `","userId":"b","enrolled":false}]`,
		`{"id":"` + firstID + `","userId":"a"}` + "\r\n\r\n" + `{"id":"` + secondID + `","userId":"b","name":""}`,
		"\ufeffuserId,id,enrolled\n\"a\n\"\"b\"," + firstID + ",true\n\nb," + secondID + ",false\n",
		"- &a [*a]\n", "[[[[", "{\"id\":{}}", "id,userId\n\"", "- *a\n", "--- !!seq x\n", "\xff\xfe", "[\n",
	}
	for form := range forms {
		for _, seed := range seeds {
			f.Add(form, []byte(seed))
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, form int, content []byte) {
		path := filepath.Join(folder, "users"+forms[uint(form)%uint(len(forms))])
		s, err := resolveFuzzed(t, "--users", path, content)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "--users: "+path+":") || !utf8.ValidString(err.Error()) {
				t.Fatalf("the error does not name the file, or is no text: %q", err)
			}
			return
		}
		checkUsers(t, s.Users)
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
		"target: &t\n  v5: *t\n", "a: &a [*a, *a]\n", "waivers: !!seq x\n", "rate: !!int [1]\n", "{}", "---\n---\n", "\xff",
		"<<: {rate: 1}\n", "? {a: b}\n: c\n", "versions: [v5,v5]\n", "rate: .inf\n", "timeout: 10\n",
	} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "conformance.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := resolveFuzzed(t, "--config", path, content)
		dir := settings.ReportDir(nil, nil, []string{"--config", path}, nil)
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
		checkUsers(t, s.Users)
		checkSettings(t, s)
	})
}

// checkSettings holds for all settings that are accepted.
func checkSettings(t *testing.T, s *settings.Settings) {
	t.Helper()
	if len(s.Versions) == 0 || !s.Embedded && len(s.URLs) != len(s.Versions) || s.Embedded && len(s.URLs) != 0 {
		t.Fatalf("versions %v with URLs %v", s.Versions, s.URLs)
	}
	if s.Concurrency < 1 || s.Concurrency > 256 || s.Rate != 0 && !(s.Rate >= 0.01) || s.Timeout <= 0 || s.Deadline <= 0 {
		t.Fatalf("a number out of its bounds: %+v", s)
	}
	if s.AccessToken == "" || s.ApplicationID == "" || s.ReportDir == "" || slices.Contains(s.Secrets, "") {
		t.Fatalf("a text is empty: %+v", s)
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
	for _, h := range s.Headers {
		if h.Name == "" || h.Value == "" || strings.ContainsAny(h.Value, "0123456789") && !slices.Contains(s.Secrets, h.Value) {
			t.Fatalf("a header is wrong or no secret: %q", h.Name)
		}
	}
}
