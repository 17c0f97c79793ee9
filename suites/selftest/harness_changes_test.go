package selftest_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// injectedChange changes the reference's answers for some users. It also has what a sweep must report about them.
type injectedChange struct {
	users    int
	change   func(a *answer)
	outcomes [2]string // of getUserAuth and of findByUserIds
	causes   []cause   // each of the users shows each of them once
}

// answer is an answer of the reference, which a change may alter.
type answer struct {
	operation, version string
	nth                int // which answer of this version and operation for this user it is, starting at 1
	status             int
	body               string
}

func (a *answer) matches(operation, version string) bool {
	return a.operation == operation && (version == bothVersions || a.version == version)
}

// replaceMatches returns a change that replaces the matches of a pattern in the answers of an operation, of one version
// or both. The change panics if there is no match.
func replaceMatches(operation, version, pattern, with string) func(*answer) {
	expression := regexp.MustCompile(pattern)
	return func(a *answer) {
		if !a.matches(operation, version) {
			return
		}
		if !expression.MatchString(a.body) {
			panic("there is no match to change: " + pattern)
		}
		a.body = expression.ReplaceAllString(a.body, with)
	}
}

// refuseInV6 returns a change that replaces status and body of an operation's answers in v6.
func refuseInV6(operation string, status int, body string) func(*answer) {
	return func(a *answer) {
		if a.matches(operation, "v6") {
			a.status, a.body = status, body
		}
	}
}

// changedPopulation is a population in which some users have a change. Of the others, every tenth is not enrolled.
type changedPopulation struct {
	people
	changes []injectedChange
}

// newPopulation generates n users and distributes the changes over them.
func newPopulation(n int, changes []injectedChange) changedPopulation {
	p := changedPopulation{changes: changes}
	p.people = generatePeople(n, func(i int) bool { return p.changeOf(i, n) != nil || permuteIndex(i, n)%10 != 9 })
	return p
}

// permuteIndex maps indexes to indexes one to one, so that neighbours are far apart. n must not be a multiple of the
// factor.
func permuteIndex(i, n int) int { return i * 7919 % n }

// changeOf returns the change of the user with index i of n; nil if there is none.
func (p changedPopulation) changeOf(i, n int) *injectedChange {
	rank := permuteIndex(i, n)
	for k := range p.changes {
		if rank < p.changes[k].users {
			return &p.changes[k]
		}
		rank -= p.changes[k].users
	}
	return nil
}

// handler is the reference for these users, with the changes. Each handler counts its own answers.
func (p changedPopulation) handler() http.Handler {
	right := referenceFor(p.people)
	var mu sync.Mutex
	answers := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		i := indexIn(body)
		if i < 0 || p.changeOf(i, len(p.people)) == nil {
			right.ServeHTTP(w, r)
			return
		}
		recorder := httptest.NewRecorder()
		right.ServeHTTP(recorder, r)
		segments := strings.Split(r.URL.Path, "/")
		a := &answer{operation: segments[len(segments)-1], version: segments[len(segments)-3],
			status: recorder.Code, body: recorder.Body.String()}
		mu.Lock()
		answers[r.URL.Path+userIDOf(i)]++
		a.nth = answers[r.URL.Path+userIDOf(i)]
		mu.Unlock()
		p.changeOf(i, len(p.people)).change(a)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	})
}

// sweep returns a sweep of this population in a new folder. More flags may be added.
func (p changedPopulation) sweep(url string, more ...string) command {
	c := sweepOf(url, "users.csv", more...)
	c.folder = newFolder()
	writeFile(c.folder, "users.csv", p.csv())
	return c
}

// expectFound asserts that a sweep found exactly the changes of this population: each cause for each of its users, and
// each outcome with its count.
func (p changedPopulation) expectFound(report *sweepReport, findings *sweepFindings) {
	GinkgoHelper()
	shown, outcomes := map[cause][]int{}, map[string]map[string]int64{getUserAuth: {}, findByUserIDs: {}}
	for i, user := range p.people {
		expected := [2]string{"equal", "equal"}
		if one := p.changeOf(i, len(p.people)); one != nil {
			expected = one.outcomes
			for _, c := range one.causes {
				shown[c] = append(shown[c], i)
			}
		} else if !user.Enrolled {
			expected = [2]string{"nothing-alike", "nothing-alike"}
		}
		outcomes[getUserAuth][expected[0]]++
		outcomes[findByUserIDs][expected[1]]++
	}
	found := map[cause][]int{}
	for _, one := range findings.findings {
		Expect(one.User.UserID).To(Equal(userIDOf(one.User.Index)))
		Expect(one.User.ID).To(Equal(guidOf(one.User.Index)))
		found[one.groupKey()] = append(found[one.groupKey()], one.User.Index)
	}
	Expect(found).To(Equal(shown))
	for operation, counts := range outcomes {
		for name, outcome := range report.Tally.Outcomes[operation] {
			Expect(outcome.Count).To(Equal(counts[name]), "%s %s", operation, name)
		}
	}
	for _, g := range report.Tally.Groups {
		Expect(g.Users).To(BeNumerically("==", len(shown[g.cause])), "%v", g.cause)
		for _, one := range g.Sample {
			Expect(shown[g.cause]).To(ContainElement(one.User.Index), "%v", g.cause)
		}
	}
	Expect(report.Tally.Users).To(BeNumerically("==", len(p.people)))
	Expect(report.Population.Users).To(BeNumerically("==", len(p.people)))
}
