package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/suites/internal/testkit"
)

// upgrade is a service, and what an operator has: its URL, a token, and a users file.
type upgrade struct {
	*WithT
	environ []string
	// stopAfter is how many requests are answered until stop is called; 0: it is not.
	stopAfter atomic.Int64
	stop      context.CancelFunc
}

func newUpgrade(t *testing.T) *upgrade {
	u := &upgrade{WithT: NewWithT(t)}
	service := kit.Reference(kit.Users(), fixtures.AccessToken)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u.stopAfter.Add(-1) == 0 {
			u.stop()
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	u.Expect(os.WriteFile("users.ndjson", testkit.UsersNDJSON(), 0o600)).To(Succeed())
	u.environ = []string{"AUTHN_TARGET_URL=" + server.URL, "AUTHN_USERS=users.ndjson",
		"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	return u
}

// expect executes a command, which ends with a code, and returns what it prints. without is a variable that is lost.
func (u *upgrade) expect(code int, without string, args ...string) string {
	var environ []string
	for _, variable := range u.environ {
		if without == "" || !strings.HasPrefix(variable, without+"=") {
			environ = append(environ, variable)
		}
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	u.stop = func() { stop(interruption{os.Interrupt}) }
	var out bytes.Buffer
	u.Expect(execute(ctx, args, environ, &out, &out)).To(Equal(code), "%q: %s", args, &out)
	return out.String()
}

// TestAnUpgradeInPlace records v5 in three parts, each of which is stopped once, and compares v6 with the record. Then
// three nights are gated with a baseline; in the second the URL is lost.
func TestAnUpgradeInPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	u := newUpgrade(t)
	u.expect(exitPass, "", "run", "--versions", "v5", "--report-dir", "v5-run")
	for part := 1; part <= 3; part++ {
		args := []string{"sweep", "--versions", "v5", "--record", "v5", "--report-dir", "v5-{shard}",
			"--shard", fmt.Sprintf("%d/3", part), "--resume=if-begun"}
		u.stopAfter.Store(3)
		u.expect(exitStopped, "", args...)
		u.expect(exitPass, "", args...)
	}
	u.Expect(u.expect(exitPass, "", "merge", "v5-1", "v5-2", "v5-3", "--report-dir", "v5-whole")).To(
		ContainSubstring("v5 is recorded, and within the contract"))

	u.Expect(u.expect(exitPass, "", "run", "--recorded", "v5=v5", "--report-dir", "v6-by-parts")).To(
		ContainSubstring("certifies nothing: v5 was recorded"))
	u.expect(exitPass, "", "run", "--recorded", "v5=v5-run", "--report-dir", "v6-run")
	u.expect(exitPass, "", "sweep", "--recorded", "v5=v5", "--report-dir", "v6-sweep")

	u.expect(exitPass, "", "run", "--update-baseline", "baseline.json", "--report-dir", "first")
	for night := range 3 {
		args := []string{"run", "--baseline", "baseline.json", "--report-dir", "night-{date}", "--metrics-file",
			"m.prom"}
		if night == 1 {
			u.Expect(u.expect(exitError, "AUTHN_TARGET_URL", args...)).To(ContainSubstring("the target has no URL"))
			u.Expect(os.ReadFile("m.prom")).To(ContainSubstring(`verdict="error"} 1`))
			continue
		}
		u.expect(exitPass, "", args...)
	}
	nights, err := os.ReadDir(".")
	u.Expect(err).NotTo(HaveOccurred())
	folders := map[string]bool{}
	for _, entry := range nights {
		if strings.HasPrefix(entry.Name(), "night-") {
			folders[entry.Name()] = true
		}
	}
	u.Expect(folders).To(HaveLen(3), "each night has its own")
	u.expect(exitPass, "", "verify", "first", "--users-at-least", "10")
}
