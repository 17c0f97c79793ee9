package stats_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// countRoot counts a user with findings at members that have one root.
func countRoot(index int64, waived bool, root string, members ...string) *stats.Counts {
	c := stats.New(1, schemas.Versions()...)
	var findings []stats.Finding
	for _, member := range members {
		findings = append(findings, stats.Finding{User: stats.User{Index: index}, Operation: schemas.GetUserAuth,
			Version: schemas.V6, Requirement: "2.1/" + member, Kind: "k", Pointer: "/" + member, Count: 1,
			Root: root, Members: []string{member}, Waived: waived})
	}
	c.Add(false, []stats.Result{{Outcome: stats.Different, Findings: findings}, {Outcome: stats.Equal}},
		nil, 0)
	return c
}

var _ = It("What one setting causes at several members is one item, with all its users, also of merged shards", func() {
	count := func(index int64, waived bool, members ...string) *stats.Counts {
		return countRoot(index, waived, "a lower-case t", members...)
	}
	merged := count(0, false, "CreatedOn", "ExpirationDate")
	Expect(merged.Roots).To(HaveExactElements(HaveField("Users", int64(1))))
	for _, other := range []*stats.Counts{count(1, false, "CreatedOn"), count(2, true, "Flags")} {
		stats.Join(merged, other)
	}
	items := testkit.ItemsOf((&stats.Summary{Tally: merged}).Document(), "findings")
	Expect(items).To(HaveLen(2))
	Expect(items[0].Name).To(Equal("2.1/CreatedOn and 2.1/ExpirationDate v6"))
	Expect(items[0].Text).To(Equal("a lower-case t: CreatedOn and ExpirationDate, 2 users"))
	Expect(items[1].Word).To(Equal("waived"))
})

var _ = DescribeTable("One member has an item with its root only if that is a name in another case:",
	func(root, text string) {
		summary := stats.Summary{Tally: countRoot(0, false, root, "CreatedOn")}
		items := testkit.ItemsOf(summary.Document(), "findings")
		Expect(items).To(HaveLen(1))
		Expect(items[0].Text).To(Equal(text + ", 1 user"))
	},
	Entry("a name", check.OtherCase, "names in another case: CreatedOn"),
	Entry("a form", "a lower-case t", "k at /CreatedOn"),
)
