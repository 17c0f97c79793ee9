package proof_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
)

// whySweepMisses returns why a sweep can't find what a mutant does wrong; "" if it must find it.
func whySweepMisses(m mutants.Mutant, reference http.Handler) string {
	first := firstAnswers(m.Handler(reference))
	switch {
	case !slices.ContainsFunc(m.Expect, func(id string) bool {
		return !strings.HasSuffix(id, "/required") && !strings.HasSuffix(id, "/token")
	}):
		return "it serves what must be refused (J13): a sweep sends no such request"
	case slices.EqualFunc(first, firstAnswers(reference), isEquivalent):
		return "its first answer to each well-formed request is correct: a sweep sends only those, each once"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return id != "4.2/user" }):
		return "whose identifiers they are shows in a sweep only if half of the users have the same (J24)"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasSuffix(id, "/divergence") }):
		return "the versions differ at an open point (J16)"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasPrefix(id, "9.3/") }) &&
		slices.EqualFunc(first, swapVersions(first), isEquivalent):
		return "the versions give the same first answers: a sweep asks again only if they differ (J15)"
	case slices.Equal(m.Expect, []string{"4.2/user"}) && countShared(first) < len(kit.Users())/2:
		return "a sweep compares the lists of different users only if half of them are the same (J24)"
	case isRightAgain(m.Handler(reference), reference):
		return "each answer that differs is followed by two that are correct (J15)"
	case !slices.ContainsFunc(m.Expect, func(id string) bool {
		return !strings.HasPrefix(id, "2.") || hasValue(first, id)
	}):
		return "null and absent are open (J8): only a run finds that nobody has a value"
	}
	return ""
}

// firstAnswers returns the first answers to all well-formed requests. Unless the versions differ, a sweep gets no
// others.
func firstAnswers(handler http.Handler) []*httptest.ResponseRecorder {
	var all []*httptest.ResponseRecorder
	for _, u := range kit.Users() {
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				all = append(all, answerOf(handler, v, op, u, nil))
			}
		}
	}
	return all
}

// swapVersions exchanges v5 and v6 in the first answers.
func swapVersions(first []*httptest.ResponseRecorder) (swapped []*httptest.ResponseRecorder) {
	for pair := range slices.Chunk(first, 2) {
		swapped = append(swapped, pair[1], pair[0])
	}
	return swapped
}

// countShared counts the users whose list of identifiers, among the first answers, is that of another user, too.
func countShared(first []*httptest.ResponseRecorder) (shared int) {
	lists := map[string]int{}
	for i := 2; i < len(first); i += 4 { // findByUserIds of v5
		lists[first[i].Body.String()]++
	}
	for list, users := range lists {
		if users > 1 && list != "[]" {
			shared += users
		}
	}
	return shared
}

// isRightAgain reports whether a service answers correctly at the last two calls that a sweep makes for each user: it
// asks once, for every second user the other way round, and twice more if the versions differ.
func isRightAgain(handler, reference http.Handler) bool {
	for i, u := range kit.Users() {
		versions := schemas.Versions()
		if i%2 == 1 {
			slices.Reverse(versions)
		}
		for _, op := range schemas.Operations() {
			right, calls := answerOf(reference, schemas.V5, op, u, nil), make([][]bool, 3)
			for n := range calls {
				var answers []*httptest.ResponseRecorder
				for _, v := range versions {
					answers = append(answers, answerOf(handler, v, op, u, nil))
					calls[n] = append(calls[n], isEquivalent(answers[len(answers)-1], right))
				}
				if n == 0 && isEquivalent(answers[0], answers[1]) {
					calls = calls[:1]
					break
				}
			}
			if slices.Contains(slices.Concat(calls[max(0, len(calls)-2):]...), false) {
				return false
			}
		}
	}
	return true
}

// answerOf returns the answer of a handler to a well-formed request, whose members change may change; nil if it closed
// the connection.
func answerOf(handler http.Handler, v schemas.Version, op schemas.Operation, u fixtures.User,
	change func(members map[string]any)) (answer *httptest.ResponseRecorder) {
	members := kit.WellFormed(op, u)
	if change != nil {
		change(members)
	}
	body := bytes.NewReader(kit.Encode(members))
	request := httptest.NewRequest(http.MethodPost, schemas.Path(v, op), body)
	request.Header.Set("Content-Type", "application/json")
	answer = httptest.NewRecorder()
	defer func() {
		if recover() != nil {
			answer = nil
		}
	}()
	handler.ServeHTTP(answer, request)
	return answer
}

// isEquivalent reports whether two answers differ at most at open points (J2).
func isEquivalent(a, b *httptest.ResponseRecorder) bool {
	return a != nil && b != nil && a.Code/100 == b.Code/100 &&
		(a.Code/100 != 2 || bytes.Equal(a.Body.Bytes(), b.Body.Bytes()))
}

// hasValue reports whether an answer has a value for the field of a requirement such as 2.2/Model.
func hasValue(answers []*httptest.ResponseRecorder, row string) bool {
	section, name, _ := strings.Cut(row, "/")
	return slices.ContainsFunc(answers, func(a *httptest.ResponseRecorder) bool {
		var record map[string]any
		if a == nil || json.Unmarshal(a.Body.Bytes(), &record) != nil {
			return false
		}
		if section == "2.2" {
			record, _ = record["Device"].(map[string]any)
		}
		return record[name] != nil
	})
}
