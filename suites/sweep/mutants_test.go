package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/sweep"
)

// services are swept side by side, for they wait for the disk and for each other's answers.
const atATime = 24

// sweepAll sweeps a population at each of n services.
func sweepAll(n int, service func(i int) (http.Handler, []person)) []*swept {
	GinkgoHelper()
	sweeps, errs := make([]*sweep.Sweep, n), make([]error, n)
	for i := range n {
		handler, population := service(i)
		sweeps[i] = prepared(serving(httptest.NewServer(handler)), population, concurrently(4))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*limit)
	defer cancel()
	sideBySide(n, atATime, func(i int) { errs[i] = sweeps[i].Execute(ctx) })
	all := make([]*swept, n)
	for i, w := range sweeps {
		all[i] = leftBy(w, errs[i])
	}
	return all
}

// asked is the answer of a handler to a well-formed request; nil where it broke the connection off.
func asked(handler http.Handler, v schemas.Version, op schemas.Operation, u fixtures.User) (answer *httptest.ResponseRecorder) {
	members := map[string]string{"UserId": u.UserID, "AccessToken": fixtures.AccessToken, "ApplicationId": fixtures.ApplicationID}
	if op == schemas.GetUserAuth {
		members["Id"] = u.ID
	}
	request := httptest.NewRequest(http.MethodPost, schemas.Path(v, op), bytes.NewReader(must(json.Marshal(members))))
	request.Header.Set("Content-Type", "application/json")
	answer = httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil {
			answer = nil
		}
	}()
	handler.ServeHTTP(answer, request)
	return answer
}

// firsts are the first answers to all well-formed requests: all that a sweep sees of a service whose versions are alike.
func firsts(handler http.Handler, users []fixtures.User) []*httptest.ResponseRecorder {
	var all []*httptest.ResponseRecorder
	for _, u := range users {
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				all = append(all, asked(handler, v, op, u))
			}
		}
	}
	return all
}

// sayTheSame tells whether answers say the same but for open points (J2).
func sayTheSame(a, b *httptest.ResponseRecorder) bool {
	return a != nil && b != nil && a.Code/100 == b.Code/100 && (a.Code/100 != 2 || bytes.Equal(a.Body.Bytes(), b.Body.Bytes()))
}

// shows tells whether some answer has a value at the field of a row such as 2.2/Model.
func shows(answers []*httptest.ResponseRecorder, row string) bool {
	section, name, _ := strings.Cut(row, "/")
	return slices.ContainsFunc(answers, func(a *httptest.ResponseRecorder) bool {
		var record map[string]any
		if json.Unmarshal(a.Body.Bytes(), &record) != nil {
			return false
		}
		if section == "2.2" {
			record, _ = record["Device"].(map[string]any)
		}
		return record[name] != nil
	})
}

// unseen says why a sweep need not see what a mutant does; "" where it has to.
func unseen(m mutants.Mutant, users []fixtures.User, right []*httptest.ResponseRecorder, service http.Handler) string {
	first := firsts(service, users)
	switch {
	case slices.EqualFunc(first, right, sayTheSame):
		return "the first answer to each well-formed request is right: a sweep sends no other, and each of those once"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasSuffix(id, "/divergence") }):
		return "the versions differ at an open point (J16)"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasPrefix(id, "2.") || shows(first, id) }):
		return "null and absent are open (J8): that nobody has a value is for a run to tell"
	}
	return ""
}

var _ = Describe("Services that each break one requirement", Label("fixtures"), Ordered, ContinueOnFailure, func() {
	var users []fixtures.User
	var right http.Handler
	BeforeAll(func() {
		users = must(fixtures.Users())
		right = reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
	})

	notPassed := func(all []mutants.Mutant, marked bool) {
		GinkgoHelper()
		answers := firsts(right, users)
		whole := people(users, marked)
		few := people([]fixtures.User{users[0], users[len(users)-1]}, marked)
		seen := 0
		for i, out := range sweepAll(len(all), func(i int) (http.Handler, []person) {
			// A service that says 503 is given time, so that many users would take long.
			if strings.Contains(all[i].Sentence, " 503 ") {
				return all[i].Serve(right), few
			}
			return all[i].Serve(right), whole
		}) {
			m := all[i]
			switch out.Verdict {
			case ledger.Fail:
				seen++
				Expect(slices.DeleteFunc(accused(out), func(id string) bool { return mayBreak(m, id) })).To(BeEmpty(), "%s is accused of what it does right\n%s", m.Name, out.text)
			case ledger.Inconclusive:
				Expect(out.Reason).To(Or(ContainSubstring("nobody was served"), ContainSubstring("could not be compared")), m.Name)
			default:
				Expect(out.Verdict).To(Equal(ledger.Pass), m.Name)
				Expect(unseen(m, users, answers, m.Serve(right))).NotTo(BeEmpty(), "%s passed, and breaks %v: %s", m.Name, m.Expect, m.Sentence)
			}
		}
		Expect(seen).To(BeNumerically(">", len(all)/2))
	}

	It("are not passed", func() {
		notPassed(breaking(func(id string) bool { return !ofRefusals(id) }), true)
	})

	// Who is enrolled matters only where something may not be served: the fields of what is served are right or wrong for anybody.
	It("are not passed where the population does not say who is enrolled", func() {
		notPassed(breaking(func(id string) bool {
			return strings.HasPrefix(id, "4") && !ofRefusals(id) || strings.HasSuffix(id, "/shape")
		}), false)
	})
})

// accused are the requirements of which something was found.
func accused(out *swept) []string {
	var ids []string
	for _, f := range out.lines {
		if !f.Open() {
			ids = append(ids, f.Requirement)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mayBreak tells whether a mutant breaks a requirement, or may as what it does wrong follows from that.
func mayBreak(m mutants.Mutant, id string) bool {
	return slices.Contains(m.Expect, id) || slices.Contains(m.Also, id)
}

// breaking are the mutants that break such a requirement.
func breaking(is func(id string) bool) []mutants.Mutant {
	return slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return !slices.ContainsFunc(m.Expect, is) })
}

// ofRefusals tells whether a requirement is about requests that are to be refused (J13): a sweep sends none.
func ofRefusals(id string) bool {
	return strings.HasSuffix(id, "/required") || strings.HasSuffix(id, "/token")
}
