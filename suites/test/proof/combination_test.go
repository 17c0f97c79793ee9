package proof_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
)

// Each change is checked with the same services; every night has others.
var (
	combinations    = flag.Int("combinations", 15, "how many services are made of two")
	combinationSeed = flag.Uint64("combination-seed", 1, "by which they are drawn")
)

// combination is two services in one: the outer one spells, codes and sends what the inner one answers.
type combination struct {
	outer  conforming.Service
	inner  conforming.Service // if there are no mutants
	faults []mutants.Mutant   // one, or two over each other
}

// changesOnlySending reports whether a conforming service only changes how an answer is written and sent, not what it
// says: one that says something else may take a mutant's fault away.
func changesOnlySending(s conforming.Service) bool {
	kind, _, _ := strings.Cut(s.Name, "-")
	if strings.Contains(s.Name, "refusal") || strings.HasPrefix(s.Name, "text-a-megabyte") {
		return false
	}
	return slices.Contains([]string{"coding", "connection", "framing", "host", "status", "text", "type"}, kind) ||
		s.Name == "list-of-one" || s.Name == "list-of-three"
}

// isHeavy reports whether a service of this name has large answers.
func isHeavy(name string) bool {
	return strings.Contains(name, "megabyte") || strings.Contains(name, "thousand")
}

func drawCombination(random *rand.Rand) combination {
	outer := slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool { return !changesOnlySending(s) })
	c := combination{outer: outer[random.IntN(len(outer))]}
	switch random.IntN(4) {
	case 0:
		inner := slices.DeleteFunc(conforming.All(), func(s conforming.Service) bool {
			return changesOnlySending(s) || strings.HasPrefix(s.Name, "throttling-") || len(s.Flags) > 0 ||
				strings.Contains(s.Sentence, "clos") || // which another server than net/http's can't do
				isHeavy(s.Name) && strings.Contains(c.outer.Name, "chunk") || // of seven bytes: minutes
				// makes records of it, or elements that nothing matches
				strings.HasPrefix(c.outer.Name, "list-") && (strings.HasPrefix(s.Name, "nothing-") ||
					strings.Contains(s.Name, "refusal") || s.Name == "change-id")
		})
		c.inner = inner[random.IntN(len(inner))]
	case 1: // two faults of different fields
		fields := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool {
			return !strings.HasPrefix(m.Expect[0], "2.") || m.Expect[0] == "2.1/Device" ||
				m.Expect[0] == "2.1/UserId" ||
				m.Expect[0] == "2.1/Id" || // which the members of lists get
				// the former: any fault of a record
				strings.HasPrefix(m.Name, "find-by-user-ids-records") || !c.canShow(m)
		})
		for len(c.faults) < 2 || c.faults[0].Expect[0] == c.faults[1].Expect[0] {
			c.faults = []mutants.Mutant{fields[random.IntN(len(fields))], fields[random.IntN(len(fields))]}
		}
	default:
		all := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return !c.canShow(m) })
		c.faults = []mutants.Mutant{all[random.IntN(len(all))]}
	}
	return c
}

// keepsConnections reports whether a mutant is wrong only on connections that are kept, which what is before it may
// close.
func keepsConnections(m mutants.Mutant) bool { return strings.Contains(m.Name, "once-per-connection") }

// canShow reports whether the outer service leaves a mutant's fault as it is. It sends the answer itself, so no
// connection is closed too early, or each is; one that writes the JSON anew mends or breaks what is served in another
// text; one that differs between the versions adds a divergence; one that makes three records of one gives two an Id;
// one that makes a list leaves none that another made; what is called HTML and is no JSON looks like a refusal.
func (c combination) canShow(m mutants.Mutant) bool {
	served := slices.ContainsFunc(m.Expect, func(id string) bool { return id[0] == '4' || id[0] == '5' })
	writes := strings.HasPrefix(c.outer.Name, "text-") || strings.HasPrefix(c.outer.Name, "list-") ||
		c.outer.Name == "type-html" ||
		strings.HasPrefix(c.outer.Name, "coding-") && strings.Contains(m.Name, "encoding")
	differs := strings.HasSuffix(c.outer.Name, "-v5") || strings.HasSuffix(c.outer.Name, "-v6")
	return !strings.Contains(m.Sentence, "closes the connection") && !keepsConnections(m) &&
		!strings.Contains(m.Sentence, "broken off") && !(served && writes) &&
		!(len(m.Flags()) > 0 && differs) &&
		!(strings.HasPrefix(c.outer.Name, "list-") && strings.Contains(m.Name, "shape-lists")) &&
		!(c.outer.Name == "list-of-three" && slices.Contains(m.Expect, "2.1/Id"))
}

func (c combination) name() string {
	name := c.outer.Name
	for _, m := range c.faults {
		name += " over " + m.Name
	}
	if len(c.faults) == 0 {
		name += " over " + c.inner.Name
	}
	return name
}

