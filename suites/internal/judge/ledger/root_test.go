package ledger_test

import (
	"strings"

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
		Expect(names(root)).To(ConsistOf(members))
		Expect(root.Users()).To(Equal(2))
	},
	Entry("names of a record in another case", `[{"flags":1,"id":"x","Extra":2}]`, check.OtherCase, "flags for Flags",
		"id for Id"),
	Entry("one name in another case", `{"flags":1,"Id":"x"}`, check.OtherCase, "flags for Flags"),
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
	addAnswers(l, alice, schemas.GetUserAuth, `{"Flags":1,"isLocked":true}`, recordOf(alice)) // v5 is the wrong one
	compare(parity.Difference{Kind: parity.NullAgainst, Pointer: "/0/Flags", Left: nil, Right: parity.Absent{}},
		parity.Difference{Kind: parity.NullAgainst, Pointer: "/1/Device", Left: nil, Right: parity.Absent{}},
		parity.Difference{Kind: parity.NullAgainst, Pointer: "/1/CreatedBy", Left: parity.Absent{}, Right: nil})
	compare(parity.Difference{Kind: parity.MemberMissing, Pointer: "/Flags", Left: "1", Right: parity.Absent{}},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/flags", Left: parity.Absent{}, Right: "1"},
		parity.Difference{Kind: parity.MemberMissing, Pointer: "/Device/Id", Left: "1", Right: parity.Absent{}},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/Device/id", Left: parity.Absent{}, Right: "1"},
		parity.Difference{Kind: parity.MemberMissing, Pointer: "/isLocked", Left: true, Right: parity.Absent{}},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/IsLocked", Left: parity.Absent{}, Right: true},
		parity.Difference{Kind: parity.MemberAdded, Pointer: "/other", Left: parity.Absent{}, Right: "1"})
	roots := l.RootCauses()
	Expect(roots).To(HaveLen(3))
	Expect(roots[0].Text + " in " + string(roots[0].Version)).To(Equal(check.OtherCase + " in v5"))
	Expect(roots[1].Text).To(Equal(check.OtherCase))
	Expect(names(roots[1])).To(ConsistOf("flags for Flags", "Device.id for Device.Id", "isLocked for IsLocked"))
	Expect(roots[2].Text).To(Equal("v6 leaves out what v5 writes as null"))
	Expect(names(roots[2])).To(ConsistOf("Flags", "Device"))
})

var _ = DescribeTable("A row that another one leaves undecided points to it:",
	func(row string, rows map[string]check.Outcome, behind string) {
		l := newLedger()
		for key, outcome := range rows {
			id, v, _ := strings.Cut(key, " ")
			Expect(l.Merge(ledger.Key{ID: id, Version: schemas.Version(v)}, outcome)).To(Succeed())
		}
		closeLedger(l)
		id, v, _ := strings.Cut(row, " ")
		if other := rowAt(l, id, schemas.Version(v)).Behind; behind == "" {
			Expect(other).To(BeNil())
		} else {
			Expect(other.Key.String()).To(Equal(behind))
		}
	},
	Entry("a member of a device that is none", "2.2/Model v6", rowsOf("2.1/Device v6", broken("/Device")),
		"2.1/Device v6"),
	Entry("one of a device by another name", "2.2/Model v6", rowsOf("2.1/Device v6",
		check.Outcome{Notes: []any{check.NearMiss{Seen: "device", Documented: "Device"}}}), "2.1/Device v6"),
	Entry("no member of a device that only some lack", "2.2/Model v6", rowsOf("2.1/Device v6", check.Outcome{
		Witnesses: 1, Notes: []any{check.NearMiss{Seen: "device", Documented: "Device"}}}), ""),
	Entry("no member of another version", "2.2/Model v5", rowsOf("2.1/Device v6", broken("/Device")), ""),
	Entry("a member of which the only user is refused", "2.1/Flags v6", rowsOf("4/getUserAuth/served v6", broken("")),
		"4/getUserAuth/served v6"),
	Entry("what must be refused, if nobody is served at each call", "4.1/Id/required v6",
		rowsOf("4/getUserAuth/served v6", check.Outcome{Unsteady: 1}), "4/getUserAuth/served v6"),
	Entry("what must be refused, if nobody has a GUID", "4.2/UserId/required v6",
		rowsOf("2.3/identifiers v6", broken("/*")), "2.3/identifiers v6"),
	Entry("no row of the other operation", "4.2/UserId/required v6", rowsOf("4/getUserAuth/served v6", broken("")), ""),
	Entry("a member that the other version alone has", "2.1/Flags v6", rowsOf("9.3/getUserAuth/shape v5=v6",
		broken("/*/Flags"), "2.1/Flags v5", check.Outcome{Witnesses: 1}), "9.3/getUserAuth/shape v5=v6"),
	Entry("no member that neither version has", "2.1/Flags v6", rowsOf("9.3/getUserAuth/shape v5=v6",
		broken("/Flags")), ""),
	Entry("no member if others differ", "2.1/Flags v6", rowsOf("9.3/getUserAuth/shape v5=v6", broken("/FlagsOf"),
		"2.1/Flags v5", check.Outcome{Witnesses: 1}), ""),
)

// rowsOf are outcomes by "id version".
func rowsOf(pairs ...any) map[string]check.Outcome {
	rows := map[string]check.Outcome{}
	for i := 0; i < len(pairs); i += 2 {
		rows[pairs[i].(string)] = pairs[i+1].(check.Outcome)
	}
	return rows
}

// broken is an outcome with a finding at a place.
func broken(pointer string) (o check.Outcome) {
	o.Find(check.Finding{Kind: "broken", Pointer: pointer})
	return o
}

// names are the members of a root cause as they are shown.
func names(root *ledger.RootCause) (list []string) {
	for _, member := range root.Members {
		list = append(list, member.String())
	}
	return list
}
