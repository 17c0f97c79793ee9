package selftest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
)

// conformingSpecs has every service certified that keeps the contract in an unusual way.
func conformingSpecs(r *rig) {
	type certified struct {
		*outcome
		requests int64
	}
	list := conforming.All()
	slices.SortFunc(list, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	var jobs []func() certified
	for _, s := range list {
		jobs = append(jobs, func() certified {
			folder := r.work()
			service, err := s.Start(folder)
			if err != nil {
				return certified{&outcome{err: err}, 0}
			}
			defer service.Close()
			arguments := append([]string{"run", "--users", usersFile(folder, s.Users())}, service.Arguments...)
			o := r.call(command{args: append(arguments, s.Flags...), env: credentials(), folder: folder})
			return certified{o, service.Requests()}
		})
	}
	results := runAhead(r, jobs...)

	Describe("A conforming service", Label(proof), func() {
		for i, s := range list {
			It(s.Name, Label(conformingService), func() {
				o := results.result(i)
				report := sound(o.outcome)
				Expect(report.Verdict).To(Equal("pass"), "%s\n%s\n%s", s.Sentence, report.accused(), o.stderr)
				Expect(report.Complete).To(BeTrue())
				Expect(report.rows("fail", "inconclusive")).To(BeEmpty())
				Expect(o.requests).To(BeNumerically("<=", report.Counts.Requests), "requests reached the service that the report does not count")
				if !strings.HasPrefix(s.Name, "connection-") {
					// There a request may be lost with the connection that the service closed meanwhile.
					Expect(o.requests).To(Equal(report.Counts.Requests), "requests are counted that did not reach the service")
				}
			})
		}
	})
}

// usersFile writes a users file of JSON.
func usersFile(folder string, users []fixtures.User) string {
	type entry struct {
		ID       string `json:"id"`
		UserID   string `json:"userId"`
		Enrolled bool   `json:"enrolled"`
		Name     string `json:"name"`
	}
	entries := make([]entry, len(users))
	for i, u := range users {
		entries[i] = entry(u)
	}
	content, err := json.Marshal(entries)
	if err != nil {
		panic(err) // texts and a boolean always marshal
	}
	return write(folder, "users.json", content)
}

// write puts a file into a folder of this suite's own, and gives its path.
func write(folder, name string, content []byte) string {
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		panic(err)
	}
	return path
}
