package page_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
)

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
