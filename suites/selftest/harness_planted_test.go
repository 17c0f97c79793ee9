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

// plant is a fault that a right service is made to show for some users, and what a sweep must report of it.
type plant struct {
	users    int
	change   func(a *answer)
	outcomes [2]string // of getUserAuth and of findByUserIds
	causes   []cause   // that each of the users shows once
}

// answer is an answer of a right service, before it is changed.
type answer struct {
	operation, version string
	nth                int // which answer of this version to this operation for this user, starting at 1
	status             int
	body               string
}

func (a *answer) is(operation, version string) bool {
	return a.operation == operation && (version == bothVersions || a.version == version)
}

// replace replaces the matches of a pattern in the answers of one operation, and of one version or both. It panics if
// there is no match.
func replace(operation, version, pattern, with string) func(*answer) {
	expression := regexp.MustCompile(pattern)
	return func(a *answer) {
		if !a.is(operation, version) {
			return
		}
		if !expression.MatchString(a.body) {
			panic("a plant finds nothing to change: " + pattern)
		}
		a.body = expression.ReplaceAllString(a.body, with)
	}
}

// refuse answers one operation of v6 with another status and body.
func refuse(operation string, status int, body string) func(*answer) {
	return func(a *answer) {
		if a.is(operation, "v6") {
			a.status, a.body = status, body
		}
	}
}

// plantedPopulation is a population of which some users show a plant. Every tenth of the others is not enrolled.
type plantedPopulation struct {
	people
	plants []plant
}

// newPopulation generates n users. The plants are spread over them.
func newPopulation(n int, plants []plant) plantedPopulation {
	p := plantedPopulation{plants: plants}
	p.people = generatePeople(n, func(i int) bool { return p.plantIn(i, n) != nil || spread(i, n)%10 != 9 })
	return p
}

// spread maps indexes to indexes one to one, so that neighbours are far apart. n must not be a multiple of the factor.
func spread(i, n int) int { return i * 7919 % n }

// plantIn is the plant that the user with index i of n shows; nil if it shows none.
func (p plantedPopulation) plantIn(i, n int) *plant {
	rank := spread(i, n)
	for k := range p.plants {
		if rank < p.plants[k].users {
			return &p.plants[k]
		}
		rank -= p.plants[k].users
	}
	return nil
}

// handler is the reference for these users, changed by the plants. Each handler counts its own answers.
func (p plantedPopulation) handler() http.Handler {
	right := reference(p.people)
	var mu sync.Mutex
	answers := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		i := indexIn(body)
		if i < 0 || p.plantIn(i, len(p.people)) == nil {
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
		p.plantIn(i, len(p.people)).change(a)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	})
}

// sweep is a sweep of this population in a new folder. More flags may follow.
func (p plantedPopulation) sweep(url string, more ...string) command {
	c := sweepOf(url, "users.csv", more...)
	c.folder = newFolder()
	writeFile(c.folder, "users.csv", p.csv())
	return c
}

// expectFound asserts that a sweep found exactly the plants of this population: each cause for each of its users, and
// each outcome as often as it occurs.
func (p plantedPopulation) expectFound(report *sweepReport, findings *sweepFindings) {
	GinkgoHelper()
	shown, outcomes := map[cause][]int{}, map[string]map[string]int64{getUserAuth: {}, findByUserIDs: {}}
	for i, user := range p.people {
		expected := [2]string{"equal", "equal"}
		if one := p.plantIn(i, len(p.people)); one != nil {
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
		found[one.grouped()] = append(found[one.grouped()], one.User.Index)
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
