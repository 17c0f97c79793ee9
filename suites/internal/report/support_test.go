package report_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestReport(t *testing.T) { testkit.Specs(t, "report") }

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
			s.Secrets, s.Timeout = []string{token}, time.Second
			testkit.EachTarget(func(t *settings.Target) { t.AccessToken, t.ApplicationID = token, "calling-module" })(s)
		}}, change...)...)
	return run.New(s, testkit.Suite(), "0.0.0", run.Input{})
}

// passedRun is a run of which every row is witnessed.
func passedRun(change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	r := readyRun(change...)
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

// addLists enters what came for other users, in lines such as "u-1001: a b | a" with the identifiers of each call of
// v5, and "u-1001 has a" with the Id of a record.
func addLists(r *run.Run, lines ...string) *run.Run {
	GinkgoHelper()
	for _, line := range lines {
		p := probeOf(r)
		if user, id, records := strings.Cut(line, " has "); records {
			p.User.UserID = user
			ex := &exchange.Exchange{Probe: p, Status: 200, Body: []byte(`{"Id":"` + id + `"}`)}
			Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
			continue
		}
		user, calls, _ := strings.Cut(line, ": ")
		for i, call := range strings.Split(calls, " | ") {
			p.Operation, p.User.UserID, p.Round = schemas.FindByUserIDs, user, i+1
			body := `["` + strings.ReplaceAll(call, " ", `","`) + `"]`
			ex := &exchange.Exchange{Probe: p, Status: 200, Body: []byte(body)}
			Expect(r.Ledger.Add(r.Suite.Judge(ex))).To(Succeed())
		}
	}
	return r
}

// addFindings enters findings of the first user into a row of the run's ledger.
func addFindings(r *run.Run, id string, v schemas.Version, findings ...check.Finding) *run.Run {
	GinkgoHelper()
	outcome := check.Outcome{}
	for _, f := range findings {
		if f.Probe = probeOf(r); v.IsPair() {
			f.Against, f.Probe.Version, f.Probe.Segment = f.Probe, schemas.V6, "v6"
		}
		outcome.Find(f)
	}
	Expect(r.Ledger.Merge(ledger.Key{ID: id, Version: v}, outcome)).To(Succeed())
	return r
}

// selectRow narrows a run to a row.
func selectRow(r *run.Run, id string) *run.Run {
	r.Select(map[ledger.Key]bool{{ID: id, Version: schemas.V5}: true})
	return r
}

// closeRun ends a run and makes its report.
func closeRun(r *run.Run, err error) *report.Report {
	r.Ledger.Close(err == nil, false)
	r.Started, r.Finished = end.Add(-1500*time.Millisecond), end
	r.StaleWaivers, r.WaiverNotes = r.Ledger.Waive(r.Settings.Waivers, end)
	return report.New(r.Result(err), sanitize.New(r.Settings, r.Contract, report.Name))
}

// findRow finds a row of a report.
func findRow(r *report.Report, id string, v schemas.Version) *report.Row {
	GinkgoHelper()
	row := r.Row(ledger.Key{ID: id, Version: v})
	Expect(row).NotTo(BeNil(), "%s of %s", id, v)
	return row
}

// waiveVerdict waives a verdict of a requirement in v5.
func waiveVerdict(id string, verdict ledger.Verdict, until time.Time) func(*settings.Settings) {
	return func(s *settings.Settings) {
		s.Waivers = append(s.Waivers, ledger.Waiver{Requirement: id, Version: schemas.V5, Verdict: verdict,
			Reason: "ticket 17", Until: until, Where: "conformance.yaml:7"})
	}
}

// printedOn is what a screen shows of a report.
func printedOn(screen report.Screen, r *report.Report) string {
	var text strings.Builder
	report.Print(&text, r, "the/reports", screen)
	return text.String()
}

func junitText(r *report.Report) string {
	GinkgoHelper()
	var text strings.Builder
	Expect(report.WriteJUnit(&text, r)).To(Succeed())
	return text.String()
}

// jsonText is report.json, after it was held against its schema.
func jsonText(r *report.Report) string {
	GinkgoHelper()
	var text strings.Builder
	Expect(report.WriteJSON(&text, r)).To(Succeed())
	value := testkit.Must(strictjson.Decode([]byte(text.String())))
	Expect(schemas.OutputSchema("report").Check(value)).To(BeEmpty())
	return text.String()
}
