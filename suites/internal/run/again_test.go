package run_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// recordedRun is a run that was carried out, with its evidence.
type recordedRun struct {
	report  *report.Report
	archive []byte
	probes  []exchange.Probe
}

// recordRun carries a run out against a stage, for three users, and keeps its evidence.
func recordRun(s *stage, change ...func(*settings.Settings)) recordedRun {
	GinkgoHelper()
	kept := testkit.Must(evidence.NewWriter(GinkgoT().TempDir()))
	defer kept.Close()
	prepared := readyRun(s, change...)
	r := run.New(prepared.Settings, prepared.Suite, "0.0.0", kept)
	out := sanitize.New(r.Settings, r.Contract, report.Name)
	kept.ForRun(r.Requests, out)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	why := r.Execute(ctx)
	var archive bytes.Buffer
	Expect(kept.WriteArchive(&archive, evidence.RecordOf(r, out, why))).To(Succeed())
	recorded := recordedRun{report: report.New(r, out, why), archive: archive.Bytes()}
	e := recorded.evidence()
	for i := 1; ; i++ {
		entry, err := e.Entry("e" + strconv.Itoa(i))
		if err != nil {
			break // there are no more
		}
		recorded.probes = append(recorded.probes, entry.Probe)
	}
	return recorded
}

func (r recordedRun) evidence() *evidence.Evidence {
	GinkgoHelper()
	return testkit.Must(evidence.Parse(bytes.NewReader(r.archive), schemas.Versions()))
}

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
	e := &partialEvidence{r.evidence(), lacks, map[exchange.Probe]bool{}}
	past := e.Run()
	past.Sender = e
	again := run.Again(e.Settings, testkit.Suite(), past)
	err := again.Execute(ctx)
	return report.New(again, sanitize.New(again.Settings, again.Contract, report.Name), err), e.asked
}

