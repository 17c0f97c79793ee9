package proof_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/fronts"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/judge/ledger"
)

// drawn is a service that is drawn, behind a front that is drawn.
type drawn struct {
	front  fronts.Front
	mutant mutants.Mutant // or
	right  conforming.Service
	flags  []string
}

func drawFront(random *rand.Rand) drawn {
	d := drawn{front: fronts.All()[random.IntN(len(fronts.All()))]}
	if random.IntN(3) == 0 {
		list := slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool {
			kind, _, _ := strings.Cut(s.Name, "-")
			return len(s.Flags) > 0 || slices.Contains([]string{"host", "connection", "throttling", "slow"}, kind)
		})
		d.right = list[random.IntN(len(list))]
		return d
	}
	list := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return !d.canShow(m) })
	d.mutant = list[random.IntN(len(list))]
	d.flags = d.mutant.Flags()
	return d
}

// canShow reports whether the front leaves a mutant as wrong as it is. Left out are those that need many requests at
// the same time. Those that count their calls are wrong at some call only, which may be lost in front. Those that keep
// connections may lose them. What is broken off in its middle shows no GUID of a user with one identifier, and behind a
// front another user may be asked.
func (d drawn) canShow(m mutants.Mutant) bool {
	isFickle := strings.Contains(m.Sentence, "call") || underLoad(m) || strings.Contains(m.Name, "-in-half")
	needsRefusals := slices.ContainsFunc(m.Expect, func(id string) bool {
		return strings.HasSuffix(id, "/required") || strings.HasSuffix(id, "/divergence")
	})
	return !isFickle && !keepsConnections(m) && !(needsRefusals && d.front.TakesBadBodies)
}

func (d drawn) service() service {
	if d.right.Name == "" {
		return behind(d.front, d.mutant.Name, func() http.Handler { return d.mutant.Handler(rightService()) },
			d.flags...)
	}
	s := behind(d.front, d.right.Name, d.right.Handler, d.flags...)
	s.users, s.heavy = d.right.Users(), isHeavy(d.right.Name)
	return s
}

// registerDrawnFronts judges services behind fronts, both drawn. They wait, so they are a quarter of -combinations.
func registerDrawnFronts(a *jobs) {
	random := rand.New(rand.NewPCG(*combinationSeed, 41))
	var list []drawn
	var services []service
	for range (*combinations + 3) / 4 {
		d := drawFront(random)
		list, services = append(list, d), append(services, d.service())
	}
	result := a.add(services)

	Describe(fmt.Sprintf("A service behind a front, made of two, does not pass if it is wrong, and does not fail if "+
		"it is right, by -combination-seed %d,", *combinationSeed), Ordered, ContinueOnFailure, func() {
		for i, s := range chosenOf(services) {
			d := list[i]
			It(s.name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				if d.right.Name != "" {
					Expect(j.run.Verdict).NotTo(Equal(ledger.Fail), "%s %s", d.front.Sentence, whyNot(j))
					Expect(j.sweep.Verdict).NotTo(Equal(ledger.Fail), "%s %v", d.front.Sentence, j.sweep.Reason)
					return
				}
				expectNoPass(j)
				if j.sweep.Verdict == ledger.Pass {
					Expect(whySweepMisses(d.mutant, rightService())).NotTo(BeEmpty(),
						"the sweep passes a mutant that breaks %v: %s", d.mutant.Expect, d.mutant.Sentence)
				}
			})
		}
	})
}
