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

// unseen says why a sweep need not see what a mutant does wrong; "" if it has to. Right is the reference.
func unseen(m mutants.Mutant, right http.Handler) string {
	first := firstAnswers(m.Serve(right))
	switch {
	case !slices.ContainsFunc(m.Expect, func(id string) bool {
		return !strings.HasSuffix(id, "/required") && !strings.HasSuffix(id, "/token")
	}):
		return "it serves what is to be refused (J13): a sweep sends no such request"
	case slices.EqualFunc(first, firstAnswers(right), alike):
		return "its first answer to each well-formed request is right: a sweep sends no other, and each of those once"
	case !slices.ContainsFunc(m.Expect, func(id string) bool { return !strings.HasSuffix(id, "/divergence") }):
		return "the versions differ at an open point (J16)"
	case !slices.ContainsFunc(m.Expect, func(id string) bool {
		return !strings.HasPrefix(id, "2.") ||
			shows(first, id)
	}):
		return "null and absent are open (J8): that nobody has a value is for a run to find"
	}
	return ""
}

// firstAnswers are the first answers to all well-formed requests: all that a sweep sees of a service whose versions are
// alike.
func firstAnswers(handler http.Handler) []*httptest.ResponseRecorder {
	var all []*httptest.ResponseRecorder
	for _, u := range kit.Users() {
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				all = append(all, answer(handler, v, op, u))
			}
		}
	}
	return all
}

// answer is the answer of a handler to a well-formed request; nil if it broke the connection off.
func answer(handler http.Handler, v schemas.Version, op schemas.Operation,
	u fixtures.User) (answer *httptest.ResponseRecorder) {
	members := map[string]string{"UserId": u.UserID, "AccessToken": fixtures.AccessToken,
		"ApplicationId": fixtures.ApplicationID}
	if op == schemas.GetUserAuth {
		members["Id"] = u.ID
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts always marshal
	}
	request := httptest.NewRequest(http.MethodPost, schemas.Path(v, op), bytes.NewReader(body))
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

// alike reports whether two answers are the same but for open points (J2).
func alike(a, b *httptest.ResponseRecorder) bool {
	return a != nil && b != nil && a.Code/100 == b.Code/100 &&
		(a.Code/100 != 2 || bytes.Equal(a.Body.Bytes(), b.Body.Bytes()))
}

// shows reports whether some answer has a value at the field of a row such as 2.2/Model.
func shows(answers []*httptest.ResponseRecorder, row string) bool {
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