// needsProbe reports whether a row is judged by what came back for a probe. Every exchange of an operation counts for
// whether its versions diverge.
func needsProbe(row report.Row, p exchange.Probe) bool {
	if row.Version != p.Version && row.Version != schemas.Parity {
		return false
	}
	for _, requirement := range testkit.Suite().Requirements() {
		if requirement.ID == row.ID {
			return requirement.Asks(p) || strings.HasSuffix(row.ID, "/divergence") && row.Operation == p.Operation
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

// unstableService is a service whose device has another Comment at each call of some versions.
func unstableService(in ...schemas.Version) *stage {
	var calls atomic.Int64
	return &stage{twist: func(c call, value any) any {
		if record, ok := value.(map[string]any); ok && record["Device"] != nil && slices.Contains(in, c.version) {
			record["Device"].(map[string]any)["Comment"] = strconv.FormatInt(calls.Add(1), 10)
		}
		return value
	}}
}

// challengingService is a service that names a scheme of authentication to a token that it does not know.
func challengingService() *stage {
	return &stage{before: func(w http.ResponseWriter, now sent, _ int) bool {
		if strings.Contains(now.body, "$AUTHN_ACCESS_TOKEN") {
			return false
		}
		w.Header().Set("WWW-Authenticate", "Bearer realm=x")
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}}
}

func failOnDivergence(s *settings.Settings) { s.Divergence = settings.DivergenceFail }

// That whole evidence comes to the same rows is proved for every service of the fixtures (suites/proof).
var _ = Describe("Evidence that lacks something and is judged again", func() {
	values := func(r *report.Report) ledger.Verdict {
		i := slices.IndexFunc(r.Requirements, func(row report.Row) bool { return row.ID == valuesOfRecord })
		return r.Requirements[i].Verdict
	}

	DescribeTable("never makes a row better, whatever is lacking", func(ctx SpecContext, s *stage) {
		recorded := recordRun(s, failOnDivergence)
		random := rand.New(rand.NewPCG(5, 6))
		for _, share := range []float64{0.01, 0.05, 0.3, 0.8, 0.99, 1} {
			lost := map[exchange.Probe]bool{}
			for _, probe := range recorded.probes {
				lost[probe] = random.Float64() < share
			}
			lost[recorded.probes[0]] = true
			now, asked := recorded.judgeWithout(ctx, func(p exchange.Probe) bool { return lost[p] })
			expectNothingBetter(recorded.report, now, asked)
		}
	},
		Entry("of the reference", &stage{}),
		Entry("of a challenge to bad tokens", challengingService()),
		Entry("of a value that changes at each call", unstableService(schemas.Versions()...)),
		Entry("of a value that changes at each call of v6", unstableService(schemas.V6)),
	)

	DescribeTable("names the missing exchange, and leaves open only the rows that need it",
		func(ctx SpecContext, lost func(exchange.Probe) bool) {
			recorded := recordRun(&stage{}, failOnDivergence)
			i := slices.IndexFunc(recorded.probes, lost)
			Expect(i).To(BeNumerically(">=", 0), "no such probe was sent")
			gone := recorded.probes[i]
			now, _ := recorded.judgeWithout(ctx, func(probe exchange.Probe) bool { return probe == gone })
			Expect(now.Missing).To(ConsistOf(HavePrefix(gone.ID + ": ")))
			Expect(now.Complete).To(BeFalse())
			Expect(now.Verdict).To(Equal(ledger.Inconclusive))
			for i, row := range now.Requirements {
				if needsProbe(row, gone) {
					Expect(row.Verdict).NotTo(Equal(ledger.Pass), "%s %s", row.ID, row.Version)
					Expect(*row.Reason).To(Equal(ledger.NotRun), "%s %s", row.ID, row.Version)
				} else {
					Expect(row).To(Equal(recorded.report.Requirements[i]), "it did not need %s", gone.Name())
				}
			}
		},
		Entry("the first call of v5", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Version == schemas.V5 && p.Round == 1
		}),
		Entry("the second call of v6", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Version == schemas.V6 && p.Round == 2
		}),
		Entry("a call of the other operation", func(p exchange.Probe) bool {
			return p.WellFormed() && p.Operation == schemas.FindByUserIDs
		}),
		Entry("a call for a user without authenticators",
			func(p exchange.Probe) bool { return p.WellFormed() && !p.User.Enrolled }),
		Entry("a request without a field", func(p exchange.Probe) bool { return p.Kind == exchange.Absent }),
		Entry("an empty token", func(p exchange.Probe) bool { return p.Kind == exchange.EmptyToken }),
		Entry("a changed token", func(p exchange.Probe) bool { return p.Kind == exchange.ChangedToken }),
	)

	DescribeTable("leaves parity open if a later call is missing",
		func(ctx SpecContext, round int, was ledger.Verdict, in ...schemas.Version) {
			recorded := recordRun(unstableService(in...))
			Expect(values(recorded.report)).To(Equal(was))
			now, asked := recorded.judgeWithout(ctx, func(p exchange.Probe) bool {
				return p.Round == round && p.Version == schemas.V5
			})
			expectNothingBetter(recorded.report, now, asked)
			Expect(values(now)).To(Equal(ledger.Inconclusive))
		},
		Entry("the third, if values change in both versions", 3, ledger.Pass, schemas.V5, schemas.V6),
		Entry("the second, whatever the others show", 2, ledger.Fail, schemas.V6),
	)

	It("says of a run that was interrupted why it was", func(ctx SpecContext) {
		recorded := recordRun(&stage{}, func(s *settings.Settings) { s.Deadline = 1 })
		now, _ := recorded.judgeWithout(ctx, func(exchange.Probe) bool { return false })
		Expect(now.Verdict).To(Equal(ledger.Fault))
		Expect(*now.Error).To(Equal(*recorded.report.Error))
		Expect(now.Complete).To(BeFalse())
	})

	It("ends if judging it is interrupted itself", func() {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("interrupted"))
		now, _ := recordRun(&stage{}).judgeWithout(ctx, func(exchange.Probe) bool { return false })
		Expect(*now.Error).To(ContainSubstring("interrupted"))
	})
})
