package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

func TestBench(t *testing.T) { testkit.Specs(t, "What the bench measures against") }

var _ = Describe("The requests of a sweep's bare client", func() {
	It("Are the four requests of a sweep, in the same order", func() {
		list := testkit.Must(sweepRequests("http://target"))
		var urls []string
		for _, r := range list {
			urls = append(urls, r.URL)
		}
		Expect(urls).To(HaveExactElements(
			"http://target/api/v5/authenticator/getUserAuth", "http://target/api/v6/authenticator/getUserAuth",
			"http://target/api/v5/authenticator/findByUserIds", "http://target/api/v6/authenticator/findByUserIds"))
		Expect(list[0].forUser("an-id", "a-user").Body).To(
			And(ContainSubstring(`"Id":"an-id","UserId":"a-user"`), Not(ContainSubstring("{id}"))))
		Expect(list[2].forUser("an-id", "a-user").Body).To(
			And(ContainSubstring(`"UserId":"a-user"`), Not(ContainSubstring("an-id"))))
		Expect(list[2].forUser("an-id", "a-user").Agent).To(HaveSuffix("exchange a-user.3)"))
	})
})

var _ = Describe("The bare client", func() {
	It("Sends each request once for each user", func() {
		var mu sync.Mutex
		received := map[string]int{}
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			received[r.Method+" "+r.URL.Path+" "+r.UserAgent()]++
		}))
		DeferCleanup(server.Close)
		w := &workbench{folder: GinkgoT().TempDir()}
		Expect(w.writeRequests([]request{
			{Method: http.MethodPost, URL: server.URL + "/a", Body: "x", Agent: "{userId}"},
			{Method: http.MethodGet, URL: server.URL + "/b", Agent: "{userId}", OwnConnection: true},
		})).To(Succeed())
		file := testkit.Must(w.writePopulation(20))
		Expect(sendAll(w.requestsFile(), file)).To(Succeed())
		expected := map[string]int{}
		for i := range 20 {
			expected[fmt.Sprintf("POST /a user-%d", i)], expected[fmt.Sprintf("GET /b user-%d", i)] = 1, 1
		}
		Expect(received).To(Equal(expected))
		Expect(sendAll(w.requestsFile(), "")).To(Succeed())
		Expect(received).To(HaveKeyWithValue("POST /a {userId}", 1))
		server.Close()
		Expect(sendAll(w.requestsFile(), file)).To(MatchError(ContainSubstring("refused")))
		Expect(os.Remove(filepath.Join(w.folder, "requests.json"))).To(Succeed())
		Expect(sendAll(w.requestsFile(), "")).NotTo(Succeed())
	})
})

var _ = Describe("The lean target", func() {
	It("Keeps the contract for any user of a population, in both versions", func() {
		target := testkit.Must(newLean())
		for i, request := range testkit.Must(sweepRequests("")) {
			for _, index := range []int{0, 7, 999_999} {
				asked := request.forUser(person(index).ID, person(index).UserID)
				got := httptest.NewRecorder()
				target.ServeHTTP(got, httptest.NewRequest(asked.Method, asked.URL, strings.NewReader(asked.Body)))
				Expect(got.Code).To(Equal(http.StatusOK))
				accepted := testkit.Contract().AcceptsAnswer(schemas.Operations()[i/2], person(index).UserID,
					got.Body.Bytes())
				Expect(accepted).To(BeTrue(), got.Body.String())
				if i/2 == 1 {
					var identifiers []string
					Expect(json.Unmarshal(got.Body.Bytes(), &identifiers)).To(Succeed())
					Expect(identifiers).To(HaveLen(leanIdentifiers))
				}
			}
		}
	})
})
