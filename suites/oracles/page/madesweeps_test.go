package page_test

import (
	"bytes"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// sweptPage is the page of a sweep.
func sweptPage(s *stats.Summary) string {
	GinkgoHelper()
	var out bytes.Buffer
	Expect(page.WriteSweep(&out, s)).To(Succeed())
	return out.String()
}

// resultOf is what came of one operation for a user.
func resultOf(o stats.Outcome, why string, findings ...stats.Finding) stats.Result {
	return stats.Result{Outcome: o, Why: why, Witnessed: true, Findings: findings}
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

// durationsOf is how long the four requests of a user took: longer for some than for others.
func durationsOf(user int64) []time.Duration {
	d := time.Duration(900+37*(user%23)) * time.Microsecond
	return []time.Duration{d, 2 * d, 3 * d / 2, d + time.Duration(user%100/97)*40*time.Millisecond}
}

// sweepSummary is a summary of so many users, at so many a second, whose looks a function gives.
func sweepSummary(users, perSecond int64, looks func(user int64) []stats.Result) *stats.Summary {
	t := stats.New(1)
	for i := range users {
		t.Add(looks(i), durationsOf(i), time.Duration(i)*time.Second/time.Duration(perSecond))
	}
	seconds := float64(users) / float64(perSecond)
	finished := ended
	s := &stats.Summary{
		Format: stats.Format, Complete: true, Sweep: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13",
		Started: ended.Add(-time.Duration(seconds * float64(time.Second))), Finished: &finished,
		Seconds: seconds, Suite: report.Suite{Name: report.Name, Version: "0.0.0", Contract: "sha256:00",
			Commit: "0123abc",
			Go:     "go1.26"},
		Identity: stats.Identity{Target: map[schemas.Version]string{schemas.V5: "https://old.example",
			schemas.V6: "https://new.example"}, Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}},
		Read: stats.Population{Users: users, Digest: "sha256:11"}, Tally: t,
		Traffic:  stats.Traffic{Requests: 4 * users},
		Findings: "sha256:22",
		Settings: []report.Setting{
			{Name: "users", Value: "all users.csv", Source: "flag --users"},
			{Name: "access token", Value: "set", Source: "environment AUTHN_ACCESS_TOKEN"},
		},
	}
	s.Conclude()
	return s
}

// allEqual is a sweep in which nothing was found.
func allEqual(users int64) *stats.Summary {
	return sweepSummary(users, 500, func(int64) []stats.Result {
		return []stats.Result{resultOf(stats.Equal, ""),
			resultOf(stats.Equal, "")}
	})
}

// mixedSweep is one with each outcome, groups of each kind, a waiver and a note.
func mixedSweep() *stats.Summary { return mixedSweepOf(20_000) }

// mixedSweepOf is the same of fewer users, 1,306 at least.
func mixedSweepOf(users int64) *stats.Summary {
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
			return []stats.Result{resultOf(stats.Drift, "what differed did not when it was read again"), ids}
		case i%60 == 6:
			return []stats.Result{resultOf(stats.EqualUnderRule, "J15: volatile /Comment"),
				resultOf(stats.EqualUnderRule, "parity.ignore /*")}
		}
		return []stats.Result{resultOf(stats.Equal, ""), ids}
	})
	s.Traffic.Throttled, s.Traffic.Outages, s.Traffic.Repeated = 1203, 1, 2
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
