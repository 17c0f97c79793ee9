package page_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
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
	"authenticator-conformance/suites/internal/testkit"
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

// reportCases are those of reports.yaml.
var reportCases = testkit.Cases[struct {
	Name string
	Rows []struct {
		Row string
		At  []string
		Has map[string]any
	}
	Has map[string]any
}]("testdata/reports.yaml")

// reportOf is the made report of a name in reports.yaml.
func reportOf(name string) *report.Report {
	GinkgoHelper()
	var rows []report.Row
	var has map[string]any
	for _, c := range reportCases {
		if c.Name != name {
			continue
		}
		for _, made := range c.Rows {
			words := strings.Fields(made.Row)
			row := rowOf(words[0], schemas.Version(words[1]), ledger.Verdict(words[2]))
			if len(made.At) > 0 {
				var findings []report.Finding
				for _, at := range made.At {
					words := append(strings.Fields(at), "", "")
					f := findingAt(words[0], words[1])
					f.Actual = cmp.Or(words[2], f.Actual)
					findings = append(findings, f)
				}
				row = failingRow(row.ID, row.Version, findings...)
			}
			setMembers(&row, made.Has)
			rows = append(rows, row)
		}
		has = c.Has
	}
	r := madeReport(rows...)
	setMembers(r, has)
	switch name {
	case "error":
		*r.Error += strings.Repeat("\nat a line", 120)
	case "examples": // each part has a line of its own
		parts := []string{"Id: 400, application/json; charset=utf-8", "UserId: 200"}
		r.Observations[0].Seen[schemas.V5] = report.SeenBy{Text: strings.Join(parts, "; "), Parts: parts}
	}
	r.Judge()
	return r
}

// setMembers sets members of a value, named as in JSON.
func setMembers(value any, members map[string]any) {
	GinkgoHelper()
	Expect(json.Unmarshal(testkit.Must(json.Marshal(members)), value)).To(Succeed())
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
