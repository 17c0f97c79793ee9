package stats_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = It("What one setting causes at several members is one item, with all its users, also of merged shards", func() {
	count := func(index int64, waived bool, members ...string) *stats.Counts {
		c := stats.New(1, schemas.Versions()...)
		var findings []stats.Finding
		for _, member := range members {
			findings = append(findings, stats.Finding{User: stats.User{Index: index}, Operation: schemas.GetUserAuth,
				Version: schemas.V6, Requirement: "2.1/" + member, Kind: "k", Pointer: "/" + member, Count: 1,
				Root: "a lower-case t", Members: []string{member}, Waived: waived})
		}
		c.Add(false, []stats.Result{{Outcome: stats.Different, Findings: findings}, {Outcome: stats.Equal}},
			nil, 0)
		return c
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
