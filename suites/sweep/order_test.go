package sweep_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
)

// manyUsers are users whom the reference makes records up for, some of them not enrolled.
func manyUsers(n int) []fixtures.User {
	users := make([]fixtures.User, n)
	for i := range users {
		users[i] = fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), UserID: fmt.Sprintf("user-%d", i),
			Enrolled: i%7 != 3}
	}
	return users
}

var _ = Describe("However many requests are in flight", func() {
	It("the findings are the same, in the population's order, and so are all counts", func() {
		users := manyUsers(250)
		right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID})
		m, known := mutants.Find(wrongForAll)
		Expect(known).To(BeTrue())
		var first *sweepRun
		for _, atOnce := range []int{1, 64} {
			out := finishSweep(serveUntilEnd(httptest.NewServer(m.Handler(right))), usersOf(users, false),
				withConcurrency(atOnce))
			Expect(out.Verdict).To(Equal(ledger.Fail))
			Expect(len(out.lines)).To(BeNumerically(">=", 200))
			Expect(inOrder(out)).To(BeTrue(), "%d at a time", atOnce)
			if first == nil {
				first = out
				continue
			}
			Expect(progressOf(out)).To(Equal(progressOf(first)), "%d at a time", atOnce)
			Expect(out.Tally.Outcomes).To(Equal(first.Tally.Outcomes))
			Expect(out.Tally.Findings).To(Equal(first.Tally.Findings))
			Expect(out.Tally.Groups).To(Equal(first.Tally.Groups))
			Expect(out.Tally.Requests).To(Equal(first.Tally.Requests))
			Expect(out.Read).To(Equal(first.Read))
		}
	})

	It("a slow user delays no other, and the order stays", func() {
		users := manyUsers(150)
		right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID})
		m, known := mutants.Find(wrongForAll)
		Expect(known).To(BeTrue())
		wrong := m.Handler(right)
		var others atomic.Int64
		enough := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // what can't be read is refused by the reference
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte(`"user-0"`)) {
				<-enough
			} else if others.Add(1) == 300 {
				close(enough)
			}
			wrong.ServeHTTP(w, r)
		}))
		out := finishSweep(serveUntilEnd(server), usersOf(users, false), withConcurrency(2))
		Expect(out.Tally.Users).To(BeEquivalentTo(len(users)))
		Expect(out.lines[0].User.Index).To(BeZero())
		Expect(inOrder(out)).To(BeTrue())
	})
})

// wrongForAll names a mutant that is wrong for everybody who has a record, in v5.
const wrongForAll = "created-on-two-digit-fraction-v5"

// progressOf are findings as text.
func progressOf(out *sweepRun) []string {
	list := make([]string, len(out.lines))
	for i, f := range out.lines {
		list[i] = fmt.Sprintf("%d %s %s %s %s %s %s %s", f.User.Index, f.Exchange, f.Operation, f.Version,
			f.Requirement, f.Kind, f.Pointer, f.Actual)
	}
	return list
}

func inOrder(out *sweepRun) bool {
	return slices.IsSortedFunc(out.lines, func(a, b stats.Finding) int {
		return cmp.Compare(a.User.Index, b.User.Index)
	})
}
