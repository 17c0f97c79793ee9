package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// That a request without a field is, too, is proved by the mutants that are served in a 503.
var _ = DescribeTable("A bad token is served if data comes with an answer that is waited out",
	func(ctx SpecContext, status int) {
		var mu sync.Mutex
		given := map[string]bool{}
		const record = `{"UserId":"u-1001","Flags":1,"ModeType":2,"Description":"of a card"}`
		r := prepareRun(&stage{before: func(w http.ResponseWriter, s sent) bool {
			mu.Lock()
			defer mu.Unlock()
			if s.operation != schemas.GetUserAuth || !s.hasBadToken() || given[s.id] {
				return false
			}
			given[s.id] = true
			w.WriteHeader(status)
			_, _ = io.WriteString(w, record)
			return true
		}})
		Expect(r.Execute(ctx, nil)).To(Succeed())
		Expect(rowsNotPassing(r)).To(ConsistOf("5.1/getUserAuth/token v5 fail", "5.1/getUserAuth/token v6 fail"))
	},
	Entry("429", http.StatusTooManyRequests), Entry("503", http.StatusServiceUnavailable),
)

// What differs, and what changes between calls, is proved by the services of the fixtures (suites/test/proof).
var _ = Describe("Parity (J14, J15)", func() {
	valuesFail := []string{"9.3/getUserAuth/values v5=v6 fail"}
	ignore := func(pointer string, days int) func(*settings.Settings) {
		until := time.Now().AddDate(0, 0, days)
		return func(s *settings.Settings) {
			s.Ignore = []settings.Ignore{{Pointer: pointer, Reason: "r", Until: until, Where: "file:1"}}
		}
	}

	DescribeTable("of a service whose v6 has another CreatedBy is judged by its settings",
		func(ctx SpecContext, change func(*settings.Settings), failed, used, noted []string) {
			r := prepareRun(changeRecords(func(s sent) bool { return s.version == schemas.V6 },
				func(_ sent, record map[string]any) { record["CreatedBy"] = "x" }), change)
			Expect(r.Execute(ctx, nil)).To(Succeed())
			Expect([][]string{rowsNotPassing(r), r.Result(nil).UsedIgnores}).To(Equal([][]string{failed, used}))
			Expect(r.Result(nil).Notes).To(HaveLen(min(1, len(noted))))
			for _, words := range noted {
				Expect(r.Result(nil).Notes).To(ContainElement(ContainSubstring(words)))
			}
		},
		Entry("values are compared", func(*settings.Settings) {}, valuesFail, nil, nil),
		Entry("shapes are compared", func(s *settings.Settings) { s.ParityMode = settings.ParityShape }, []string{},
			nil, nil),
		Entry("the place is ignored until today", ignore("/CreatedBy", 0), []string{}, []string{"/CreatedBy"}, nil),
		Entry("the place was ignored until a day that is past, which is noted", ignore("/CreatedBy", -2), valuesFail,
			nil, []string{"/CreatedBy", "file:1", "ended"}),
		Entry("another place is ignored, which is noted", ignore("/Description", 2), valuesFail, nil,
			[]string{"/Description", "file:1", "hid nothing"}),
	)

	It("has a row for divergence at open points only if the setting says that it fails", func(ctx SpecContext) {
		undocumented := changeRecords(func(s sent) bool { return s.version == schemas.V5 },
			func(_ sent, record map[string]any) { record["Extra"] = "x" })
		r := prepareRun(undocumented, failOnDivergence)
		Expect(r.Execute(ctx, nil)).To(Succeed())
		Expect(rowsNotPassing(r)).To(ConsistOf("9.3/getUserAuth/shape v5=v6 fail",
			"9.3/getUserAuth/divergence v5=v6 fail"))
		Expect(findRow(r, "9.3/getUserAuth/divergence", schemas.Parity).Causes).To(HaveExactElements(
			And(HaveField("Kind", "open/2/undocumented-members"), HaveField("Count", 1))))
		Expect(prepareRun(&stage{}).Ledger.Row(ledger.Key{ID: "9.3/getUserAuth/divergence",
			Version: schemas.Parity})).To(BeNil())
	})
})

// recordedRun is a run that was carried out, with its evidence.
type recordedRun struct {
	report *report.Report
	path   string // of the evidence
}

