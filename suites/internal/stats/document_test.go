package stats_test

import (
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// The documents of all kinds of summaries are golden files. Page, summary and terminal render nothing else.
var _ = Describe("The document of a sweep is as its golden file says", func() {
	kinds := everyKind()
	delete(kinds, "more groups than kept") // it is long; what is said of it is below
	kinds["no counts"] = &stats.Summary{}
	kinds["one user of the built-in reference"] = concludedSummary(countUsers(equalUser()), func(s *stats.Summary) {
		s.Identity.Target = map[schemas.Version]string{schemas.V5: report.BuiltInReference,
			schemas.V6: report.BuiltInReference}
	})
	kinds["a built-in reference that fails"] = concludedSummary(countUsers(differentUser(differenceFinding(0,
		"/Flags"))),
		func(s *stats.Summary) {
			s.Identity.Target = map[schemas.Version]string{schemas.V5: report.BuiltInReference,
				schemas.V6: report.BuiltInReference}
		})
	kinds["a difference of the whole answer"] = concludedSummary(countUsers(differentUser(differenceFinding(0, ""))))
	kinds["a shard of two"] = shardSummaries(mixedUsers(10, 25), 2)[0]
	kinds["a shard in which nobody could be compared"] = shardSummaries([]timedResults{incomparableUser(0,
		"timeout of v6"),
		equalUser()}, 2)[0]
	kinds["a breach in both versions"] = concludedSummary(countUsers(userShowing(stats.Result{Outcome: stats.BothViolate,
		Findings: []stats.Finding{violationFinding(0, "/Id")}})))
	kinds["nobody who could be compared"] = concludedSummary(countUsers(incomparableUser(0, "timeout of v6")))
	kinds["a whole sample of whom nobody could be compared"] = concludedSummary(countUsers(incomparableUser(0,
		"timeout of v6")),
		func(s *stats.Summary) { s.Identity.Sample = 1 })
	kinds["the least of everything, of a product"] = shardSummaries([]timedResults{equalUser()}, 1)[0]
	least := kinds["the least of everything, of a product"]
	least.Seconds, least.Traffic = 0.5, stats.Traffic{Requests: 1, AskedAgain: 1}
	least.Shards, least.Identity.Sample, least.Subject = []stats.Shard{{Index: 1,
		Of: 1}}, 1, &report.Subject{Product: "Access 9"}
	kinds["a target under load, with hidden values"] = concludedSummary(countUsers(differentUser(differenceFinding(0,
		"/Flags"))),
		func(s *stats.Summary) {
			s.Traffic = stats.Traffic{Requests: 9000, Throttled: 1, Repeated: 2, Outages: 3, AskedAgain: 4}
			s.Identity.Values, s.Seconds, s.Total = "hide", 61.234, 1
		})
	var files []string
	for name, s := range kinds {
		file := strings.NewReplacer(" ", "-", ",", "").Replace(name)
		files = append(files, file)
		It(name, func() {
			s.Suite.Version, s.Suite.Go, s.Suite.Commit = "1.2.3", "go1.26", "0123abc"
			s.Suite.Libraries, s.Suite.Files = map[string]string{"a": "v1"}, map[string]string{"b.yaml": digest}
			testkit.ExpectGolden(filepath.Join("testdata", file+".txt"), testkit.DocumentLines(s.Document()))
		})
	}
	It("and no other file is there", func() { testkit.ExpectNoOtherGolden("testdata", append(files, "changed")...) })

	It("tells how many findings are of no group", func() {
		Expect(everyKind()["more groups than kept"].Document().Sections[0].Intro).To(Equal(
			"The groups below, and 5 findings of groups beyond the first 1,000; each is a line of findings.ndjson."))
	})
})

var _ = Describe("A finding", func() {
	It("is written with the values of each version that shows one, and read back", func() {
		f := differenceFinding(3, "/Flags")
		f.SetValue(schemas.V6, "2\"")
		f.SetValue(schemas.V5, "1")
		f.SetValue("v7", "")
		text, err := f.MarshalJSON()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(HaveSuffix(`"waived":false,"v5":"1","v6":"2\""}`))
		var again stats.Finding
		Expect(again.UnmarshalJSON(text)).To(Succeed())
		delete(f.Values, "v7")
		Expect(again).To(Equal(f))
		Expect(again.UnmarshalJSON([]byte(`{"user":1}`))).NotTo(Succeed())
		Expect(again.UnmarshalJSON([]byte(`{"v5":1}`))).NotTo(Succeed())
	})

	It("of a user who could not be compared breaks nothing, whatever its version", func() {
		f := stats.Finding{Version: schemas.V5}
		Expect(f.Violates()).To(BeFalse())
	})
})

var _ = Describe("The sweep that a summary is of", func() {
	It("differs in the size of a sample, in how values are shown, and in the key of their digests", func() {
		one := concludedSummary(countUsers(equalUser())).Identity
		for words, change := range map[string]func(*stats.Identity){
			"another sample (--sample 5 --seed 7)":                                   func(i *stats.Identity) { i.Sample = 5 },
			"another setting of values (hide)":                                       func(i *stats.Identity) { i.Values = "hide" },
			"another access token, from which the digests of hidden values are made": func(i *stats.Identity) { i.Key = "k" },
		} {
			other := one
			change(&other)
			Expect(one.Differs(other)).To(Equal(words))
		}
		hidden := one
		hidden.Values = "hide"
		Expect(hidden.Differs(one)).To(Equal("another setting of values (show)"))
	})

	It("is the whole population until it is split", func() {
		Expect(stats.Empty(report.Suite{}, started, "x").Identity.Shard).To(Equal(stats.Shard{Index: 1, Of: 1}))
	})

	It("has the versions of its targets, else all of the contract", func() {
		Expect(stats.Identity{}.Versions()).To(Equal("v5 and v6"))
		Expect(stats.Identity{Target: map[schemas.Version]string{"v6": "a"}}.Versions()).To(Equal("v5 and v6"))
		Expect(stats.Identity{Target: map[schemas.Version]string{"v6": "a",
			"v7": "b"}}.Versions()).To(Equal("v6 and v7"))
	})
})

var _ = Describe("A merged sweep", func() {
	It("began with the earliest shard, is of the whole population, and sums up all traffic", func() {
		list := shardSummaries(mixedUsers(30, 3), 3)
		list[1].Started = list[1].Started.Add(-1)
		for i, s := range list {
			s.Total, s.Traffic.AskedAgain = 10, int64(i)
		}
		whole := mergeShards(list)
		Expect(whole.Started).To(Equal(list[1].Started))
		Expect(whole.Total).To(BeEquivalentTo(30))
		Expect(whole.Traffic.AskedAgain).To(BeEquivalentTo(3))
	})

	It("has periods as long as the longest of its shards", func() {
		list := shardSummaries([]timedResults{userAt(0), userAt(0), userAt(0), userAt(500e9)}, 2)
		Expect(mergeShards(list).Tally.Times.Seconds).To(Equal(list[1].Tally.Times.Seconds))
		list = shardSummaries([]timedResults{userAt(0), userAt(0), userAt(500e9), userAt(0)}, 2)
		Expect(mergeShards(list).Tally.Times.Seconds).To(Equal(list[0].Tally.Times.Seconds))
	})
})

var _ = Describe("The sample of a seed", func() {
	It("stands still: other users would be shown after a resume", func() {
		Expect(sampleIndexes(countUsers(flaggedUsers(100)...).Groups[0])).To(Equal([]int64{2, 13, 17, 22, 33, 35, 44,
			50, 54,
			57}))
	})

	It("keeps no values, which a checkpoint has no room for", func() {
		f := differenceFinding(0, "/Flags")
		f.SetValue(schemas.V5, "1")
		Expect(countUsers(differentUser(f)).Groups[0].Sample[0].Values).To(BeNil())
	})
})
