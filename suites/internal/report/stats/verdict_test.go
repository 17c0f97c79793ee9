package stats_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// verdictCase is what is concluded from users. If it is of a complete population, merged shards say the same.
type verdictCase struct {
	Name, Users        string
	Sample             int
	Population, Total  int64
	Shard              stats.Shard
	Unfinished, Failed bool
	Late, Recording    bool
	MinServed          string
	Says               string
}

var _ = Describe("What is concluded from a sweep", func() {
	path := filepath.Join("testdata", "verdicts.yaml")
	var entries []TableEntry
	for _, c := range testkit.Cases[verdictCase](path) {
		entries = append(entries, Entry(c.Name, c))
	}
	DescribeTable("Is verdict, reason and what it proves, whatever the summary said before", func(c verdictCase) {
		users := usersOf(c.Users)
		s := concludedSummary(countUsers(users...), func(s *stats.Summary) {
			s.Verdict, s.Reason, s.Proves = "pass", "nice", "all"
			s.MinServed = c.MinServed
			s.Identity.Sample, s.Total, s.Complete = c.Sample, c.Total, !c.Unfinished
			if c.Population > 0 {
				s.Read.Users = c.Population
			}
			if c.Shard.Of > 0 {
				s.Identity.Shard = c.Shard
			}
			if s.Late = c.Late; c.Recording {
				recordV5(s)
			}
			if c.Failed {
				setFailed(s)
			}
		})
		concluded := func(s *stats.Summary) error {
			return fmt.Errorf("%s: %s. It proves: %s", s.Verdict, s.Reason, s.Proves)
		}
		testkit.Says(path, c.Name, c.Says, concluded(s))
		text := writeSummary(s)
		s.Conclude()
		Expect(writeSummary(s)).To(Equal(text))
		if s.Complete && c.Sample == 0 && c.Shard.Of == 0 && !c.Recording {
			shards := shardSummaries(users, 4)
			for _, shard := range shards {
				shard.MinServed = c.MinServed
			}
			Expect(concluded(mergeShards(shards))).To(Equal(concluded(s)))
		}
	}, entries)
})

// recordV5 makes a summary that of a sweep that records v5 and compares nothing.
func recordV5(s *stats.Summary) { delete(s.Identity.Target, schemas.V6) }

// everyKind are summaries of every kind that a sweep can leave.
func everyKind() map[string]*stats.Summary {
	mixed, err := stats.Merge(folderNames(4), shardSummaries(mixedUsers(200, 22), 4), mergedAt)
	if err != nil {
		panic(err) // the shards fit
	}
	summaryOf := func(users string, changes ...func(*stats.Summary)) *stats.Summary {
		return concludedSummary(countUsers(usersOf(users)...), changes...)
	}
	builtIn := func(s *stats.Summary) {
		s.Identity.Target = map[schemas.Version]string{schemas.V5: report.BuiltInReference,
			schemas.V6: report.BuiltInReference}
	}
	return map[string]*stats.Summary{
		"pass":                    summaryOf("equal, equal"),
		"fail, with groups":       concludedSummary(countUsers(mixedUsers(300, 21)...)),
		"nobody":                  summaryOf(""),
		"inconclusive":            summaryOf("equal, incomparable"),
		"a record of one version": summaryOf("equal, unserved-by-both", recordV5),
		"unfinished": concludedSummary(countUsers(mixedUsers(20, 23)...),
			func(s *stats.Summary) { s.Complete, s.Read.Users = false, 100 }),
		"error":     concludedSummary(countUsers(mixedUsers(20, 24)...), setFailed),
		"not begun": stats.Empty(summaryOf("").Suite, started, "--users: is missing\nsecond line"),
		"a sample": summaryOf("equal, equal",
			func(s *stats.Summary) { s.Identity.Sample, s.Read.Users = 2, 50 }),
		"a sample of everybody": summaryOf("equal, equal", func(s *stats.Summary) { s.Identity.Sample = 50 }),
		"a shard":               shardSummaries(mixedUsers(50, 25), 3)[1],
		"a shard of two":        shardSummaries(mixedUsers(10, 25), 2)[0],
		"a shard in which nobody could be compared": shardSummaries(usersOf("incomparable, equal"), 2)[0],
		"merged": mixed,
		"notes and long times": concludedSummary(countUsers(userAt(0), userAt(90*24*time.Hour)),
			func(s *stats.Summary) { s.Notes = []string{"the waiver of 2.1/Id ended"} }),
		"the largest seed": summaryOf("equal", func(s *stats.Summary) { s.Identity.Seed = 1<<64 - 1 }),
		"the embedded reference": summaryOf("equal",
			func(s *stats.Summary) { s.Read.Digest = "the embedded reference" }),
		"one user of the built-in reference": summaryOf("equal", builtIn),
		"a built-in reference that fails":    summaryOf("difference", builtIn),
		"a difference of the whole answer":   concludedSummary(countUsers(differentUser(differenceFinding(0, "")))),
		"a breach in both versions":          summaryOf("breach"),
		"nobody who could be compared":       summaryOf("incomparable"),
		"a whole sample of whom nobody could be compared": summaryOf("incomparable",
			func(s *stats.Summary) { s.Identity.Sample = 1 }),
		"the least of everything, of a product": summaryOf("equal", func(s *stats.Summary) {
			s.Seconds, s.Traffic = 0.5, stats.Traffic{AskedAgain: 1,
				Counts: exchange.Counts{Requests: 1}}
			s.Shards, s.Identity.Sample = []stats.Shard{{Index: 1, Of: 1}}, 1
			s.Subject = &report.Subject{Product: "Access 9", Observed: map[schemas.Version]exchange.Observed{}}
		}),
		"a target under load, with hidden values": summaryOf("difference", func(s *stats.Summary) {
			s.Traffic = stats.Traffic{AskedAgain: 4,
				Counts: exchange.Counts{Requests: 9000, Throttled: 1, Repeated: 2, Controls: 7, Interruptions: 3}}
			s.Identity.Values, s.Seconds, s.Total = "hide", 61.234, 1
		}),
	}
}

