package stats_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/suites/internal/stats"
)

// everyKindEntries are the entries of a table, one for each kind of summary.
func everyKindEntries() []TableEntry {
	var entries []TableEntry
	for name, s := range everyKind() {
		entries = append(entries, Entry(name, s))
	}
	return entries
}

// everyKind are summaries of every kind that a sweep can leave.
func everyKind() map[string]*stats.Summary {
	mixed, err := stats.Merge(folderNames(4), shardSummaries(mixedUsers(200, 22), 4), sumShards)
	if err != nil {
		panic(err) // the shards fit
	}
	many := stats.New(7)
	for i := range maxGroups + 5 {
		addUsers(many, differentUser(differenceFinding(int64(i), "/Member"+time.Duration(i).String())))
	}
	return map[string]*stats.Summary{
		"pass":                  concludedSummary(countUsers(equalUser(), equalUser())),
		"fail, with groups":     concludedSummary(countUsers(mixedUsers(300, 21)...)),
		"more groups than kept": concludedSummary(many),
		"nobody":                concludedSummary(stats.New(7)),
		"inconclusive":          concludedSummary(countUsers(equalUser(), incomparableUser(1, "timeout of v6"))),
		"unfinished": concludedSummary(countUsers(mixedUsers(20, 23)...), setUnfinished,
			func(s *stats.Summary) { s.Read.Users = 100 }),
		"error":     concludedSummary(countUsers(mixedUsers(20, 24)...), setFailed),
		"not begun": stats.Empty(concludedSummary(stats.New(1)).Suite, started, "--users: is missing\nsecond line"),
		"a sample": concludedSummary(countUsers(equalUser(), equalUser()),
			func(s *stats.Summary) { s.Identity.Sample, s.Read.Users = 2, 50 }),
		"a sample of everybody": concludedSummary(countUsers(equalUser(), equalUser()),
			func(s *stats.Summary) { s.Identity.Sample = 50 }),
		"a shard": shardSummaries(mixedUsers(50, 25), 3)[1],
		"merged":  mixed,
		"notes and long times": concludedSummary(countUsers(userAt(0), userAt(90*24*time.Hour)),
			func(s *stats.Summary) { s.Notes = []string{"the waiver of 2.1/Id ended"} }),
		"the largest seed": concludedSummary(countUsers(equalUser()),
			func(s *stats.Summary) { s.Identity.Seed = 1<<64 - 1 }),
		"the embedded reference": concludedSummary(countUsers(equalUser()),
			func(s *stats.Summary) { s.Read.Digest = "the embedded reference" }),
	}
}
