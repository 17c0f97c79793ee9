package run_test

import (
	"fmt"
	"io"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// What of the first of three users a refusal may have: the third one has the same mode, but a device of another Id.
const (
	deviceID = "B4174A67-2b5e-4aa0-a107-6dc3ba6ace6c"
	modeID   = "8fa6aa43-dc44-4995-9ae9-007f4d0b1912"
)

// refuseWith refuses changed tokens for getUserAuth with an object that has a GUID, the first of each with a status of
// its own.
func refuseWith(first int, guid string) *stage {
	refused := map[schemas.Version]bool{}
	s := &stage{}
	s.before = func(w http.ResponseWriter, now sent) bool {
		if now.operation != schemas.GetUserAuth || now.members["AccessToken"] != "$CHANGED_TOKEN" {
			return false
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if refused[now.version] {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		refused[now.version] = true
		w.WriteHeader(first)
		_, _ = io.WriteString(w, fmt.Sprintf(`{"reader":{"id":%q}}`, guid))
		return true
	}
	return s
}

// withOneUser leaves out the other users.
func withOneUser(s *settings.Settings) { s.Users = s.Users[:1] }

var _ = Describe("A refusal with a GUID (J13)", func() {
	const row = "5.1/getUserAuth/token"
	failing := []string{row + " v5 fail", row + " v6 fail"}

	DescribeTable("is judged by who else was served it, also if its evidence is judged again",
		func(ctx SpecContext, status int, guid string, expected []string, change ...func(*settings.Settings)) {
			recorded := recordRun(refuseWith(status, guid), change...)
			again, _ := recorded.judgeWithout(ctx, func(exchange.Probe) bool { return false })
			for _, judged := range []*report.Report{recorded.report, again} {
				list := []string{}
				for _, r := range judged.Requirements {
					if r.Verdict == ledger.Fail {
						list = append(list, fmt.Sprintf("%s %s fail", r.ID, r.Version))
					}
				}
				Expect(list).To(Equal(expected))
			}
		},
		Entry("the device of the user alone in a 429, which is waited for else", 429, deviceID, failing),
		Entry("the mode of another user, too", 401, modeID, []string{}),
		Entry("the Id of the request", 401, threeUsers[0].ID, []string{}),
		Entry("the device, if there is no other user", 401, deviceID, failing, withOneUser),
		Entry("the mode, if there is no other user", 401, modeID, []string{}, withOneUser),
	)

	It("is not judged again if the evidence lacks answers that may have it, too", func(ctx SpecContext) {
		recorded := recordRun(refuseWith(401, deviceID))
		now, asked := recorded.judgeWithout(ctx, func(p exchange.Probe) bool {
			return p.WellFormed() && p.User.UserID == threeUsers[2].UserID && p.Version == schemas.V6
		})
		expectNothingBetter(recorded.report, now, asked)
		for _, r := range now.Requirements {
			if r.ID == row {
				Expect(*r.Reason).To(Equal(ledger.NotRun))
			}
		}
	})
})
