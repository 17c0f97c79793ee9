package check_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/judge/check"
)

var _ = Describe("An outcome", func() {
	It("counts what was merged into it, and keeps each note once, and twenty of them", func() {
		one := check.Outcome{Witnesses: 1, Uncontrolled: 2, Unsteady: 3}
		one.Find(check.Finding{Kind: "a"})
		for i := range 30 {
			one.Merge(check.Outcome{Notes: []any{check.EmptyArray{UserID: strings.Repeat("x", i/2)}}})
		}
		Expect(one.Notes).To(HaveLen(15))
		var all check.Outcome
		all.Merge(one)
		all.Merge(one)
		Expect([]int{all.Witnesses, all.Uncontrolled, all.Unsteady, all.Count}).To(Equal([]int{2, 4, 6, 2}))
		Expect(all.Causes).To(HaveExactElements(HaveField("Count", 2)))
		Expect(all.Findings).To(HaveLen(2))
		Expect(all.Notes).To(Equal(one.Notes))
		for i := range 30 {
			all.Merge(check.Outcome{Notes: []any{check.EmptyArray{UserID: strings.Repeat("y", 1+i)}}})
		}
		Expect(all.Notes).To(HaveLen(20))
	})

	It("is without the findings of a cause that is withdrawn", func() {
		var out check.Outcome
		for _, kind := range []string{"a", "b", "a"} {
			out.Find(check.Finding{Kind: kind})
		}
		out.Withdraw(func(key check.Key) bool { return key.Kind == "a" })
		Expect(out.Count).To(Equal(1))
		Expect(out.Findings).To(HaveExactElements(HaveField("Kind", "b")))
		Expect(out.Causes).To(HaveExactElements(HaveField("Key", check.Key{Kind: "b"})))
	})
})
