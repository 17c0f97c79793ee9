package stats_test

import (
	"encoding/json"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// expectRefused expects a summary to be refused, and its counts as those of a checkpoint too, if only they were
// changed.
func expectRefused(text string, changes []any) {
	GinkgoHelper()
	_, err := stats.Read(strings.NewReader(text))
	Expect(err).To(HaveOccurred())
	for i := 0; i < len(changes); i += 2 {
		if !strings.HasPrefix(changes[i].(string), "tally") {
			return
		}
	}
	content, err := json.Marshal(decodeObject(text)["tally"])
	Expect(err).NotTo(HaveOccurred())
	var counts *stats.Counts
	if err = stats.Decode(content, &counts); err == nil {
		err = counts.Sound()
	}
	Expect(err).To(HaveOccurred(), "in a checkpoint")
}

// threeUsers stands for the sample of a group with a user more than it has.
const threeUsers = "three users"

var _ = Describe("A sweep.json that was changed", func() {
	DescribeTable("is refused where it does not add up", func(changes ...any) {
		expectRefused(changedSummary(whole(), changes...), changes)
	},
		testkit.Entries("changed"),
		Entry("groups of nothing", "tally/groups", []any{nil}),
		Entry("more buckets than the maximum", "tally/times/slots", make([]map[string]any, maxBuckets+1)),
		Entry("a null bucket", "tally/times/slots", []any{nil}),
		Entry("findings of an operation that there is not", "tally/findings/x",
			map[string]any{"differences": 0, "violations": 0, "waived": 0, "open": 0}),
		Entry("outcomes of an operation that there is not", "tally/outcomes/x", map[string]any{}),
		Entry("an outcome that there is not", "tally/outcomes/getUserAuth/x",
			map[string]any{"count": 0, "why": map[string]any{}}),
	)

	// Each case changes two numbers, so that all the others still add up.
	DescribeTable("is refused where only two numbers contradict each other", func(changes ...any) {
		text := writeSummary(concludedSummary(countUsers(
			differentUser(differenceFinding(0, "/Flags")), differentUser(differenceFinding(1, "/Flags")), equalUser(),
			userShowing(stats.Result{Outcome: stats.BothViolate, Findings: []stats.Finding{violationFinding(3,
				"/Id")}}),
		)))
		Expect(readSummary(text).Tally.Groups[0].Users).To(BeEquivalentTo(2))
		sample := decodeObject(text)["tally"].(map[string]any)["groups"].([]any)[0].(map[string]any)["sample"].([]any)
		for i := range changes {
			if changes[i] == threeUsers {
				changes[i] = append(sample, sample[0])
			}
		}
		expectRefused(changedSummary(text, changes...), changes)
	},
		Entry("more users than findings of a group", "tally/groups/0/findings", 1, "tally/lumped", 1),
		Entry("more users shown than there are", "tally/groups/0/sample", threeUsers),
		Entry("nobody shown at all", "tally/groups/0/sample", nil),
		Entry("fewer differences than users who differ", "tally/findings/getUserAuth/differences", 1,
			"tally/findings/getUserAuth/violations", 2),
		Entry("fewer breaches than users with one", "tally/findings/getUserAuth/differences", 3,
			"tally/findings/getUserAuth/violations", 0, "tally/violating", 0),
		Entry("more users who differ than differences", "tally/differing", 3),
		Entry("more users with a breach than breaches", "tally/violating", 2),
		Entry("a group of nobody", "tally/groups/0/users", 0, "tally/groups/0/sample", []any{}),
		Entry("differences of another operation", "tally/findings/getUserAuth/differences", 0,
			"tally/findings/findByUserIds/differences", 2),
	)

	It("is refused with more groups than the maximum", func() {
		text := writeSummary(everyKind()["more groups than kept"])
		groups := decodeObject(text)["tally"].(map[string]any)["groups"].([]any)
		Expect(groups).To(HaveLen(maxGroups))
		_, err := stats.Read(
			strings.NewReader(changedSummary(text, "tally/groups", append(groups, groups[0]), "tally/lumped", 4)))
		Expect(err).To(HaveOccurred())
	})

	It("is refused without groups, also if nothing was found", func() {
		changes := []any{"tally/groups", nil}
		expectRefused(changedSummary(writeSummary(concludedSummary(countUsers(equalUser()))), changes...), changes)
	})

	It("is refused with more periods than the maximum, of which each adds up", func() {
		text := writeSummary(concludedSummary(countUsers(equalUser())))
		slot := decodeObject(text)["tally"].(map[string]any)["times"].(map[string]any)["slots"].([]any)[0]
		slots := slices.Repeat([]any{slot}, maxBuckets)
		_, err := stats.Read(strings.NewReader(changedSummary(text, "tally/times/slots", slots)))
		Expect(err).NotTo(HaveOccurred())
		_, err = stats.Read(strings.NewReader(changedSummary(text, "tally/times/seconds", 1<<27)))
		Expect(err).NotTo(HaveOccurred(), "the widest")
		changes := []any{"tally/times/slots", append(slots, slot)}
		expectRefused(changedSummary(text, changes...), changes)
	})

	It("is refused if it checked more users than there are, and taken if it checked fewer so far", func() {
		_, err := stats.Read(strings.NewReader(changedSummary(whole(), "total", 1)))
		Expect(err).To(MatchError(ContainSubstring("it checked 60 users of 1")))
		_, err = stats.Read(strings.NewReader(changedSummary(whole(), "complete", false, "identity/sample", 100,
			"population/users", 1000)))
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("is decoded strictly", func(text string, right bool) {
		var into map[string]any
		err := stats.Decode([]byte(text), &into)
		Expect(err == nil).To(Equal(right), text)
	},
		Entry(nil, `{"a":1}`, true), Entry(nil, `{"a":1} x`, false), Entry(nil, `{`, false), Entry(nil, `[1]`, false),
		Entry(nil, `{"a":[1,-1]}`, false), Entry(nil, `{"a":1e400}`, false), Entry(nil, `{"a":1,"A":2}`, false),
		Entry(nil, `{"elapsed":-5,"seed":1e300}`, true), Entry(nil, `{"a":"\u001b"}`, false),
	)

	It("has no member that its type does not have", func() {
		var into struct{ A int }
		Expect(stats.Decode([]byte(`{"A":1}`), &into)).To(Succeed())
		Expect(stats.Decode([]byte(`{"A":1,"b":2}`), &into)).NotTo(Succeed())
	})

	It("may have any seed", func() {
		s := readSummary(changedSummary(whole(), "identity/seed", json.Number("18446744073709551615")))
		Expect(s.Identity.Seed).To(Equal(uint64(1<<64 - 1)))
	})

	It("is concluded again when it is merged, whatever it says of itself", func() {
		list := shardSummaries([]timedResults{differentUser(differenceFinding(0, "/Flags")), equalUser()}, 2)
		list[0] = readSummary(changedSummary(writeSummary(list[0]), "verdict", "pass", "reason", "all alike", "proves",
			"all"))
		Expect(string(mergeShards(list).Verdict)).To(Equal("fail"))
	})
})
