package lastfailed_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/lastfailed"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestLastFailed(t *testing.T) { testkit.Specs(t, "last failed") }

// service is the reference or a wrong one, and counts the requests.
type service struct {
	wrong    http.Handler // nil: the reference
	requests atomic.Int64
	settings *settings.Settings
}

func serve(wrong http.Handler, change ...func(*settings.Settings)) *service {
	GinkgoHelper()
	s, right := &service{wrong: wrong}, reference()
	url := testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if s.wrong != nil {
			s.wrong.ServeHTTP(w, r)
			return
		}
		right.ServeHTTP(w, r)
	}))
	s.settings = testkit.Settings(url, kit.Users(), change...)
	return s
}

func reference() http.Handler { return kit.Reference(kit.Users(), fixtures.AccessToken) }

func mutant(name string) http.Handler {
	m, found := mutants.Find(name)
	if !found {
		panic("there is no mutant " + name)
	}
	return m.Handler(reference())
}

// refusingSome is the reference, but v6 does not know n users after the first.
func refusingSome(n int) http.Handler {
	right := reference()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := kit.ParseRequest(r)
		for _, u := range kit.Users()[1 : 1+n] {
			if request.Version == schemas.V6 && request.Members["UserId"] == u.UserID {
				w.WriteHeader(http.StatusNotFound)
				return
			}
		}
		request.Forward(right).Write(w)
	})
}

// failedRows lists the rows with findings.
func failedRows(r *report.Report) (list []string) {
	for _, row := range r.Requirements {
		if row.FindingCount > 0 {
			list = append(list, row.ID+" "+string(row.Version))
		}
	}
	return list
}

// runAgain runs only what failed in a report folder.
func (s *service) runAgain(ctx context.Context, dir string) *report.Report {
	GinkgoHelper()
	failed := testkit.Must(lastfailed.OfRun(dir, testkit.Suite()))
	narrowed := *s.settings
	failed.Narrow(&narrowed)
	n := testkit.Must(session.New(&narrowed, testkit.Suite(), nil))
	only := map[ledger.Key]bool{}
	for _, row := range n.Run.Ledger.Rows() {
		for _, name := range narrowed.OnlyRows {
			if name == row.Key.String() {
				only[row.Key] = true
			}
		}
	}
	n.Run.Select(only)
	Expect(n.Execute(ctx, nil)).To(Succeed())
	return n.Result
}

var _ = Describe("What failed in a run", func() {
	DescribeTable("fails alone, too, with fewer requests, and no longer when it is repaired,",
		func(ctx SpecContext, wrong func() http.Handler, users int, change func(*settings.Settings)) {
			s := serve(wrong(), change)
			whole, dir := testkit.RunAndReport(ctx, s.settings, testkit.Suite())
			Expect(failedRows(whole)).NotTo(BeEmpty())
			sent := s.requests.Swap(0)

			again := s.runAgain(ctx, dir)
			Expect(failedRows(again)).To(Equal(failedRows(whole)))
			Expect([]any{again.Verdict, again.Complete, again.Certifies, again.Users.Count}).To(
				Equal([]any{whole.Verdict, false, false, users}))
			Expect(s.requests.Load()).To(BeNumerically("<", sent))

			s.wrong = nil
			s.settings.Waivers = nil
			again = s.runAgain(ctx, dir)
			Expect(again.Verdict).To(BeElementOf(ledger.Pass, ledger.Inconclusive))
			Expect([]bool{again.Complete, again.Certifies}).To(HaveEach(false))
		},
		Entry("of one user", func() http.Handler { return mutant("created-on-two-digit-fraction-one-user-v5") },
			1, keep),
		Entry("of a request that must be refused",
			func() http.Handler { return mutant("get-user-auth-id-missing-served-v5") }, 1, keep),
		Entry("of a user who is not enrolled, beside one who is served",
			func() http.Handler { return mutant("get-user-auth-unenrolled-anothers-record-v6") }, 2, keep),
		Entry("of users who are not served, after one who is", func() http.Handler { return refusingSome(6) }, 7, keep),
		Entry("of everybody, by findings without an exchange",
			func() http.Handler { return mutant("get-user-auth-divergence-created-v5") }, len(kit.Users()),
			func(s *settings.Settings) { s.Divergence = settings.DivergenceFail }),
		Entry("although it is waived",
			func() http.Handler { return mutant("created-on-two-digit-fraction-one-user-v5") }, 1,
			func(s *settings.Settings) {
				s.Waivers = []ledger.Waiver{{Requirement: "2.1/CreatedOn", Verdict: ledger.Fail, Reason: "later",
					Until: time.Now().AddDate(0, 1, 0), Where: "conformance.yaml:1"}}
			}),
	)

	It("is of everybody if there are more findings than a report keeps", func(ctx SpecContext) {
		people := make([]fixtures.User, check.MaxFindings)
		for i := range people {
			people[i] = fixtures.User{ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), Enrolled: true,
				UserID: fmt.Sprintf("person-%d", i)}
		}
		url := testkit.Serve(testkit.Changing(kit.Reference(people, fixtures.AccessToken),
			func(_ schemas.Version, record map[string]any) { record["CreatedOn"] = "yesterday" }))
		dir := testkit.ReportFolder(ctx, testkit.Settings(url, people))
		Expect(testkit.Must(lastfailed.OfRun(dir, testkit.Suite())).Users).To(HaveLen(len(people)))
	})

	It("can't be read if nothing failed, users are hidden, or the folder is of no run", func(ctx SpecContext) {
		s := serve(nil)
		passed := testkit.ReportFolder(ctx, s.settings)
		s.wrong = mutant("created-on-two-digit-fraction-one-user-v5")
		failed, other := testkit.ReportFolder(ctx, s.settings), testkit.ReportFolder(ctx, s.settings)
		testkit.Write(other, report.EvidenceFile, testkit.Read(failed, report.EvidenceFile))
		s.settings.Values = settings.ValuesHide
		ended := GinkgoT().TempDir()
		into := testkit.Must(folder.Open(ended))
		defer into.Close()
		Expect(into.Write(folder.Content{Report: report.Failed(testkit.Contract().Digest, time.Now(), time.Now(),
			"no token")})).To(Succeed())
		for dir, says := range map[string]string{
			passed:                                "nothing failed in " + passed + " (verdict pass)",
			testkit.ReportFolder(ctx, s.settings): "its users are not in it",
			GinkgoT().TempDir():                   "is no report folder of a run",
			other:                                 "is of another run",
			ended: "what failed in " + ended +
				" is not known, as its run was not carried out (",
			filepath.Dir(testkit.Write(GinkgoT().TempDir(), report.JSONFile,
				[]byte("{}"))): "report.json: it is not a valid",
		} {
			_, err := lastfailed.OfRun(dir, testkit.Suite())
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})
})

func keep(*settings.Settings) {}
