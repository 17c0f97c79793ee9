package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

func TestBench(t *testing.T) { testkit.Specs(t, "What a sweep is measured beside") }

var _ = It("The bare client sends the requests of a sweep, for which the target answers within the contract", func() {
	var mu sync.Mutex
	asked := map[string]int{}
	target := testkit.Must(newTarget())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		target.ServeHTTP(answer, r)
		op := schemas.Operation(filepath.Base(r.URL.Path))
		body := answer.Body.Bytes()
		accepted := op == schemas.FindByUserIDs && testkit.Contract().AcceptsAnswer(op, "", body)
		for _, user := range []string{"user-0", "user-1", "user-2"} {
			accepted = accepted || testkit.Contract().AcceptsAnswer(op, user, body)
		}
		mu.Lock()
		defer mu.Unlock()
		if accepted {
			asked[r.Method+" "+r.URL.Path]++
		}
	}))
	file := filepath.Join(GinkgoT().TempDir(), "users.csv")
	Expect(writeUsers(file, 3)).To(Succeed())
	Expect(sendAll(server.URL, file)).To(Succeed())
	expected := map[string]int{}
	for _, op := range schemas.Operations() {
		for _, v := range schemas.Versions() {
			expected["POST "+schemas.Path(v, op)] = 3
		}
	}
	Expect(asked).To(Equal(expected))
	server.Close()
	Expect(sendAll(server.URL, file)).To(MatchError(ContainSubstring("refused")))
})

// BenchmarkRun measures a run of the binary against the reference, from its start to its report folder.
func BenchmarkRun(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "conformance")
	if output, err := exec.Command("go", "build", "-o", binary, "../../cmd/conformance").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	users, err := fixtures.Users()
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(kit.Reference(users, fixtures.AccessToken))
	defer server.Close()
	for b.Loop() {
		run := exec.Command(binary, "run", "--target-url", server.URL, "--users", "../../../fixtures/users.yaml",
			"--report-dir", filepath.Join(b.TempDir(), "report"))
		run.Env = []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken,
			"AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
		if output, err := run.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, output)
		}
	}
}
