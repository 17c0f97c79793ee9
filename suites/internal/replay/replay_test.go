package replay_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/replay"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/session"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

func TestReplay(t *testing.T) { testkit.Specs(t, "replay") }

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

// makeReport carries a run out, and returns its folder.
func (s *service) makeReport(ctx context.Context, change ...func(*settings.Settings)) string {
	GinkgoHelper()
	return testkit.ReportFolder(ctx, testkit.Settings(s.url, kit.Users()[:3], change...))
}

// outcome is the states of the rows of a report that was replayed, a line each, and all that was shown.
type outcome struct {
	states, text string
	fixed        bool
}

// replayReport replays the report in a folder, and counts the requests anew.
func (s *service) replayReport(ctx context.Context, dir string) (o outcome, err error) {
	s.asked = 0
	own := testkit.Settings(s.url, kit.Users()[:3])
	own.AccessToken, own.Concurrency = cmp.Or(s.token, own.AccessToken), 4
	plan, err := replay.Read(dir, own, testkit.Suite())
	if err != nil {
		return o, err
	}
	client := target.New(own, testkit.Suite().Contract, "0", "r")
	defer client.Close()
	o.text = plan.String() + "\n"
	o.fixed, err = plan.Execute(ctx, client.Do, session.WayOut(own, testkit.Suite()), func(f replay.Finding) {
		o.states += f.Row + " " + string(f.State) + "\n"
		o.text += f.String() + "\n"
	})
	return o, err
}

// replayCase is how a report is replayed against a service.
type replayCase struct {
	Name, Date, Token string
	Lenient, Fixed    bool
	Has, Lacks, Shows []string
}

// withDate puts a date, in JSON, into a record, unless it is "".
func withDate(date string) func(map[string]any) {
	return func(record map[string]any) {
		if date != "" {
			record["CreatedOn"] = json.RawMessage(date)
		}
	}
}

var _ = Describe("A report that is replayed", func() {
	It("says what is fixed, what is still so, and what is otherwise wrong", func(ctx SpecContext) {
		s := serveService()
		s.lenient, s.change = true, withDate(`"yesterday"`)
		dir, asked := s.makeReport(ctx), s.asked
		for _, c := range testkit.Cases[replayCase]("testdata/replayed.yaml") {
			By("against " + c.Name)
			s.lenient, s.change, s.token = c.Lenient, withDate(c.Date), c.Token
			o := testkit.Must(s.replayReport(ctx, dir))
			Expect(o.fixed).To(Equal(c.Fixed))
			for _, row := range c.Has {
				Expect(o.states).To(ContainSubstring(row))
			}
			for _, row := range c.Lacks {
				Expect(o.states).NotTo(ContainSubstring(row))
			}
			for _, text := range c.Shows {
				Expect(o.text).To(ContainSubstring(text))
			}
			Expect(o.text).NotTo(ContainSubstring(fixtures.AccessToken))
			Expect(s.asked).To(BeNumerically("<", asked), "only what had findings")
		}
	})

	It("fixes a value that keeps changing in one version by equal answers only, not by refusals",
		func(ctx SpecContext) {
			s, calls := serveService(), 0
			s.change = func(r map[string]any) {
				calls++
				r["Description"] = strings.Repeat("!", calls%97)
			}
			dir := s.makeReport(ctx)
			Expect(testkit.Must(s.replayReport(ctx, dir)).states).To(And(
				ContainSubstring("9.3/getUserAuth/values v5=v6 STILL"), Not(MatchRegexp("FIXED|OTHER"))))
			s.token = "another token"
			Expect(testkit.Must(s.replayReport(ctx, dir)).states).To(And(
				ContainSubstring("9.3/getUserAuth/values v5=v6 OTHER"), Not(ContainSubstring("FIXED"))))
			s.token, s.change = "", nil
			Expect(testkit.Must(s.replayReport(ctx, dir)).fixed).To(BeTrue())
		})

	It("fixes what came for a user without an authenticator, if nothing comes now", func(ctx SpecContext) {
		m, _ := mutants.Find("get-user-auth-unenrolled-anothers-record-v6")
		wrong := testkit.Serve(m.Handler(kit.Reference(kit.Users(), fixtures.AccessToken)))
		dir := testkit.ReportFolder(ctx, testkit.Settings(wrong, kit.Users()))
		o := testkit.Must(serveService().replayReport(ctx, dir))
		Expect([]bool{o.fixed, strings.Contains(o.states, "4.1/user v6 FIXED")}).To(HaveEach(true), o.text)
	})

	It("sends nothing if nothing was found", func(ctx SpecContext) {
		s := serveService()
		o := testkit.Must(s.replayReport(ctx, s.makeReport(ctx)))
		Expect(o).To(Equal(outcome{text: o.text, fixed: true}))
		Expect(o.text).To(HavePrefix("sends 0 of"))
		Expect(s.asked).To(BeZero())
	})

	It("is an error if the target does not answer, its values are hidden, or it is none", func(ctx SpecContext) {
		s := serveService()
		s.change = withDate(`"yesterday"`)
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
			_, err := s.replayReport(ctx, dir)
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})
