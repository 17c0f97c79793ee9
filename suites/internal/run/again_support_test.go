package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
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

// past is a run that was carried out, with its evidence.
type past struct {
	contract *schemas.Contract
	report   *report.Report
	archive  []byte
}

// checkedAgain carries a run out against a handler and keeps its evidence.
func checkedAgain(handler http.Handler, users []fixtures.User, change ...func(*settings.Settings)) *past {
	GinkgoHelper()
	server := httptest.NewServer(handler)
	defer server.Close()
	kept, err := evidence.NewWriter(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	defer kept.Close()
	unchecked := against(server.URL, users, change...)
	r := run.New(unchecked.Settings, unchecked.Suite, "0.0.0", kept)
	out := sanitize.New(r.Settings, r.Contract, report.Name)
	kept.ForRun(r.Requests, out)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	why := r.Execute(ctx)
	var archive bytes.Buffer
	Expect(kept.WriteArchive(&archive, evidence.RecordOf(r, out, why))).To(Succeed())
	return &past{r.Contract, report.New(r, out, why), archive.Bytes()}
}

// evidence reads the archive.
func (p *past) evidence() *evidence.Evidence {
	GinkgoHelper()
	e, err := evidence.Parse(bytes.NewReader(p.archive), schemas.Versions())
	Expect(err).NotTo(HaveOccurred())
	return e
}

// prepare prepares to judge the evidence again, by way of what brings its exchanges.
func (p *past) prepare(e *evidence.Evidence, sender run.Sender) *run.Run {
	past := e.Run()
	past.Sender = sender
	return run.Again(e.Settings, testkit.Suite(), past)
}

// again judges the evidence, whole.
func (p *past) again() *report.Report {
	GinkgoHelper()
	e := p.evidence()
	r := p.prepare(e, e)
	return judgedBy(r)
}

// judgedBy carries a run out, and returns its report.
func judgedBy(r *run.Run) *report.Report {
	err := r.Execute(context.Background())
	return report.New(r, sanitize.New(r.Settings, r.Contract, report.Name), err)
}

// judgedAgain is the report of the run, but for saying that it was judged again: then it certifies nothing.
func (p *past) judgedAgain() *report.Report {
	r := *p.report
	r.JudgedAgain = &report.JudgedAgain{Evidence: p.evidence().Digest()}
	r.Judge()
	return &r
}

// incompleteStore is evidence that lacks some exchanges.
type incompleteStore struct {
	*evidence.Evidence
	lacks func(exchange.Probe) bool
	asked map[exchange.Probe]bool // what was asked for and is lacking
}

func (i *incompleteStore) Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	ex, err := i.Evidence.Do(ctx, p)
	if err == nil && i.lacks(ex.Probe) {
		i.asked[ex.Probe] = true
		return nil, exchange.ErrNotRecorded
	}
	return ex, err
}

// without judges evidence again that lacks some exchanges, and tells which of them were asked for.
func (p *past) without(lacks func(exchange.Probe) bool) (*report.Report, map[exchange.Probe]bool) {
	GinkgoHelper()
	h := &incompleteStore{p.evidence(), lacks, map[exchange.Probe]bool{}}
	r := p.prepare(h.Evidence, h)
	return judgedBy(r), h.asked
}

// probes are those of the archive's entries, in the order sent.
func (p *past) probes() []exchange.Probe {
	GinkgoHelper()
	e := p.evidence()
	var h struct {
		Log struct {
			Entries []struct {
				Exchange string `json:"_exchange"`
			}
		}
	}
	Expect(json.Unmarshal(p.archive, &h)).To(Succeed())
	var list []exchange.Probe
	for _, entry := range h.Log.Entries {
		k, err := e.Entry(entry.Exchange)
		Expect(err).NotTo(HaveOccurred())
		list = append(list, k.Probe)
	}
	return list
}

// text is a report as report.json has it.
func text(r *report.Report) string {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(report.WriteJSON(&b, r)).To(Succeed())
	return b.String()
}

// mutant is a broken service over the reference for three users.
func mutant(name string) http.Handler {
	GinkgoHelper()
	m, ok := mutants.Find(name)
	Expect(ok).To(BeTrue(), "there is no mutant %q any more", name)
	return m.Handler(validService())
}

func validService() http.Handler {
	return reference.New(reference.Options{Users: threeUsers(), AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
}

// verdicts are those of the rows, by id and version.
func verdicts(r *report.Report) map[ledger.Key]ledger.Verdict {
	list := map[ledger.Key]ledger.Verdict{}
	for _, row := range r.Requirements {
		list[ledger.Key{ID: row.ID, Version: row.Version}] = row.Verdict
	}
	return list
}
