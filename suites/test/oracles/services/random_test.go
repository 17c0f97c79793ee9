package services_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestServices(t *testing.T) {
	// Each change is checked with the same few services; -rapid.checks asks for more, and every night has others.
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["rapid.checks"] {
		_ = flag.Set("rapid.checks", "60")
		_ = flag.Set("rapid.seed", "1")
	}
	_ = flag.Set("rapid.nofailfile", "true")
	RegisterFailHandler(Fail)
	RunSpecs(t, "services")
}

var _ = Describe("A service that is made at random", func() {
	It("gets from run and sweep the verdict of each row that its making says", func() {
		dir := GinkgoT().TempDir()
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			s := drawService(t)
			server := httptest.NewServer(s)
			defer server.Close()
			base, _ := url.Parse(server.URL)
			expected := s.deservedVerdicts()

			own := testkit.Settings(base, s.users)
			judged := run.New(own, testkit.Suite(), "0", run.Input{})
			err := judged.Execute(t.Context(), nil)
			got := report.New(judged.Result(err), sanitize.New(own, testkit.Contract(), report.Name))
			for _, row := range got.Requirements {
				name := string(row.Version) + " " + row.ID
				if want, known := expected[name]; known && want != string(row.Verdict) {
					t.Fatalf("run: %s is %s, expected %s\n%s", name, row.Verdict, want, s)
				} else if !known && !strings.HasSuffix(row.ID, "/divergence") && row.Verdict != ledger.Inconclusive {
					t.Fatalf("run: %s is unknown to the oracle", name)
				}
			}
			s.checkSweep(t, own, dir, expected)
		})
	})
})

// checkSweep sweeps the service: it finds what breaks the contract in a well-formed request, and all differences.
func (s *service) checkSweep(t *rapid.T, own *settings.Settings, dir string, expected map[string]string) {
	var text strings.Builder
	text.WriteString("id,userId,enrolled\n")
	for _, u := range s.users {
		fmt.Fprintf(&text, "%s,%s,%t\n", u.ID, u.UserID, u.Enrolled)
	}
	own.Users, own.Deadline, own.Concurrency, own.UsersFile = nil, 0, 4, filepath.Join(dir, "users.csv")
	if err := os.WriteFile(own.UsersFile, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	summary := testkit.Sweep(ctx, own, testkit.Suite())
	var want, got []string
	for name, verdict := range expected {
		if verdict == "fail" && !strings.HasSuffix(name, "/required") && !strings.HasSuffix(name, " 4.2/user") {
			want = append(want, name)
		}
	}
	for _, g := range summary.Tally.Groups {
		got = append(got, string(g.Version)+" "+g.Requirement)
	}
	slices.Sort(want)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Fatalf("sweep: found %v, expected %v\n%s", got, want, s)
	}
	if fails := summary.Verdict == ledger.Fail; fails != (len(want) > 0) {
		t.Fatalf("sweep: is %s with %v\n%s", summary.Verdict, want, s)
	}
}

// String has what the service answers.
func (s *service) String() string {
	var text strings.Builder
	for i, u := range s.users {
		for _, v := range versions {
			if a := s.shows[v][i]; a != nil {
				fmt.Fprintf(&text, "%s %s: %s %s\n", v, u.UserID, a.body("getUserAuth"), a.body("findByUserIds"))
			}
		}
	}
	return text.String() + fmt.Sprintln("serves without:", s.lenient, fixtures.ApplicationID)
}
