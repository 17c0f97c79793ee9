package report_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

const (
	token = "administrator-token-8Fk2Qw7Zp1Xc5Vb9"
	guid  = "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"
)

// end is when the runs of these specs end.
var end = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// readyRun is a run that sends nothing: its ledger is filled by the specs.
func readyRun(change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	user := fixtures.User{ID: guid, UserID: "u-1001", Enrolled: true, Name: "the first one"}
	s := testkit.Settings(testkit.Must(url.Parse("https://target.example/prefix")), []fixtures.User{user},
		append([]func(*settings.Settings){func(s *settings.Settings) {
			s.AccessToken, s.ApplicationID, s.Secrets, s.Timeout = token, "calling-module", []string{token}, time.Second
		}}, change...)...)
	return run.New(s, testkit.Suite(), "0.0.0", nil)
}

// passEveryRow witnesses every row of a run.
func passEveryRow(r *run.Run) *run.Run {
	GinkgoHelper()
	for _, row := range r.Ledger.Rows() {
		Expect(r.Ledger.Merge(row.Key, check.Outcome{Witnesses: 1})).To(Succeed())
	}
	return r
}

// probeOf is a well-formed one of v5 for the first user.
func probeOf(r *run.Run) exchange.Probe {
	return exchange.Probe{ID: "e17", Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", Round: 1,
		User: r.Settings.Users[0]}
}

// addAnswer judges an answer to a well-formed request and enters it into the run's ledger.
func addAnswer(r *run.Run, body string, header http.Header) *run.Run {
	GinkgoHelper()
	ex := &exchange.Exchange{Probe: probeOf(r), Status: 200, Header: header, Body: []byte(body)}
	Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
	return r
}

// outputOf returns the way out of a run.
func outputOf(r *run.Run) *sanitize.Output { return sanitize.New(r.Settings, r.Contract, report.Name) }

// closeRun ends a run and makes its report.
func closeRun(r *run.Run, err error) *report.Report {
	r.Ledger.Close(err == nil)
	r.Started, r.Finished = end.Add(-1500*time.Millisecond), end
	r.StaleWaivers, r.WaiverNotes = r.Ledger.Waive(r.Settings.Waivers, end)
	return report.New(r, outputOf(r), err)
}

// explainedRow is what a person reads of a row.
func explainedRow(r *run.Run, row *ledger.Row) string {
	return report.New(r, outputOf(r), nil).Row(row.Key).Explain()
}

// findRow finds a row of a run.
func findRow(r *run.Run, id string, v schemas.Version) *ledger.Row {
	GinkgoHelper()
	found := r.Ledger.Row(ledger.Key{ID: id, Version: v})
	Expect(found).NotTo(BeNil(), "%s of %s", id, v)
	return found
}

// inReport finds a row of a report.
func inReport(r *report.Report, id string, v schemas.Version) *report.Row {
	GinkgoHelper()
	for i := range r.Requirements {
		if r.Requirements[i].ID == id && r.Requirements[i].Version == v {
			return &r.Requirements[i]
		}
	}
	Fail("the report has no row " + id + " of " + string(v))
	return nil
}

// writeFiles gives the files of a report, by name.
func writeFiles(r *report.Report) map[string]string {
	GinkgoHelper()
	var json, junit strings.Builder
	Expect(report.WriteJSON(&json, r)).To(Succeed())
	Expect(report.WriteJUnit(&junit, r)).To(Succeed())
	return map[string]string{"report.json": json.String(), "junit.xml": junit.String()}
}

// decodeValid holds a report.json against its schema, and gives it decoded.
func decodeValid(text string) map[string]any {
	GinkgoHelper()
	value, err := strictjson.Decode([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	schema, err := schemas.ReportSchema()
	Expect(err).NotTo(HaveOccurred())
	Expect(schema.Check(value)).To(BeEmpty())
	var members map[string]any
	Expect(json.Unmarshal([]byte(text), &members)).To(Succeed())
	return members
}
