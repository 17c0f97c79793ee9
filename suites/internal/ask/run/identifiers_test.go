package run_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
)

// whoseIdentifiers says of a version what the run judged of the identifiers: the verdict, the witnesses, and how many
// users have a finding.
func whoseIdentifiers(s *stage, users int, ctx SpecContext, rows ...string) []string {
	GinkgoHelper()
	r := prepareRunFor(s, manyUsers(users))
	selectRows(r, rows...)
	Expect(r.Execute(ctx, nil)).To(Succeed())
	var list []string
	for _, v := range schemas.Versions() {
		row := findRow(r, "4.2/user", v)
		text := fmt.Sprintf("%s %s, %d witnesses, %d users", v, row.Verdict(), row.Witnesses, row.FailingUsers())
		for _, note := range row.Notes {
			text += fmt.Sprintf(", %T", note)
		}
		if row.Verdict() == ledger.Inconclusive && row.Reason != ledger.NoWitness {
			text += ", " + string(row.Reason)
		}
		list = append(list, text)
	}
	return list
}

// That one list for everybody fails, and that their own pass, is proved by the services of the fixtures.
var _ = DescribeTable("Whose identifiers a target answers is judged of all users of a run (J24):",
	func(ctx SpecContext, users int, change func(s sent, list, first []any) []any, want ...string) {
		var first []any // list that was served
		s := &stage{twist: func(s sent, value any) any {
			list, isList := value.([]any)
			if !isList {
				return value
			}
			if first == nil {
				first = slices.Clone(list)
			}
			return change(s, list, first)
		}}
		Expect(whoseIdentifiers(s, users, ctx)).To(Equal(want))
	},
	Entry("their own and one of all", 5,
		func(_ sent, list, _ []any) []any { return append(list, "0f8fad5b-d9cb-469f-a165-70867728950e") },
		"v5 pass, 5 witnesses, 0 users", "v6 pass, 5 witnesses, 0 users"),
	Entry("one for everybody", 5,
		func(sent, []any, []any) []any { return []any{"0f8fad5b-d9cb-469f-a165-70867728950e"} },
		"v5 inconclusive, 0 witnesses, 0 users, check.SharedLists",
		"v6 inconclusive, 0 witnesses, 0 users, check.SharedLists"),
	Entry("those of the first user at the first call for two others", 5, func(s sent, list, first []any) []any {
		if s.version == schemas.V5 && (s.user == "u-2" || s.user == "u-4") && s.call == 1 {
			return first
		}
		return list
	}, "v5 fail, 5 witnesses, 2 users", "v6 pass, 5 witnesses, 0 users"),
	Entry("a single user's, who has a record with one of them", 1, func(_ sent, list, _ []any) []any { return list },
		"v5 pass, 1 witnesses, 0 users", "v6 pass, 1 witnesses, 0 users"),
	Entry("a single user's, of no record", 1,
		func(sent, []any, []any) []any { return []any{"0f8fad5b-d9cb-469f-a165-70867728950e"} },
		"v5 inconclusive, 0 witnesses, 0 users, check.SingleList",
		"v6 inconclusive, 0 witnesses, 0 users, check.SingleList"),
)

var _ = It("A run that a filter leaves without records judges the identifiers by the lists alone (J24)",
	func(ctx SpecContext) {
		s := &stage{}
		Expect(whoseIdentifiers(s, 3, ctx, "4.2/user v5", "4.2/user v6")).To(
			Equal([]string{"v5 pass, 3 witnesses, 0 users", "v6 pass, 3 witnesses, 0 users"}))
		for _, request := range s.sentRequests() {
			Expect(request.operation).To(Equal(schemas.FindByUserIDs))
		}
		Expect(whoseIdentifiers(&stage{}, 1, ctx, "4.2/user v5", "4.2/user v6")).To(HaveEach(
			HaveSuffix("inconclusive, 0 witnesses, 0 users, check.SingleList")))
	})