// prepareSession prepares a run against a stage, for three users, that keeps its evidence in the folder.
func prepareSession(s *stage, change ...func(*settings.Settings)) (*session.Session, string) {
	GinkgoHelper()
	into := testkit.Must(folder.Open(GinkgoT().TempDir()))
	DeferCleanup(into.Close)
	n := testkit.Must(session.New(prepareRun(s, change...).Settings, testkit.Suite(), into))
	DeferCleanup(n.Close)
	return n, into.Dir()
}

// recordRun carries a run out.
func recordRun(s *stage, change ...func(*settings.Settings)) recordedRun {
	GinkgoHelper()
	n, dir := prepareSession(s, change...)
	_ = n.Execute(GinkgoT().Context(), nil) // the report says why it ended
	Expect(n.Write()).To(Succeed())
	return recordedRun{n.Result, filepath.Join(dir, report.EvidenceFile)}
}

var _ = It("A run of which a step hangs past its deadline has no report, and no file of it is written (J18)",
	func(ctx SpecContext) {
		n, dir := prepareSession(&stage{}, func(s *settings.Settings) { s.Deadline = time.Second })
		hangs := make(chan struct{})
		defer close(hangs)
		Expect(n.Execute(ctx, func(int, int) { <-hangs })).To(MatchError(bounded.ErrGivenUp))
		Expect(n.Write()).To(MatchError(bounded.ErrGivenUp))
		Expect(n.Result).To(BeNil())
		Expect(filepath.Glob(filepath.Join(dir, "report*"))).To(BeEmpty())
	}, NodeTimeout(limit))

// partialEvidence is evidence that lacks some exchanges.
type partialEvidence struct {
	*evidence.Evidence
	lacks func(exchange.Probe) bool
	asked map[exchange.Probe]bool // what was asked for and is lacking
}

func (e *partialEvidence) Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := e.Evidence.Do(ctx, p)
	if err == nil && e.lacks(ex.Probe) {
		e.asked[ex.Probe] = true
		return nil, exchange.ErrNotRecorded
	}
	return ex, err
}

// judgeWithout judges the evidence again without some of its exchanges, and tells which of them were asked for.
func (r recordedRun) judgeWithout(ctx context.Context, lacks func(exchange.Probe) bool) (*report.Report,
	map[exchange.Probe]bool) {
	GinkgoHelper()
	e := &partialEvidence{testkit.Must(evidence.Read(r.path, schemas.Versions())), lacks, map[exchange.Probe]bool{}}
	past := e.Run()
	past.Evidence = e
	again := run.Again(e.Settings, testkit.Suite(), past)
	err := again.Execute(ctx, nil)
	return report.New(again.Result(err), sanitize.New(again.Settings, again.Contract, report.Name)), e.asked
}

// needsProbe reports whether a row is judged by what came back for a probe. Every exchange of an operation counts for
// whether its versions diverge.
func needsProbe(row report.Row, p exchange.Probe) bool {
	if row.Version != p.Version && row.Version != schemas.Parity {
		return false
	}
	for _, requirement := range testkit.Suite().Requirements() {
		if requirement.ID == row.ID {
			return requirement.Needs(p) || strings.HasSuffix(row.ID, "/divergence") && row.Operation == p.Operation
		}
	}
	return false
}

// expectNothingBetter expects that no row looks better, nor accuses the target of more, where evidence is lacking.
func expectNothingBetter(was, now *report.Report, asked map[exchange.Probe]bool) {
	GinkgoHelper()
	Expect(asked).NotTo(BeEmpty())
	Expect(now.Verdict).NotTo(Equal(ledger.Pass))
	Expect(now.Complete).To(BeFalse())
	Expect(now.Missing).NotTo(BeEmpty())
	for i, row := range now.Requirements {
		before := was.Requirements[i].Verdict
		switch {
		case row.Verdict == ledger.Inconclusive && before != ledger.Inconclusive:
			Expect(*row.Reason).To(Equal(ledger.NotRun), "%s %s, of which it said %s", row.ID, row.Version, before)
		case row.Verdict != ledger.Inconclusive:
			Expect(row.Verdict).To(Equal(before), "%s %s", row.ID, row.Version)
		}
		for p := range asked {
			Expect(row.Verdict == ledger.Pass && needsProbe(row, p)).To(BeFalse(), "%s passes without %s", row.ID,
				p.Name())
		}
	}
	for i, o := range now.Observations {
		if o.Agree != nil {
			Expect(o.Agree).To(Equal(was.Observations[i].Agree), "%s of %s", o.ID, o.Operation)
		}
	}
}

