package proof_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/fronts"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/judge/ledger"
)

// behind is a service behind a front.
func behind(f fronts.Front, name string, handler func() http.Handler, flags ...string) service {
	return service{name: f.Name + " before " + name, users: kit.Users(), flags: slices.Concat(f.Flags, flags),
		start: func(folder string) (*kit.Running, error) { return f.Start(folder, handler()) }}
}

func rightService() http.Handler { return kit.Reference(kit.Users(), fixtures.AccessToken) }

// wrongServices are behind every front: one that checks nothing, and two that fail to refuse one request of a run.
func wrongServices() map[string]func() http.Handler {
	list := map[string]func() http.Handler{
		"checks-nothing": func() http.Handler { return fronts.ChecksNothing(rightService()) },
	}
	for _, name := range []string{nullServed, "get-user-auth-token-checked-by-ends"} {
		list[name] = func() http.Handler { return mutant(name) }
	}
	return list
}

// mutant returns a new service that is wrong as the mutant with a name.
func mutant(name string) http.Handler {
	m, found := mutants.Find(name)
	if !found {
		panic("there is no mutant " + name)
	}
	return m.Handler(rightService())
}

// nullServed is wrong only for a request without a required field.
const nullServed = "find-by-user-ids-application-id-null-served-v5"

// unenrolled shows another user's record to the one without authenticators.
const unenrolled = "get-user-auth-unenrolled-anothers-record"

func registerFronts(a *jobs) {
	registerRightBehind(a)
	registerWrongBehind(a)
	registerNodes(a)
}

// registerRightBehind judges the reference behind each front.
func registerRightBehind(a *jobs) {
	var list []fronts.Front
	var services []service
	for _, f := range fronts.All() {
		list, services = append(list, f), append(services, behind(f, "the reference", rightService))
		s := behind(f, "the reference", rightService, "--divergence", "fail")
		s.name, s.runOnly = s.name+", alike at open points", true
		f.Right = append(slices.Clone(f.Right), string(ledger.Inconclusive)) // what differed may be the front's
		list, services = append(list, f), append(services, s)
	}
	result := a.add(services)

	Describe("A right service behind a front never fails,", Label(proofLabel), func() {
		for i, s := range chosenOf(services) {
			f := list[i]
			It(s.name+": "+f.Sentence, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				Expect(f.Right).To(ContainElement(string(j.run.Verdict)), "%s The run: %s", f.Sentence, whyNot(j))
				if !s.runOnly {
					Expect(f.RightSweep).To(ContainElement(string(j.sweep.Verdict)), "%s The sweep: %v", f.Sentence,
						j.sweep.Reason)
				}
				j.expectSameAgain()
			})
		}
	})
}

// registerWrongBehind judges wrong services behind each front. A front that repairs what one does is left out. One that
// is wrong for the user without authenticators only is behind what refuses everybody for a while, in a sweep, too.
func registerWrongBehind(a *jobs) {
	var services []service
	for _, f := range fronts.All() {
		if strings.HasPrefix(f.Name, "outage-in-reads") {
			services = append(services, behind(f, unenrolled, func() http.Handler { return mutant(unenrolled) }))
		}
		for name, handler := range wrongServices() {
			if f.TakesBadBodies && name == nullServed {
				continue
			}
			s := behind(f, name, handler)
			s.runOnly = true
			services = append(services, s)
		}
	}
	slices.SortFunc(services, func(a, b service) int { return strings.Compare(a.name, b.name) })
	result := a.add(services)

	Describe("A wrong service behind a front is never certified,", Label(proofLabel), func() {
		for i, s := range chosenOf(services) {
			It(s.name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				expectNoPass(j)
				if !s.runOnly {
					Expect(j.sweep.Verdict).NotTo(Equal(ledger.Pass))
				}
				j.expectSameAgain()
			})
		}
	})
}

