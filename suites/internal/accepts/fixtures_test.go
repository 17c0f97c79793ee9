package accepts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("The answers of the reference", func() {
	It("are accepted, every one of them", func() {
		users := testkit.Must(fixtures.Users())
		for i := range 20 {
			users = append(users, fixtures.User{ID: guidA, UserID: fmt.Sprintf("made.up.%d", i), Enrolled: true})
		}
		handler := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
			ApplicationID: fixtures.ApplicationID})
		checked := 0
		for _, user := range users {
			for _, op := range schemas.Operations() {
				for _, version := range schemas.Versions() {
					body, served := askReference(handler, version, op, user)
					if !served {
						Expect(user.Enrolled).To(BeFalse(), user.UserID)
						continue
					}
					a := answer{op, user.UserID, body}
					Expect(a.accepted()).To(Equal(strings.TrimSpace(body) != "[]"), body)
					checked++
				}
			}
		}
		Expect(checked).To(BeNumerically(">", 80))
	})

	It("take no memory", func() {
		if raceDetector {
			Skip("the race detector empties the pool of package regexp at random")
		}
		for _, a := range ofReference() {
			body := []byte(a.body)
			Expect(testing.AllocsPerRun(100,
				func() { testkit.Contract().AcceptsAnswer(a.op, a.userID, body) })).To(BeZero(),
				a.body)
		}
	})
})

// askReference gives what the reference answers to a well-formed request, and whether the status is 200.
func askReference(handler http.Handler, version schemas.Version, op schemas.Operation, user fixtures.User) (string,
	bool) {
	request := testkit.Must(json.Marshal(map[string]string{
		"Id": user.ID, "UserId": user.UserID, "AccessToken": fixtures.AccessToken,
		"ApplicationId": fixtures.ApplicationID,
	}))
	r := httptest.NewRequest(http.MethodPost, schemas.Path(version, op), strings.NewReader(string(request)))
	r.Header.Set("Content-Type", reference.MediaType)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.String(), w.Code == http.StatusOK
}
