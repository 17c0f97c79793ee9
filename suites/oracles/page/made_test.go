package page_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
)

func TestPage(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Page")
}

// ended is when the runs of these specs end.
var ended = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// pageOf is the page of a report.
func pageOf(r *report.Report, shelf evidence.Store) string {
	GinkgoHelper()
	var out bytes.Buffer
	Expect(page.Write(&out, r, shelf)).To(Succeed())
	return out.String()
}

// shelf is made of the exchanges that a spec wants.
type shelf map[string]*evidence.Entry

func (s shelf) Entry(id string) (*evidence.Entry, error) {
	if kept, ok := s[id]; ok {
		return kept, nil
	}
	return nil, errors.New("there is no exchange " + id)
}

// keptExchange is an exchange of a version with a body.
func keptExchange(id string, v schemas.Version, body string) *evidence.Entry {
	return &evidence.Entry{
		Exchange: exchange.Exchange{
			Probe: exchange.Probe{ID: id, Operation: schemas.GetUserAuth, Version: v, Segment: string(v), Round: 1,
				User: settings.User{ID: "id of " + id, UserID: "user of " + id, Enrolled: true}},
			Status: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
			Body: []byte(body),
		},
		Method: http.MethodPost, URL: "https://target.example/api/" + string(v) + "/authenticator/getUserAuth",
		Sent: http.Header{"Content-Type": {"application/json"}}, SentBody: `{"UserId":"user of ` + id + `"}`,
	}
}

// madeReport is a report of rows, of a run that ended.
func madeReport(rows ...report.Row) *report.Report {
	finished := ended
	r := &report.Report{
		Verdict: ledger.Pass, Complete: true, Run: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",
		Suite: report.Suite{Name: report.Name, Version: "0.0.0", Contract: "sha256:00"},
		Target: map[schemas.Version]string{schemas.V5: "https://target.example",
			schemas.V6: "https://target.example"},
		Versions: schemas.Versions(), Users: &report.Users{Count: 13, Digest: "sha256:33"},
		Started:  ended.Add(-time.Minute),
		Finished: &finished, Requirements: rows,
		Headings: map[string]string{"2.1": "Authenticator record", "9.3": "The same in both versions"},
	}
	for _, row := range rows {
		if row.Verdict == ledger.Fail {
			r.Verdict = ledger.Fail
		}
	}
	return r
}

// rowOf is one in a version, with a verdict.
func rowOf(id string, v schemas.Version, verdict ledger.Verdict) report.Row {
	return report.Row{ID: id, Section: "2.1", Kind: schemas.Documented,
		Statement: "It, if present and not null, is right.",
		Operation: schemas.GetUserAuth, Version: v, Verdict: verdict, Witnesses: 1}
}

// failingRow is a row with findings of one cause.
func failingRow(id string, v schemas.Version, findings ...report.Finding) report.Row {
	r := rowOf(id, v, ledger.Fail)
	r.Findings, r.FindingCount = findings, len(findings)
	for _, f := range findings {
		r.Causes = []report.Cause{{Kind: f.Kind, Pointer: strictjson.General(f.Pointer), Count: len(findings),
			Example: f.Message}}
	}
	return r
}

// findingAt is one at a place of an exchange.
func findingAt(id, pointer string) report.Finding {
	return report.Finding{Exchange: id, Pointer: pointer, Kind: "type", Expected: "an integer", Actual: `"x"`,
		Message: fmt.Sprintf("%s: at %s expected an integer", id, pointer),
		Repeat:  "printf %s '{}' | curl -sS https://target.example"}
}

