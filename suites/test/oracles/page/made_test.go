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
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/page"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

func TestPage(t *testing.T) { testkit.Specs(t, "Page") }

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
				User: exchange.User{ID: "id of " + id, UserID: "user of " + id, Enrolled: true}},
			Status: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
			Body: []byte(body),
		},
		Method: http.MethodPost, URL: "https://target.example/api/" + string(v) + "/authenticator/getUserAuth",
		Sent: http.Header{"Content-Type": {"application/json"}}, SentBody: `{"UserId":"user of ` + id + `"}`,
	}
}

// madeReport is a report of rows, of a run that ended.
func madeReport(rows ...report.Row) *report.Report {
	GinkgoHelper()
	r := &report.Report{Requirements: rows,
		Headings: map[string]string{"2.1": "Authenticator record", "9.3": "The same in both versions"}}
	Expect(json.Unmarshal(testkit.Read("testdata/report.json"), r)).To(Succeed())
	r.Judge()
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
		r.Causes = []report.Cause{{Key: check.Key{Kind: f.Kind, Pointer: strictjson.General(f.Pointer)},
			Count:   len(findings),
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
			testkit.SetMembers(&row, made.Has)
			rows = append(rows, row)
		}
		has = c.Has
	}
	r := madeReport(rows...)
	testkit.SetMembers(r, has)
	switch name {
	case "error":
		*r.Error += strings.Repeat("\nat a line", 120)
	case "examples": // each part has a line of its own
		r.Observations[0].Seen[schemas.V5] = report.SeenBy{"Id: 400, application/json; charset=utf-8", "UserId: 200"}
	}
	r.Judge()
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

// sweptPage is the page of a sweep.
func sweptPage(s *stats.Summary) string {
	GinkgoHelper()
	var out bytes.Buffer
	Expect(page.WriteSweep(&out, s)).To(Succeed())
	return out.String()
}

// resultOf is what came of one operation for a user.
func resultOf(o stats.Outcome, why string, findings ...stats.Finding) stats.Result {
	if o == stats.NothingAlike {
		return stats.Result{Outcome: o, Divergence: "v5 []; v6 status 404", Unserved: []string{"[]", "status 404"}}
	}
	return stats.Result{Outcome: o, Why: why, Served: schemas.Versions(), Witnessed: true, Findings: findings}
}

// foundFor is a finding of a user.
func foundFor(user int64, requirement string, v schemas.Version, kind, pointer string) stats.Finding {
	return stats.Finding{
		User: stats.User{Index: user, ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", user),
			UserID: fmt.Sprintf("LOCAL\\user%d", user)},
		Operation: schemas.GetUserAuth, Version: v, Requirement: requirement, Kind: kind, Pointer: pointer, Count: 1,
		Expected: fmt.Sprintf("what v5 shows (u%d.1): 1", user), Actual: "v6 shows: 2",
		Exchange: fmt.Sprintf("u%d.2", user),
	}
}

// sweepSummary is a summary of so many users, at so many a second, whose looks a function gives.
func sweepSummary(users, perSecond int64, looks func(user int64) []stats.Result) *stats.Summary {
	GinkgoHelper()
	t := stats.New(1, schemas.Versions()...)
	for i := range users {
		took := time.Duration(900+37*(i%23)) * time.Microsecond // longer for some than for others
		last := took + time.Duration(i%100/97)*40*time.Millisecond
		t.Add(false, looks(i), []time.Duration{took, 2 * took, 3 * took / 2, last},
			time.Duration(i)*time.Second/time.Duration(perSecond))
	}
	seconds := float64(users) / float64(perSecond)
	s := &stats.Summary{Format: stats.Format, Started: ended.Add(-time.Duration(seconds * float64(time.Second))),
		Seconds: seconds, Tally: t, Traffic: stats.Traffic{Counts: exchange.Counts{Requests: 4 * users}}}
	Expect(json.Unmarshal(testkit.Read("testdata/sweep.json"), s)).To(Succeed())
	s.Read.Users = users
	s.Conclude()
	return s
}

// allEqual is a sweep in which nothing was found.
func allEqual(users int64) *stats.Summary {
	return sweepSummary(users, 500, func(int64) []stats.Result {
		return []stats.Result{resultOf(stats.Equal, ""), resultOf(stats.Equal, "")}
	})
}

// mixedSweep is one with each outcome, groups of each kind, a waiver and a note, of 1,306 users at least.
func mixedSweep(users int64) *stats.Summary {
	s := sweepSummary(users, 120, func(i int64) []stats.Result {
		ids := resultOf(stats.Equal, "")
		switch {
		case i%40 == 7:
			return []stats.Result{resultOf(stats.NothingAlike, ""), resultOf(stats.NothingAlike, "")}
		case i%146 == 11:
			return []stats.Result{resultOf(stats.Different, "",
				foundFor(i, "9.3/getUserAuth/values", schemas.Parity, "value", "/IsLocked")), ids}
		case i > users*45/100 && i < users*455/1000:
			return []stats.Result{resultOf(stats.NotComparable, "timeout of v6",
				stats.Finding{User: stats.User{Index: i}, Operation: schemas.GetUserAuth, Version: schemas.Parity,
					Kind: "not-comparable"}), ids}
		case i%700 == 3:
			f := foundFor(i, "2.1/CreatedOn", schemas.V5, "form", fmt.Sprintf("/%d/CreatedOn", i%3))
			f.Expected, f.Actual, f.Count = "an ISO 8601 date-time in UTC with milliseconds",
				`"2019-03-06T21:00:21.51Z"`, 2
			return []stats.Result{resultOf(stats.BothViolate, "", f), ids}
		case i%900 == 4:
			f := foundFor(i, "2.1/Flags", schemas.V6, "not of its type: number", "/Flags")
			f.Waived = true
			return []stats.Result{resultOf(stats.Equal, "", f), ids}
		case i%1300 == 5:
			return []stats.Result{resultOf(stats.Moved, ""), ids}
		case i%60 == 6:
			return []stats.Result{resultOf(stats.EqualUnderRule, "volatile: /Comment"),
				resultOf(stats.EqualUnderRule, "parity.ignore /*")}
		}
		return []stats.Result{resultOf(stats.Equal, ""), ids}
	})
	s.Traffic.Throttled, s.Traffic.Interruptions, s.Traffic.Repeated = 1203, 1, 2
	s.Notes = []string{"the waiver of 2.1/Id (conformance.yaml:7) ended on 2026-05-31 and no longer holds"}
	s.Suite.Files, s.Suite.Libraries = map[string]string{"z.json": "sha256:2"}, map[string]string{"a": "v1"}
	return s
}

// stoppedSweep is one of a shard that was interrupted before anything was found.
func stoppedSweep() *stats.Summary {
	s := allEqual(4000)
	s.Complete, s.Identity.Shard = false, stats.Shard{Index: 3, Of: 16}
	s.Conclude()
	return s
}
