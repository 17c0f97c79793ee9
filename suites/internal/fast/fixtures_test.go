package fast_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
)

// hard lists the valid example messages that are left to the judge: their numbers are written in an odd way, or what has a
// form is written with escapes. Last, what is valid by the schema and still no answer: a record of no documented member.
func hard() []string {
	return []string{
		"authenticator/valid/2.1-AuthenticationCountLimit-zero-with-exponent",
		"authenticator/valid/2.1-AuthenticationCountLimit-past-64-bits",
		"authenticator/valid/2.1-Flags-with-an-exponent",
		"authenticator/valid/2.1-Flags-with-a-capital-exponent",
		"authenticator/valid/2.1-Flags-fraction-made-whole-by-an-exponent",
		"authenticator/valid/2.1-Flags-zeros-taken-back-by-an-exponent",
		"authenticator/valid/2.1-Flags-past-float64",
		"authenticator/valid/2.1-CreatedOn-with-escapes",
		"authenticator/valid/2.1-record-empty",
	}
}

var _ = Describe("the example messages", func() {
	It("hold those that are named as hard", func() {
		var names []string
		for _, m := range examples() {
			names = append(names, m.Name)
		}
		Expect(names).To(ContainElements(hard()))
	})

	for _, m := range examples() {
		It("are accepted where they are right and plain: "+m.Name, func() {
			accepted, kind := m.answer.accepted()
			// An empty array is no record, but getUserAuth may answer an array of records (§4.3).
			easy := m.Valid && !slices.Contains(hard(), m.Name)
			Expect(accepted).To(Equal(easy || m.Name == "authenticator/invalid/2.1-record-array"))
			if accepted {
				judgement := m.answer.judged(true)
				Expect(right(judgement)).To(BeTrue(), "the judge")
				Expect(kind).To(Equal(kindOf(judgement.Answer)))
			}
		})
	}
})

var _ = Describe("the answers of the reference", func() {
	It("are accepted, every one of them", func() {
		users := must(fixtures.Users())
		for i := range 200 {
			users = append(users, fixtures.User{ID: guidA, UserID: fmt.Sprintf("made.up.%d", i), Enrolled: true})
		}
		handler := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
		looked := 0
		for _, user := range users {
			for _, op := range schemas.Operations() {
				for _, version := range schemas.Versions() {
					body, served := ask(handler, version, op, user)
					if !served {
						Expect(user.Enrolled).To(BeFalse(), user.UserID)
						continue
					}
					a := answer{op, user.UserID, body}
					accepted, kind := a.accepted()
					Expect(accepted).To(BeTrue(), body)
					Expect(kind).To(Equal(kindOf(a.judged(true).Answer)))
					looked++
				}
			}
		}
		Expect(looked).To(BeNumerically(">", 800))
	})

	It("take no memory", func() {
		for _, a := range ofReference() {
			body := []byte(a.body)
			Expect(testing.AllocsPerRun(100, func() { theChecker().Accepts(a.op, a.userID, body) })).To(BeZero(), a.body)
		}
	})
})

// ask gives what the reference answers to a well-formed request, and whether the status is 200.
func ask(handler http.Handler, version schemas.Version, op schemas.Operation, user fixtures.User) (string, bool) {
	request := must(json.Marshal(map[string]string{
		"Id": user.ID, "UserId": user.UserID, "AccessToken": fixtures.AccessToken, "ApplicationId": fixtures.ApplicationID,
	}))
	r := httptest.NewRequest(http.MethodPost, schemas.Path(version, op), strings.NewReader(string(request)))
	r.Header.Set("Content-Type", reference.MediaType)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.String(), w.Code == http.StatusOK
}
