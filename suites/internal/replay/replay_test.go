package replay_test

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

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

func (s *service) is(lenient bool, change func(map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lenient, s.change, s.asked = lenient, change, 0
}

func (s *service) settings() *settings.Settings {
	own := testkit.Settings(s.url, kit.Users()[:3])
	own.Concurrency, own.Timeout = 4, time.Second
	return own
}

// report carries a run out, and returns its folder.
func (s *service) report(ctx context.Context, values string) string {
	own := s.settings()
	own.Values = values
	return testkit.ReportFolder(ctx, own)
}

// replayed replays a folder: how often each state came for each row, and all that was shown.
func (s *service) replayed(ctx context.Context, dir string) (states map[string]int, text string, fixed bool,
	err error) {
	GinkgoHelper()
	own := s.settings()
	own.AccessToken = cmp.Or(s.token, own.AccessToken)
	plan, err := replay.Read(dir, own, testkit.Suite())
	if err != nil {
		return nil, "", false, err
	}
	client := target.New(own, testkit.Suite().Contract, "0", "r")
	defer client.Close()
	states, text = map[string]int{}, plan.String()+"\n"
	fixed, err = plan.Execute(ctx, client.Do, session.WayOut(own, testkit.Suite()), func(f replay.Finding) {
		states[f.Row+" "+string(f.State)]++
		text += f.String() + "\n"
	})
	return states, text, fixed, err
}

var _ = Describe("A report that is replayed", func() {
	date := func(value any) func(map[string]any) {
		return func(r map[string]any) { r["CreatedOn"] = value }
	}

	It("tells what is fixed, what is still so, and what is otherwise wrong", func(ctx SpecContext) {
		s := serveService()
		s.is(true, date("yesterday"))
		dir := s.report(ctx, "")

		s.is(true, date("yesterday"))
		states, text, fixed, err := s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixed).To(BeFalse())
		Expect(states).To(And(HaveKey("2.1/CreatedOn v6 STILL"), HaveKey("9.3/getUserAuth/values v5=v6 STILL"),
			HaveKey("5.1/getUserAuth/token v5 STILL"), Not(HaveKey(HaveSuffix("FIXED"))), Not(HaveKey(HaveSuffix("OTHER")))))
		Expect(text).To(And(ContainSubstring(`{"CreatedOn":"yesterday"}`),
			ContainSubstring("expected a string that is an ISO 8601"),
			ContainSubstring("negative"), ContainSubstring("auth-failure")))
		Expect(text).NotTo(ContainSubstring(fixtures.AccessToken))

		s.is(false, date(7))
		states, text, fixed, err = s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixed).To(BeFalse())
		Expect(states).To(And(HaveKey("2.1/CreatedOn v6 OTHER"), HaveKey("5.1/getUserAuth/token v5 FIXED"),
			Not(HaveKey("2.1/CreatedOn v6 STILL"))))
		Expect(text).To(ContainSubstring(`{"CreatedOn":7}`))

		s.is(false, nil)
		states, _, fixed, err = s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixed).To(BeTrue())
		Expect(states).To(HaveEach(BeNumerically(">", 0)))
		Expect(states).NotTo(Or(HaveKey(HaveSuffix("STILL")), HaveKey(HaveSuffix("OTHER"))))
		Expect(s.asked).To(BeNumerically("<", 60), "only what had findings")
	})

	It("fixes nothing by an answer that shows nothing: a refusal, or null", func(ctx SpecContext) {
		s := serveService()
		s.is(false, date("yesterday"))
		dir := s.report(ctx, "")
		s.is(false, date(nil))
		states, _, fixed, err := s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixed).To(BeFalse())
		Expect(states).To(HaveKey("2.1/CreatedOn v6 OTHER"))
		Expect(states).NotTo(HaveKey("2.1/CreatedOn v6 FIXED"))

		s.token = "another token"
		states, text, fixed, err := s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixed).To(BeFalse())
		Expect(states).NotTo(Or(HaveKey(HaveSuffix("FIXED")), HaveKey(HaveSuffix("STILL"))))
		Expect(text).To(ContainSubstring("status 403"))
	})

	It("fixes a value that keeps changing in one version by equal answers only, not by refusals",
		func(ctx SpecContext) {
			s, calls := serveService(), 0
			changing := func(r map[string]any) {
				calls++
				r["Description"] = strings.Repeat("!", calls%97)
			}
			s.is(false, changing)
			dir := s.report(ctx, "")
			s.is(false, changing)
			states, _, _, err := s.replayed(ctx, dir)
			Expect(err).NotTo(HaveOccurred())
			Expect(states).NotTo(HaveKey(HaveSuffix("FIXED")))
			s.token = "another token"
			states, _, _, err = s.replayed(ctx, dir)
			Expect(err).NotTo(HaveOccurred())
			Expect(states).To(HaveKey("9.3/getUserAuth/values v5=v6 OTHER"))
			Expect(states).NotTo(HaveKey(HaveSuffix("FIXED")))
			s.token = ""
			s.is(false, nil)
			_, _, fixed, err := s.replayed(ctx, dir)
			Expect(err).NotTo(HaveOccurred())
			Expect(fixed).To(BeTrue())
		})

	It("sends nothing if nothing was found", func(ctx SpecContext) {
		s := serveService()
		dir := s.report(ctx, "")
		s.is(false, nil)
		states, text, fixed, err := s.replayed(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(states).To(BeEmpty())
		Expect(fixed).To(BeTrue())
		Expect(text).To(HavePrefix("0 requests of"))
		Expect(s.asked).To(BeZero())
	})

	It("ends if the target does not answer", func(ctx SpecContext) {
		s := serveService()
		s.is(false, date("yesterday"))
		dir := s.report(ctx, "")
		gone := testkit.Must(url.Parse("http://127.0.0.1:1"))
		s.url = gone
		_, _, _, err := s.replayed(ctx, dir)
		Expect(err).To(MatchError(ContainSubstring("did not answer 5 requests in a row")))
	})

	It("can't be read where values are hidden, or where it is none", func(ctx SpecContext) {
		s := serveService()
		s.is(false, date("yesterday"))
		_, _, _, err := s.replayed(ctx, s.report(ctx, settings.ValuesHide))
		Expect(err).To(MatchError(ContainSubstring("hidden")))
		empty := GinkgoT().TempDir()
		_, _, _, err = s.replayed(ctx, empty)
		Expect(err).To(MatchError(ContainSubstring("no report folder")))
		Expect(os.WriteFile(filepath.Join(empty, report.JSONFile), []byte("<html>"), 0o600)).To(Succeed())
		_, _, _, err = s.replayed(ctx, empty)
		Expect(err).To(MatchError(ContainSubstring("report.json: ")))
	})
})