// The documents of all kinds of summaries are golden files. Page, summary and terminal render nothing else.
var _ = Describe("A summary", func() {
	files := []string{"verdicts", "changed", "taken", "unmergeable", "no-summary"}
	for name, s := range everyKind() {
		file := strings.NewReplacer(" ", "-", ",", "").Replace(name)
		files = append(files, file)
		It("Of the kind \""+name+"\" has the document of its golden file, and is read as it was written", func() {
			text := writeSummary(s)
			again := readSummary(text)
			Expect(writeSummary(again)).To(Equal(text))
			again.Conclude()
			Expect(writeSummary(again)).To(Equal(text))
			s.Suite.Version, s.Suite.Go, s.Suite.Commit = "1.2.3", "go1.26", "0123abc"
			s.Suite.Libraries, s.Suite.Files = map[string]string{"a": "v1"}, map[string]string{"b.yaml": digest}
			testkit.ExpectGolden(filepath.Join("testdata", file+".txt"), testkit.DocumentLines(s.Document()))
		})
	}
	It("Has no golden file but these", func() { testkit.ExpectNoOtherGolden("testdata", files...) })

	It("That was not begun has no end, and is of the whole population until it is split", func() {
		s := stats.Empty(report.Suite{}, started, "x")
		Expect(s.Finished).To(BeNil())
		Expect(s.Identity.Shard).To(Equal(stats.Shard{Index: 1, Of: 1}))
	})
})

var _ = Describe("The identity of a sweep", func() {
	It("Differs in the size of a sample, and in how values are shown", func() {
		one := concludedSummary(countUsers()).Identity
		sampled, hidden := one, one
		sampled.Sample, hidden.Values = 5, "hide"
		Expect([]string{one.Differs(one), one.Differs(sampled), one.Differs(hidden), hidden.Differs(one)}).To(
			Equal([]string{"", "another sample (--sample 5 --seed 7)", "another setting of values (hide)",
				"another setting of values (show)"}))
	})

	It("Has the versions of its targets, else all of the contract", func() {
		Expect(stats.Identity{}.Versions()).To(Equal("v5 and v6"))
		Expect(stats.Identity{Target: map[schemas.Version]string{"v6": "a"}}.Versions()).To(Equal("v6"),
			"of a sweep that records")
		targets := map[schemas.Version]string{"v6": "a", "v7": "b"}
		Expect(stats.Identity{Target: targets}.Versions()).To(Equal("v6 and v7"))
	})
})