func (c combination) flags() []string {
	flags := slices.Clone(c.outer.Flags)
	for _, m := range c.faults {
		flags = append(flags, m.Flags()...)
	}
	if !slices.ContainsFunc(c.faults, underLoad) {
		flags = append(flags, oneAtATime...)
	}
	return flags
}

// users are those of the inner service, if the outer one knows no others.
func (c combination) users() []fixtures.User {
	if len(c.faults) == 0 {
		return c.inner.Users()
	}
	return kit.Users()
}

// handler answers as the inner service does, without the outer one; skip leaves out one of the mutants.
func (c combination) handler(skip int) http.Handler {
	handler := kit.Reference(c.users(), fixtures.AccessToken)
	if len(c.faults) == 0 {
		return c.inner.Over(handler)
	}
	for i, m := range c.faults {
		if i != skip {
			handler = m.Handler(handler)
		}
	}
	return handler
}

// hides reports whether the others hide what one of the mutants does wrong in a row: whatever a run asks for it, the
// answers are those that come without the mutant.
func (c combination) hides(mutant int, row string) bool {
	return slices.EqualFunc(answersFor(row, c.outer.Over(c.handler(-1))),
		answersFor(row, c.outer.Over(c.handler(mutant))), func(a, b *httptest.ResponseRecorder) bool {
			return a == nil && b == nil || a != nil && b != nil && a.Code == b.Code &&
				a.Body.String() == b.Body.String() &&
				a.Header().Get("Content-Type") == b.Header().Get("Content-Type") &&
				maps.EqualFunc(a.Header(), b.Header(), func(_, _ []string) bool { return true }) // what is observed
		})
}

// answersFor returns the answers of a handler to the requests of a run for a row: those that are well-formed in the
// order of a run, for the operation that the row names, or for both. If the row is of refusals, those that must be
// refused follow, for the first user.
func answersFor(row string, handler http.Handler) []*httptest.ResponseRecorder {
	isOther := func(op schemas.Operation) bool { return !strings.Contains(row, string(op)) }
	operations := schemas.Operations()
	if named := slices.DeleteFunc(slices.Clone(operations), isOther); len(named) > 0 {
		operations = named
	}
	var all []*httptest.ResponseRecorder
	ask := func(op schemas.Operation, u fixtures.User, change func(members map[string]any)) {
		for _, v := range schemas.Versions() {
			all = append(all, answerOf(handler, v, op, u, change))
		}
	}
	for _, op := range operations {
		for _, u := range kit.Users() {
			for range 2 {
				ask(op, u, nil)
			}
		}
		if !slices.Contains([]string{"required", "token", "divergence"}, path.Base(row)) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(kit.WellFormed(op, kit.Users()[0]))) {
			ask(op, kit.Users()[0], func(members map[string]any) { delete(members, name) })
			for _, value := range []any{nil, ""} {
				ask(op, kit.Users()[0], func(members map[string]any) { members[name] = value })
			}
		}
	}
	return all
}

// registerCombinations judges services that are made of two: a conforming one that writes and sends what another one or
// a mutant answers.
func registerCombinations(a *jobs) {
	random := rand.New(rand.NewPCG(*combinationSeed, 26))
	var list []combination
	var services []service
	for range *combinations {
		c := drawCombination(random)
		s := service{name: c.name(), users: c.users(), flags: c.flags(), heavy: isHeavy(c.name()),
			start: func(folder string) (*kit.Running, error) { return c.outer.StartOver(folder, c.handler(-1)) }}
		list, services = append(list, c), append(services, s)
	}
	result := a.add(services)

	Describe(fmt.Sprintf("A service that is made of two is judged as both of them declare, by -combination-seed %d,",
		*combinationSeed), Ordered, ContinueOnFailure, func() {
		for i, s := range chosenOf(services) {
			c := list[i]
			It(s.name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				j.expectSameAgain()
				c.expectJudged(j)
			})
		}
	})
}

func (c combination) expectJudged(j *judged) {
	GinkgoHelper()
	if len(c.faults) == 0 {
		Expect(j.run.Verdict).To(Equal(verdictOf(c.inner)), "%s %s %s", c.outer.Sentence, c.inner.Sentence, whyNot(j))
		return
	}
	unrelated := map[string]int{}
	for i, m := range c.faults {
		if m.RefusesAll || m.StopsServing || m.StartsRefusing && j.run.Verdict == ledger.Fault {
			Expect(j.run.Verdict).To(Equal(ledger.Fault), m.Sentence)
			return
		}
		k := killOf(m, j.run)
		for _, row := range k.missed {
			Expect(c.hides(i, row)).To(BeTrue(), "%s is not found: %s", row, m.Sentence)
		}
		for _, row := range k.unrelated {
			unrelated[row]++
		}
	}
	for row, count := range unrelated {
		Expect(count).To(BeNumerically("<", len(c.faults)), "accused without a reason: %s: %s", row,
			c.faults[0].Sentence)
	}
}
