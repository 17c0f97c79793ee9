package replay_test

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/replay"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/session"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

func TestReplay(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "replay")
}

// service is the reference, with records of v6 that change makes, which may be replaced while it serves.
type service struct {
	mu      sync.Mutex
	change  func(record map[string]any)
	lenient bool // serves requests without a token
	asked   int
	url     *url.URL
	token   string // that is sent; "" for the right one
}

func serveService() *service {
	GinkgoHelper()
	s := &service{}
	records := testkit.Changing(kit.Reference(kit.Users(), fixtures.AccessToken),
		func(v schemas.Version, record map[string]any) {
			if v == schemas.V6 && s.change != nil {
				s.change(record)
			}
		})
	s.url = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		request, _ := kit.ParseRequest(r)
		if s.lenient {
			request.Set("AccessToken", fixtures.AccessToken)
		}
		request.Forward(records).Write(w)
	}))
	return s
}

// serveAs changes what is served, and counts requests anew.
func (s *service) serveAs(lenient bool, change func(map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lenient, s.change, s.asked = lenient, change, 0
}

// makeReport carries a run out, and returns its folder.
func (s *service) makeReport(ctx context.Context, change ...func(*settings.Settings)) string {
	GinkgoHelper()
	return testkit.ReportFolder(ctx, testkit.Settings(s.url, kit.Users()[:3], change...))
}

// outcome is how often each state came for each row of a report that was replayed, and all that was shown.
type outcome struct {
	states map[string]int
	text   string
	fixed  bool
}

// tryReplay replays a folder, which may be an error.
func (s *service) tryReplay(ctx context.Context, dir string) (outcome, error) {
	own := testkit.Settings(s.url, kit.Users()[:3])
	own.AccessToken, own.Concurrency = cmp.Or(s.token, own.AccessToken), 4
	plan, err := replay.Read(dir, own, testkit.Suite())
	if err != nil {
		return outcome{}, err
	}
	client := target.New(own, testkit.Suite().Contract, "0", "r")
	defer client.Close()
	o := outcome{states: map[string]int{}, text: plan.String() + "\n"}
	o.fixed, err = plan.Execute(ctx, client.Do, session.WayOut(own, testkit.Suite()), func(f replay.Finding) {
		o.states[f.Row+" "+string(f.State)]++
		o.text += f.String() + "\n"
	})
	return o, err
}

// replayAs replays a folder against the service with a change.
func (s *service) replayAs(ctx context.Context, dir string, lenient bool, change func(map[string]any)) outcome {
	GinkgoHelper()
	s.serveAs(lenient, change)
	return testkit.Must(s.tryReplay(ctx, dir))
}

// haveState matches the states of which some row has one.
func haveState(state string) types.GomegaMatcher { return HaveKey(HaveSuffix(" " + state)) }

var _ = Describe("A report that is replayed", func() {
	withDate := func(value any) func(map[string]any) {
		return func(r map[string]any) { r["CreatedOn"] = value }
	}

	It("says what is fixed, what is still so, and what is otherwise wrong", func(ctx SpecContext) {
		s := serveService()
		s.serveAs(true, withDate("yesterday"))
		dir := s.makeReport(ctx)

		same := s.replayAs(ctx, dir, true, withDate("yesterday"))
		Expect(same.fixed).To(BeFalse())
		Expect(same.states).To(And(HaveKey("2.1/CreatedOn v6 STILL"), HaveKey("9.3/getUserAuth/values v5=v6 STILL"),
			HaveKey("5.1/getUserAuth/token v5 STILL"), Not(haveState("FIXED")), Not(haveState("OTHER"))))
		Expect(same.text).To(And(ContainSubstring(`{"CreatedOn":"yesterday"}`),
			ContainSubstring("expected a string that is an ISO 8601"), ContainSubstring("negative"),
			ContainSubstring("auth-failure"), Not(ContainSubstring(fixtures.AccessToken))))

		other := s.replayAs(ctx, dir, false, withDate(7))
		Expect(other.fixed).To(BeFalse())
		Expect(other.states).To(And(HaveKey("2.1/CreatedOn v6 OTHER"), HaveKey("5.1/getUserAuth/token v5 FIXED"),
			Not(HaveKey("2.1/CreatedOn v6 STILL"))))
		Expect(other.text).To(ContainSubstring(`{"CreatedOn":7}`))

		null := s.replayAs(ctx, dir, false, withDate(nil))
		Expect(null.fixed).To(BeFalse())
		Expect(null.states).To(HaveKey("2.1/CreatedOn v6 OTHER"))
		Expect(null.states).NotTo(HaveKey("2.1/CreatedOn v6 FIXED"), "an answer that shows nothing")

		right := s.replayAs(ctx, dir, false, nil)
		Expect(right.fixed).To(BeTrue())
		Expect(right.states).To(And(haveState("FIXED"), Not(haveState("STILL")), Not(haveState("OTHER"))))
		Expect(s.asked).To(BeNumerically("<", 60), "only what had findings")

		s.token = "another token"
		refused := s.replayAs(ctx, dir, false, withDate(nil))
		Expect(refused.fixed).To(BeFalse())
		Expect(refused.states).To(And(HaveKey("2.1/CreatedOn v6 OTHER"), HaveKey("9.3/getUserAuth/values v5=v6 OTHER"),
			Not(HaveKey("2.1/CreatedOn v6 FIXED")), Not(HaveKey("9.3/getUserAuth/values v5=v6 FIXED"))))
		Expect(refused.states).NotTo(haveState("STILL"))
		Expect(refused.text).To(ContainSubstring("status 403"))
	})

	It("fixes a value that keeps changing in one version by equal answers only, not by refusals",
		func(ctx SpecContext) {
			s, calls := serveService(), 0
			changing := func(r map[string]any) {
				calls++
				r["Description"] = strings.Repeat("!", calls%97)
			}
			s.serveAs(false, changing)
			dir := s.makeReport(ctx)
			Expect(s.replayAs(ctx, dir, false, changing).states).NotTo(haveState("FIXED"))
			s.token = "another token"
			Expect(s.replayAs(ctx, dir, false, changing).states).To(And(
				HaveKey("9.3/getUserAuth/values v5=v6 OTHER"), Not(haveState("FIXED"))))
			s.token = ""
			Expect(s.replayAs(ctx, dir, false, nil).fixed).To(BeTrue())
		})

	It("sends nothing if nothing was found", func(ctx SpecContext) {
		s := serveService()
		o := s.replayAs(ctx, s.makeReport(ctx), false, nil)
		Expect(o.states).To(BeEmpty())
		Expect(o.fixed).To(BeTrue())
		Expect(o.text).To(HavePrefix("0 requests of"))
		Expect(s.asked).To(BeZero())
	})

	It("is an error if the target does not answer, its values are hidden, or it is none", func(ctx SpecContext) {
		s := serveService()
		s.serveAs(false, withDate("yesterday"))
		broken := testkit.Write(GinkgoT().TempDir(), report.JSONFile, []byte("<html>"))
		hide := func(s *settings.Settings) { s.Values = settings.ValuesHide }
		folders := map[string]string{
			"did not answer 5 requests in a row": s.makeReport(ctx),
			"hidden":                             s.makeReport(ctx, hide),
			"no report folder":                   GinkgoT().TempDir(),
			"report.json: ":                      filepath.Dir(broken),
		}
		s.url = testkit.Must(url.Parse("http://127.0.0.1:1"))
		for says, dir := range folders {
			_, err := s.tryReplay(ctx, dir)
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})