// registerNodes judges two nodes, one of which is wrong, and three if that shows in what is read, and nodes that are
// lost. A sweep asks one request at a time, so that it is known which node gets it.
func registerNodes(a *jobs) {
	nodes := func(name string, newHandler func() http.Handler, flags ...string) service {
		return service{name: name, users: kit.Users(), flags: flags,
			start: func(folder string) (*kit.Running, error) {
				return kit.Start(folder, func(r *kit.Running) error { return r.SetTarget(r.ServePlain(newHandler())) })
			}}
	}
	right, wrong, anyToken := rightService(), fronts.ChecksNothing(rightService()), fronts.ChecksNoToken(rightService())
	needsNoID, wrongType := mutant("get-user-auth-id-missing-served"), mutant("created-by-as-number-v6")
	const otherType, oldData = "has a member of another type in v6", "has old data"
	const byRequest, byConnection = "requests", "connections"
	of := func(services ...http.Handler) func() http.Handler {
		return func() http.Handler { return fronts.Nodes(services...) }
	}
	services := []service{
		nodes("all are right", of(right, right)),
		nodes("the first of two checks nothing", of(wrong, right)),
		nodes("the second of two checks nothing", of(right, wrong)),
	}
	for _, one := range []struct {
		does    string
		handler http.Handler
		most    int // nodes
	}{
		{"takes any token", anyToken, 2},
		{"needs no Id", needsNoID, 2},
		{otherType, wrongType, 3},
		{oldData, fronts.HasOldData(rightService()), 3},
	} {
		for _, turns := range []struct {
			of    string
			nodes func(...http.Handler) http.Handler
		}{{byRequest, fronts.Nodes}, {"requests of a version", fronts.NodesByVersion},
			{byConnection, fronts.NodesByConnection}} {
			if one.does == oldData && turns.of == byConnection {
				continue // a run keeps a connection for a user (J19), so all of the user's answers are as old
			}
			for count := 2; count <= one.most; count++ {
				for i := range count {
					all := slices.Repeat([]http.Handler{right}, count)
					all[i] = one.handler
					name := fmt.Sprintf("%s in turn: node %d of %d %s", turns.of, i+1, count, one.does)
					newNodes := func() http.Handler { return turns.nodes(all...) }
					s := nodes(name, newNodes, oneAtATime...)
					// By versions in turn, a sweep gets the same node in both.
					s.runOnly = one.does != otherType && (one.does != oldData || turns.of != byRequest)
					services = append(services, s)
				}
			}
		}
	}
	for _, f := range fronts.LostNodes() {
		for _, n := range []struct {
			name    string
			handler http.Handler
		}{{"check nothing", wrong}, {"take any token", anyToken}, {"need no Id", needsNoID}} {
			s := behind(f, "nodes that "+n.name, func() http.Handler { return n.handler })
			s.runOnly = true
			services = append(services, s)
		}
	}
	result := a.add(services)

	Describe("Nodes that answer in turn pass if all are right, and only then:", Label(proofLabel), func() {
		for i, s := range chosenOf(services) {
			It(s.name, func() {
				j := result(i)
				Expect(j.err).NotTo(HaveOccurred())
				if i == 0 {
					Expect(j.run.Verdict).To(Equal(ledger.Pass))
					Expect(j.sweep.Verdict).To(Equal(ledger.Pass))
					return
				}
				expectNoPass(j)
				if !s.runOnly && strings.HasSuffix(s.name, otherType) {
					Expect(j.sweep.Verdict).To(Equal(ledger.Fail))
				}
				if !s.runOnly && strings.HasSuffix(s.name, oldData) {
					Expect(j.sweep.Verdict).NotTo(Equal(ledger.Pass))
				}
			})
		}
	})
}

func expectNoPass(j *judged) {
	GinkgoHelper()
	Expect(j.run.Verdict).NotTo(Equal(ledger.Pass))
	Expect(j.run.Certifies).To(BeFalse())
}

// whyNot names the rows of a run that did not pass, or its error.
func whyNot(j *judged) string {
	if j.run.Error != nil {
		return fmt.Sprint(*j.run.Error)
	}
	var rows []string
	for _, row := range j.run.Requirements {
		if row.Verdict != ledger.Pass && !row.NotRun() {
			rows = append(rows, fmt.Sprintf("%s is %s", rowName(row.ID, row.Version), row.Verdict))
		}
	}
	return strings.Join(rows, ", ")
}
