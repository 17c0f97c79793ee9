package ledger_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("What one setting of a version causes at several members is one root cause",
	func(body, text string, members ...string) {
		l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions()})
		for _, id := range []string{"a", "b", "b"} {
			u := exchange.User{ID: "0f8fad5b-d9cb-469f-a165-70867728950e", UserID: id, Enrolled: true}
			addAnswers(l, u, schemas.GetUserAuth, recordOf(u), body)
		}
		if text == "" {
			Expect(l.RootCauses()).To(BeEmpty())
			return
		}
		Expect(l.RootCauses()).To(HaveLen(1))
		root := l.RootCauses()[0]
		Expect(root.Text).To(Equal(text))
		Expect(root.Version).To(Equal(schemas.V6))
		Expect(root.Members).To(ConsistOf(members))
		Expect(root.Users()).To(Equal(2))
	},
	Entry("names of a record in another case", `[{"flags":1,"id":"x","Extra":2}]`, check.OtherCase, "flags for Flags",
		"id for Id"),
	Entry("names of a device in another case", `{"Flags":1,"Device":{"id":"x","model":2}}`, check.OtherCase,
		"id for Id",
		"model for Model"),
	Entry("dates of one other form",
		`{"CreatedOn":"2024-02-29T23:59:59,999Z","Device":{"RegistrationDate":"2024-02-29T23:59:59,9Z"}}`,
		"a comma before the fraction", "CreatedOn", "Device.RegistrationDate"),
	Entry("numbers by name", `{"ModeType":"Token","Flags":"None","IsLocked":true}`, "a text in place of a number",
		"ModeType", "Flags"),
	Entry("none, if it is one member", `{"ModeType":"Token","Flags":"7"}`, ""),
)

var _ = It("Members that differ between versions in the same way have one root cause", func() {
	l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions()})
	compare := func(differences ...parity.Difference) {
		Expect(l.Compare(schemas.GetUserAuth, exchange.User{ID: "a"}, &check.Comparison{Pair: pair,
			Conclusion: parity.Conclusion{Comparable: true, Differences: differences}})).To(Succeed())
	}
	compare(parity.Difference{Kind: parity.NullAgainst, Pointer: "/0/Flags", Left: nil, Right: parity.Absent{}},
		parity.Difference{Kind: parity.NullAgainst, Pointer: "/1/Device", Left: nil, Right: parity.Absent{}},
		parity.Difference{Kind: parity.NullAgainst, Pointer: "/1/CreatedBy", Left: parity.Absent{}, Right: nil})
	compare(parity.Difference{Kind: parity.MemberMissing, Pointer: "/Flags", Left: "1", Right: parity.Absent{}},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/flags", Left: parity.Absent{}, Right: "1"},
		parity.Difference{Kind: parity.MemberMissing, Pointer: "/Device/Id", Left: "1", Right: parity.Absent{}},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/Device/id", Left: parity.Absent{}, Right: "1"},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/other", Left: parity.Absent{}, Right: "1"})
	roots := l.RootCauses()
	Expect(roots).To(HaveLen(2))
	slices.SortFunc(roots, func(a, b *ledger.RootCause) int { return len(a.Text) - len(b.Text) })
	Expect(roots[0].Text).To(Equal(check.OtherCase))
	Expect(roots[0].Members).To(ConsistOf("flags for Flags", "Device.id for Device.Id"))
	Expect(roots[1].Text).To(Equal("v6 leaves out what v5 writes as null"))
	Expect(roots[1].Members).To(ConsistOf("Flags", "Device"))
})