// withoutControls is evidence that has no controls.
type withoutControls struct{ *evidence.Evidence }

func (withoutControls) Around(exchange.Probe) (before, after *exchange.Exchange) { return nil, nil }

func failOnDivergence(s *settings.Settings) { s.Divergence = settings.DivergenceFail }

// That whole evidence comes to the same rows is proved for every service of the fixtures (suites/test/proof).
var _ = Describe("Evidence that lacks something and is judged again", func() {
	DescribeTable("never makes a row better, whatever is lacking", func(ctx SpecContext, s *stage) {
		recorded := recordRun(s, failOnDivergence)
		random := rand.New(rand.NewPCG(5, 6))
		for _, share := range []float64{0.01, 0.05, 0.3, 0.8, 1} {
			now, asked := recorded.judgeWithout(ctx, func(p exchange.Probe) bool {
				return p.ID == "e1" || random.Float64() < share
			})
			expectNothingBetter(recorded.report, now, asked)
		}
	},
		Entry("of the reference", &stage{}),
		Entry("of a challenge to bad tokens",
			answerWith(sent.hasBadToken, 401, "", "WWW-Authenticate", "Bearer realm=x")),
		Entry("of a value that changes at each call", changeCreator(schemas.Versions()...)),
		Entry("of a value that changes at each call of v6", changeCreator(schemas.V6)),
	)

	It("takes no refusal for a witness if it has no controls (J23)", func(ctx SpecContext) {
		recorded := recordRun(&stage{})
		kept := testkit.Must(evidence.Read(recorded.path, schemas.Versions()))
		past := kept.Run()
		past.Evidence = withoutControls{kept}
		again := run.Again(kept.Settings, testkit.Suite(), past)
		Expect(again.Execute(ctx, nil)).To(Succeed())
		for _, row := range again.Ledger.Rows() {
			if strings.HasSuffix(row.ID, "/required") || strings.HasSuffix(row.ID, "/token") {
				Expect(row.Reason).To(Equal(ledger.NoControl), row.Key.String())
				Expect(row.Verdict()).To(Equal(ledger.Inconclusive))
			} else {
				Expect(row.Verdict()).To(Equal(ledger.Pass), row.Key.String())
			}
		}
	})

	It("names the missing exchange, and leaves open only the rows that need it", func(ctx SpecContext) {
		recorded := recordRun(&stage{}, failOnDivergence)
		for number := int64(1); number <= recorded.report.Counts.Requests; number += 5 {
			id := fmt.Sprint("e", number)
			now, asked := recorded.judgeWithout(ctx, func(probe exchange.Probe) bool { return probe.ID == id })
			if len(asked) == 0 { // it is a control
				continue
			}
			expectNothingBetter(recorded.report, now, asked)
			Expect(now.Missing).To(ConsistOf(HavePrefix(id + ": ")))
			Expect(now.Verdict).To(Equal(ledger.Inconclusive))
			Expect(asked).To(HaveLen(1))
			for gone := range asked {
				for i, row := range now.Requirements {
					if !needsProbe(row, gone) {
						Expect(row).To(Equal(recorded.report.Requirements[i]), "it did not need %s", gone.Name())
					}
				}
			}
		}
	})

	It("says why its run was interrupted, or why judging it was", func(ctx SpecContext) {
		recorded := recordRun(&stage{}, func(s *settings.Settings) { s.Deadline = 1 })
		now, _ := recorded.judgeWithout(ctx, func(exchange.Probe) bool { return false })
		Expect(now.Verdict).To(Equal(ledger.Fault))
		Expect(*now.Error).To(And(Equal(*recorded.report.Error), ContainSubstring(client.ErrDeadline.Error())))
		Expect(now.Complete).To(BeFalse())

		interrupted, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("interrupted"))
		now, _ = recordRun(&stage{}).judgeWithout(interrupted, func(exchange.Probe) bool { return false })
		Expect(*now.Error).To(ContainSubstring("interrupted"))
	})
})
