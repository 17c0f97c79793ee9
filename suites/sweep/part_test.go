package sweep_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

var _ = Describe("A part of a population", func() {
	It("is what the documented formula of a shard says", func(ctx SpecContext) {
		const of = 3
		var mu sync.Mutex
		asked := map[string]bool{}
		url := serveUntilEnd(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var user struct{ UserID string }
			_ = json.NewDecoder(r.Body).Decode(&user) // the suite sends JSON
			mu.Lock()
			defer mu.Unlock()
			asked[user.UserID] = true
			_, _ = io.WriteString(w, "[]") // a client that went away has no use for the error
		})))
		people := inventedUsers(30)
		for index := 1; index <= of; index++ {
			clear(asked)
			w := newSweep(url, people, func(_ *settings.Settings, o *sweep.Options) {
				o.Shard = stats.Shard{Index: index, Of: of}
			})
			Expect(w.Execute(ctx)).To(Succeed())
			want := map[string]bool{}
			for _, p := range people {
				if population.Shard(population.User{ID: p.ID, UserID: p.UserID}, of) == index-1 {
					want[p.UserID] = true
				}
			}
			Expect(asked).To(Equal(want), "shard %d", index)
		}
	})

	It("has to be the same for a sweep to be resumed", func(ctx SpecContext) {
		url, people := (&stage{op: schemas.GetUserAuth}).serve(), inventedUsers(20)
		w := newSweep(url, people, func(_ *settings.Settings, o *sweep.Options) { o.Budget = 40 })
		Expect(w.Execute(ctx)).To(Succeed())
		Expect(w.Ended).To(BeFalse())
		Expect(w.Tally.Users).NotTo(BeZero())

		people[0].UserID = "somebody else"
		again := newSweep(url, people, func(now *settings.Settings, o *sweep.Options) {
			now.ReportDir, o.Resume = w.Settings.ReportDir, true
		})
		Expect(again.Execute(ctx)).To(MatchError(ContainSubstring("are not those that were checked before")))
	})
})
