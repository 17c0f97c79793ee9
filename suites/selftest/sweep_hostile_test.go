package selftest_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
)

// sweepHostile sweeps the users of a hostile target, with a token of which nothing may be left.
func sweepHostile(r *rig, t hostile.Target, token string) *outcome {
	folder := r.work()
	running, err := t.Start(folder, hostile.Options{AccessToken: token})
	if err != nil {
		return &outcome{err: err}
	}
	defer running.Close()
	arguments := slices.Concat([]string{"sweep", "--users", usersFile(folder, t.Users())}, running.Arguments, t.Flags)
	if !slices.Contains(arguments, "--deadline") {
		arguments = append(arguments, "--deadline", "3s")
	}
	env := []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	o := r.call(command{args: arguments, env: env, folder: folder, within: bound})
	if n := running.Lured(); n > 0 && o.err == nil {
		o.err = fmt.Errorf("another origin got %d requests", n)
	}
	return o
}

// sweepHostileSpecs have targets swept that mean harm: a sweep ends, with whole files and without a secret in them. They are
// those that return secrets, and some of the others, for a sweep asks by the client of a run, of which all are proved.
func sweepHostileSpecs(r *rig) {
	list := hostile.All()
	list = slices.DeleteFunc(list, func(t hostile.Target) bool {
		kind, _, _ := strings.Cut(t.Name, "-")
		return !t.Returns && !slices.Contains([]string{"text", "lure", "fickle"}, kind)
	})
	var jobs []func() *outcome
	for i, t := range list {
		token := []string{plainToken, oddToken}[i%2]
		jobs = append(jobs, func() *outcome { return sweepHostile(r, t, token) })
	}
	results := runAhead(r, jobs...)

	Describe("of a hostile target", func() {
		for i, t := range list {
			It(t.Name, func() {
				o := results.result(i)
				Expect(o.err).NotTo(HaveOccurred())
				Expect(o.expired).To(BeFalse(), o.said())
				Expect(o.code).To(BeElementOf(0, 1, 2, 3), o.said())
				Expect(tracesIn(o, plainToken, oddToken)).To(BeEmpty())
				streams := o.stdout + o.stderr
				Expect(odd(streams)).To(BeEmpty())
				Expect(streams).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect"), ContainSubstring("goroutine")))
				Expect(strings.Count(o.stdout, "\nverdict: ")).To(BeNumerically("<=", 1))
				Expect(len(streams)).To(BeNumerically("<", 1<<20), "what a person is to read")
				Expect(o.peak).To(BeNumerically("<", mostMemory))
				// Four requests for each of two users may be over before a fickle target is.
				if o.code == 0 && !strings.HasPrefix(t.Name, "fickle-") {
					Expect(t.Codes).To(ContainElement(0), "a run of it does not pass")
				}
				if o.code == 2 {
					failedSweep(o)
					return
				}
				swept(o)
			})
		}
	})
}
