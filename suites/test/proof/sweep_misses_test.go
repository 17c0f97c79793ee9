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
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasSuffix(id, "/divergence") }):
		return "the versions differ at an open point (J16)"
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
