package selftest_test

import (
	"net/http/httptest"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/mutants"
)

// sweepFixturesSpecs sweep some of the services by which the judging of a run is proved: a sweep judges with the same code.
func sweepFixturesSpecs(r *rig) {
	rights := each(6, slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool {
		return strings.HasPrefix(s.Name, "throttling-") // of which there is a target that makes a sweep wait in earnest
	}))
	slices.SortFunc(rights, func(a, b conforming.Service) int { return strings.Compare(a.Name, b.Name) })
	wrongs := each(40, slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return !seenBySweep(m) }))
	slices.SortFunc(wrongs, func(a, b mutants.Mutant) int { return strings.Compare(a.Name, b.Name) })

	var jobs []func() *outcome
	for _, s := range rights {
		jobs = append(jobs, func() *outcome {
			folder := r.work()
			service, err := s.Start(folder)
			if err != nil {
				return &outcome{err: err}
			}
			defer service.Close()
			arguments := slices.Concat([]string{"sweep", "--users", usersFile(folder, s.Users())}, service.Arguments, s.Flags)
			return r.call(command{args: arguments, env: credentials(), folder: folder})
		})
	}
	reference := referenceOf(knownUsers())
	for _, m := range wrongs {
		jobs = append(jobs, func() *outcome {
			server := httptest.NewServer(m.Serve(reference))
			defer server.Close()
			return r.call(r.sweepOf(server.URL, r.users))
		})
	}
	results := runAhead(r, jobs...)

	Describe("of a conforming service", func() {
		for i, s := range rights {
			It(s.Name, func() {
				o := results.result(i)
				swept(o)
				Expect(o.code).To(Equal(0), "%s\n%s", s.Sentence, o.said())
			})
		}
	})
	Describe("of a mutant", func() {
		for i, m := range wrongs {
			It(m.Name, func() {
				o := results.result(len(rights) + i)
				swept(o)
				Expect(o.code).To(BeElementOf(1, 3), "%s\n%s", m.Sentence, o.said())
			})
		}
	})
}

// each takes every nth of a list.
func each[T any](n int, list []T) []T {
	var some []T
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

// seenBySweep tells whether a mutant breaks what the first answers to well-formed requests show. What it does to others or later,
// how it differs where the document is silent, and what nobody shows, is for a run to find.
func seenBySweep(m mutants.Mutant) bool {
	for _, part := range []string{"-null", "-later-", "-calls"} {
		if strings.Contains(m.Name, part) {
			return false
		}
	}
	return slices.ContainsFunc(m.Expect, func(id string) bool {
		return !strings.HasSuffix(id, "/required") && !strings.HasSuffix(id, "/token") && !strings.HasSuffix(id, "/divergence")
	})
}