// reportOfEverything is of no real run: its page has each part that a page can have.
func reportOfEverything() *report.Report {
	no, yes, one, other := false, true, "200", "404"
	reason := ledger.NoWitness
	waived := failingRow("2.1/Id", schemas.V5, findingAt("e3", "/Id"))
	waived.Waiver = &report.Waiver{Reason: "the owner knows", Until: "2027-01-31"}
	knownRow := failingRow("2.1/Flags", schemas.V5, findingAt("e4", "/Flags"))
	knownRow.Known = true
	undecided := rowOf("2.1/Device", schemas.V6, ledger.Inconclusive)
	undecided.Reason, undecided.Notes = &reason, []string{"a member device was seen"}
	parity := failingRow("9.3/getUserAuth/values", schemas.Parity,
		report.Finding{Exchange: "e6", Against: "e5", Pointer: "/Flags", Kind: "value"})
	parity.Section = "9.3"
	r := madeReport(failingRow("2.1/CreatedOn", schemas.V5, findingAt("e1", "/CreatedOn"), findingAt("e2",
		"/CreatedOn")),
		rowOf("2.1/CreatedOn", schemas.V6, ledger.Pass), waived, knownRow, undecided, parity)
	r.Observations = []report.Observation{
		{ID: "open/4.3/cardinality", Section: "4.3", Operation: schemas.GetUserAuth, Statement: "How many.",
			Seen: report.Seen{schemas.V5: {Text: one}, schemas.V6: {Text: one}}, Agree: &yes, Compared: true},
		{ID: "open/4.3/status", Section: "4.3", Operation: schemas.GetUserAuth, Statement: "Which status.",
			Seen: report.Seen{schemas.V5: {Text: one}, schemas.V6: {Text: other}}, Agree: &no, Compared: true},
		{ID: "open/8/latency", Section: "8", Operation: schemas.GetUserAuth, Statement: "How long.",
			Seen: report.Seen{schemas.V5: {Text: one}}},
	}
	r.Excluded = []report.Excluded{{ID: "excluded/6/events", Section: "6", Statement: "Which events.",
		Reason: "They go elsewhere."}}
	r.Volatile = []report.Volatile{{Operation: schemas.GetUserAuth, Pointer: "/Comment"}}
	r.Notes, r.Stale, r.Missing = []string{"a note"}, []string{"a stale waiver"}, []string{"e99"}
	r.Gate = &report.Gate{
		New: []report.Entry{{Requirement: "2.1/CreatedOn", Version: schemas.V5, Kind: "form", Pointer: "/CreatedOn",
			Count: 2}},
		Stale: []report.Entry{{Requirement: "2.1/Gone", Version: schemas.V5, Kind: "form", Count: 1}},
		Known: []report.Entry{{Requirement: "2.1/Flags", Version: schemas.V5, Kind: "type", Pointer: "/Flags",
			Count: 1}},
		Changed: []report.Changed{{ID: "open/4.3/status", Operation: schemas.GetUserAuth, Version: schemas.V6,
			Was: "200", Is: "404"}},
	}
	r.Settings = []report.Setting{{Name: "access token", Value: "set", Source: "AUTHN_ACCESS_TOKEN"}}
	r.Suite.Commit, r.Suite.Go = "0123abc", "go1.26"
	r.Suite.Libraries, r.Suite.Files = map[string]string{"b": "v2", "a": "v1"},
		map[string]string{"z.json": "sha256:2", "y.yaml": "sha256:1"}
	return r
}

// everyExchange has what the findings of made reports refer to: e8 is of the user of e1 and e9 is an altered request.
func everyExchange() shelf {
	s := shelf{}
	for id, body := range map[string]string{"e1": `{"CreatedOn":"x"}`, "e2": `[{"CreatedOn":"x"}]`, "e3": `no JSON`,
		"e4": `{"Flags":"x"}`, "e5": `{"Flags":1,"Id":"a"}`, "e6": `{"Flags":2,"Id":"a"}`, "e8": "{}", "e9": "{}"} {
		s[id] = keptExchange(id, schemas.V5, body)
	}
	s["e6"].Probe.Version, s["e8"].Probe.User = schemas.V6, s["e1"].Probe.User
	s["e9"].Probe.Kind, s["e9"].Probe.Field = exchange.ChangedToken, exchange.AccessToken
	return s
}
