package check_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/parity"
)

// differing is the finding of two values, of v5 and v6.
func differing(kind parity.Kind, pointer string, left, right any) check.Finding {
	return check.Finding{Kind: string(kind), Pointer: pointer, Expected: check.Shown{Version: schemas.V5, Value: left},
		Actual: check.Shown{Version: schemas.V6, Value: right}}
}

var (
	absent  = parity.Absent{}
	missing = differing(parity.MemberMissing, "/0/Flags", "1", absent)
	added   = differing(parity.MemberAdded, "/0/flags", absent, "1")
	zone    = check.Finding{Kind: "not in its form", Pointer: "/3/Device/CreatedOn", Off: "no zone"}
)

var _ = DescribeTable("The root of a cause is what one setting of a service may cause at many members:",
	func(findings []check.Finding, root check.Root) {
		var out check.Outcome
		for _, f := range findings {
			out.Find(f)
		}
		Expect(out.Roots()[0]).To(Equal(root))
		Expect(out.RootOf(findings[0])).To(Equal(root))
	},
	Entry("a name in another case, for the one that is missing", []check.Finding{missing, added},
		check.Root{Text: check.OtherCase, Members: []check.Name{{Seen: "flags", Documented: "Flags"}}}),
	Entry("and for the one that is added", []check.Finding{added, missing},
		check.Root{Text: check.OtherCase, Members: []check.Name{{Seen: "flags", Documented: "Flags"}}}),
	Entry("names in another case of what is no record", []check.Finding{{Kind: "shape", Off: check.Envelope,
		NearMisses: []check.NearMiss{{Seen: "flags", Documented: "Flags"}, {Seen: "id", Documented: "Id"}}}},
		check.Root{Text: check.OtherCase, Members: []check.Name{{Seen: "flags", Documented: "Flags"},
			{Seen: "id", Documented: "Id"}}}),
	Entry("one name in another case", []check.Finding{{Kind: "shape",
		NearMisses: []check.NearMiss{{Seen: "id", Documented: "Id"}}}},
		check.Root{Text: check.OtherCase, Members: []check.Name{{Seen: "id", Documented: "Id"}}}),
	Entry("another form", []check.Finding{zone},
		check.Root{Text: "no zone", Members: []check.Name{{Seen: "Device.CreatedOn"}}}),
	Entry("another form of each element of a list", []check.Finding{{Pointer: "/3", Off: "no hyphens"}},
		check.Root{Text: "no hyphens", Members: []check.Name{{Seen: check.EachElement}}}),
	Entry("a null that v6 leaves out", []check.Finding{differing(parity.NullAgainst, "/Flags", nil, absent)},
		check.Root{Text: "v6 leaves out what v5 writes as null", Members: []check.Name{{Seen: "Flags"}}}),
	Entry("a null that v5 leaves out", []check.Finding{differing(parity.NullAgainst, "/Flags", absent, nil)},
		check.Root{Text: "v5 leaves out what v6 writes as null", Members: []check.Name{{Seen: "Flags"}}}),
	Entry("another way to write the same", []check.Finding{differing(parity.Representation, "/Id", "a", "A")},
		check.Root{Text: "the same instant or GUID is written in different ways",
			Members: []check.Name{{Seen: "Id"}}}),
	Entry("but not another value", []check.Finding{differing(parity.Value, "/Flags", "1", "2")}, check.Root{}),
	Entry("nor a member that is missing", []check.Finding{missing,
		differing(parity.MemberAdded, "/0/tenant", absent, "1"), differing(parity.Value, "/0/flags", "1", "2")},
		check.Root{}),
	Entry("nor one that is added", []check.Finding{added}, check.Root{}),
)

var _ = Describe("The roots of an outcome", func() {
	It("are those of its causes in their order, and of its notes", func() {
		var out check.Outcome
		Expect(out.Roots()).To(BeEmpty())
		out.Find(missing)
		out.Find(zone)
		out.Merge(check.Outcome{Notes: []any{check.EmptyArray{}, check.NearMiss{Seen: "id", Documented: "Id"}}})
		named := check.Root{Text: check.OtherCase, Members: []check.Name{{Seen: "id", Documented: "Id"}}}
		Expect(out.Roots()).To(HaveExactElements(check.Root{}, HaveField("Text", "no zone"), named))
		Expect(out.RootOf(zone)).To(HaveField("Text", "no zone"))
		Expect(out.RootOf(added)).To(Equal(check.Root{}), "it has no such cause")
	})

	It("are shown with the documented name, if they have another", func() {
		Expect(check.NearMiss{Seen: "id", Documented: "Id"}.String()).To(Equal("id for Id"))
		Expect(check.Name{Seen: "Id"}.String()).To(Equal("Id"))
	})

	It("may be of notes only", func() {
		out := check.Outcome{Notes: []any{check.NearMiss{Seen: "id", Documented: "Id"}}}
		Expect(out.Roots()).To(HaveExactElements(HaveField("Text", check.OtherCase)))
	})
})
