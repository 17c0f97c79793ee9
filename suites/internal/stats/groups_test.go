package stats_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/stats"
)

// maxGroups is the documented bound of distinct groups.
const maxGroups = 1000

var _ = Describe("Groups of findings", func() {
	It("bring together what has one cause, whichever element of a list shows it", func() {
		t := countUsers(differentUser(differenceFinding(0, "/0/Flags")), differentUser(differenceFinding(1, "/17/Flags",
			func(f *stats.Finding) {
				f.Count, f.Expected, f.Actual, f.Exchange = 4, "0", "1", "u1.9"
			})),
			equalUser(),
		)
		Expect(t.Groups).To(HaveLen(1))
		g := t.Groups[0]
		Expect([]any{g.Operation, g.Version, g.Requirement, g.Kind, g.Pointer, g.Waived}).
			To(Equal([]any{schemas.GetUserAuth, schemas.Parity, "9.3/getUserAuth/values", "value", "/*/Flags", false}))
		Expect([]int64{g.Users, g.Findings, g.Count}).To(Equal([]int64{2, 2, 5}))
		Expect(sampleIndexes(g)).To(Equal([]int64{0, 1}))
	})

	It("keep of each user what was found, with the place as it was", func() {
		f := differenceFinding(3, "/17/Flags", func(f *stats.Finding) { f.Count, f.Kind = 2, "type" })
		t := countUsers(differentUser(f))
		Expect(t.Groups[0].Sample).To(Equal([]stats.Finding{f}))
	})

	DescribeTable("tell apart what differs in", func(change func(*stats.Finding)) {
		t := countUsers(differentUser(differenceFinding(0, "/Flags")), differentUser(differenceFinding(1, "/Flags",
			change)))
		Expect(t.Groups).To(HaveLen(2))
		for i, g := range t.Groups {
			Expect([]int64{g.Users, g.Count}).To(Equal([]int64{1, 1}))
			Expect(sampleIndexes(g)).To(Equal([]int64{int64(i)}))
		}
	},
		Entry("the operation", ofOperation(schemas.FindByUserIDs)),
		Entry("the version", func(f *stats.Finding) { f.Version = schemas.V5 }),
		Entry("the requirement", func(f *stats.Finding) { f.Requirement = "9.3/getUserAuth/shape" }),
		Entry("the kind", func(f *stats.Finding) { f.Kind = "type" }),
		Entry("the place", func(f *stats.Finding) { f.Pointer = "/0/Flags" }),
		Entry("whether it is waived", setWaived),
	)

	DescribeTable("do not tell apart what says nothing of the cause", func(change func(*stats.Finding)) {
		t := countUsers(differentUser(differenceFinding(0, "/0/Flags")), differentUser(differenceFinding(1, "/0/Flags",
			change)))
		Expect(t.Groups).To(HaveLen(1))
		Expect(t.Groups[0].Users).To(BeEquivalentTo(2))
	},
		Entry("the element of a list", func(f *stats.Finding) { f.Pointer = "/1/Flags" }),
		Entry("the values", func(f *stats.Finding) { f.Expected, f.Actual = "true", "false" }),
		Entry("the request", func(f *stats.Finding) { f.Exchange = "u1.7" }),
		Entry("how often it stands there", func(f *stats.Finding) { f.Count = 9 }),
	)

	It("count a user once who shows a cause at several places, and each of these", func() {
		t := countUsers(
			differentUser(differenceFinding(0, "/0/Flags"), violationFinding(0, "/Id"), differenceFinding(0,
				"/1/Flags"),
				differenceFinding(0, "/2/Flags", func(f *stats.Finding) { f.Count = 5 })),
			differentUser(differenceFinding(1, "/0/Flags")),
		)
		g := groupAt(t, "/*/Flags")
		Expect([]int64{g.Users, g.Findings, g.Count}).To(Equal([]int64{2, 4, 8}))
		Expect(sampleIndexes(g)).To(Equal([]int64{0, 1}))
		Expect(t.Found()).To(Equal(stats.Findings{Differences: 4, Violations: 1}))
	})

	It("count the first user of a population as any other", func() {
		t := countUsers(differentUser(differenceFinding(0, "/Flags")))
		Expect(t.Groups[0].Users).To(BeEquivalentTo(1))
		Expect(sampleIndexes(t.Groups[0])).To(Equal([]int64{0}))
	})

	It("count findings by what they accuse of: those that are waived are neither differences nor violations", func() {
		t := countUsers(differentUser(differenceFinding(0, "/A"), violationFinding(0, "/B")),
			differentUser(differenceFinding(1, "/A", setWaived), violationFinding(1, "/B",
				setWaived)), incomparableUser(2, "x"))
		Expect(*t.Findings[schemas.GetUserAuth]).To(
			Equal(stats.Findings{Differences: 1, Violations: 1, Waived: 2, Open: 1}))
		Expect(*t.Findings[schemas.FindByUserIDs]).To(Equal(stats.Findings{}))
		Expect(t.Groups).To(HaveLen(4))
	})

	It("come the most users first, and those alike in one order whatever the order of users", func() {
		pointers := []string{"/B", "/A", "/C"}
		var users []timedResults
		for i, pointer := range pointers {
			at := int64(4 * i)
			users = append(users, differentUser(differenceFinding(at, pointer)), differentUser(differenceFinding(at+1,
				pointer,
				setWaived)),
				differentUser(violationFinding(at+2, pointer)), differentUser(
					differenceFinding(at+3, pointer, func(f *stats.Finding) { f.Kind = "type" })))
		}
		users = append(users, differentUser(differenceFinding(30, "/C")))
		want := writeSummary(concludedSummary(countUsers(users...)))
		for seed := range uint64(10) {
			t := concludedSummary(countUsers(shuffledUsers(users, seed)...)).Tally
			Expect(t.Groups[0].Pointer).To(Equal("/C"))
			Expect(t.Groups[0].Users).To(BeEquivalentTo(2))
			Expect(writeSummary(concludedSummary(t))).To(Equal(want))
		}
	})

	It("are bounded: what belongs to no group any more is counted all the same, and groups that are there go on",
		func() {
			t := stats.New(1)
			for i := range maxGroups + 200 {
				addUsers(t, differentUser(differenceFinding(int64(i), fmt.Sprintf("/Member%d", i))))
			}
			addUsers(t, differentUser(differenceFinding(5000, "/Member0")),
				differentUser(differenceFinding(5001, "/Member1100"), differenceFinding(5001, "/Member1101")))
			Expect(t.Groups).To(HaveLen(maxGroups))
			Expect(t.Ungrouped).To(BeEquivalentTo(202))
			Expect(t.Groups[0].Users).To(BeEquivalentTo(2))
			Expect(t.Found()).To(Equal(stats.Findings{Differences: maxGroups + 203}))
		})

	It("are bounded in a merged sweep too, no finding of which is lost", func() {
		var users []timedResults
		for i := range 2 * maxGroups {
			users = append(users, differentUser(differenceFinding(int64(i), fmt.Sprintf("/0/Member%d", i)),
				differenceFinding(int64(i), fmt.Sprintf("/1/Member%d", i))))
		}
		for _, of := range []int{1, 4} {
			whole := mergeShards(shardSummaries(users, of))
			Expect(whole.Tally.Groups).To(HaveLen(maxGroups))
			Expect(whole.Tally.Ungrouped).To(BeEquivalentTo(2 * maxGroups))
			Expect(whole.Tally.Found()).To(Equal(stats.Findings{Differences: 4 * maxGroups}))
			if of == 1 {
				Expect(whole.Notes).To(ConsistOf(ContainSubstring("more than 1000 groups")))
			} else {
				Expect(whole.Notes).To(BeEmpty(), "each shard kept all of its groups apart")
			}
		}
	})
})
