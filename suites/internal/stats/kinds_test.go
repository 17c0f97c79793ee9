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
	mixed, err := stats.Merge(folders(4), shards(population(200, 22), 4), sumShards)
	if err != nil {
		panic(err) // the shards fit
	}
	many := stats.New(7)
	for i := range maxGroups + 5 {
		add(many, different(difference(int64(i), "/Member"+time.Duration(i).String())))
	}
	return map[string]*stats.Summary{
		"pass":                  summary(counted(equal(), equal())),
		"fail, with groups":     summary(counted(population(300, 21)...)),
		"more groups than kept": summary(many),
		"nobody":                summary(stats.New(7)),
		"inconclusive":          summary(counted(equal(), incomparable(1, "timeout of v6"))),
		"unfinished": summary(counted(population(20, 23)...), unfinished,
			func(s *stats.Summary) { s.Read.Users = 100 }),
		"error":     summary(counted(population(20, 24)...), failed),
		"not begun": stats.Empty(summary(stats.New(1)).Suite, started, "--users: is missing\nsecond line"),
		"a sample": summary(counted(equal(), equal()),
			func(s *stats.Summary) { s.Identity.Sample, s.Read.Users = 2, 50 }),
		"a sample of everybody": summary(counted(equal(), equal()), func(s *stats.Summary) { s.Identity.Sample = 50 }),
		"a shard":               shards(population(50, 25), 3)[1],
		"merged":                mixed,
		"notes and long times": summary(counted(at(0), at(90*24*time.Hour)),
			func(s *stats.Summary) { s.Notes = []string{"the waiver of 2.1/Id ended"} }),
		"the largest seed": summary(counted(equal()), func(s *stats.Summary) { s.Identity.Seed = 1<<64 - 1 }),
		"the embedded reference": summary(counted(equal()),
			func(s *stats.Summary) { s.Read.Digest = "the embedded reference" }),
	}
}
