package page_test

import (
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func sweepSpecs(c **chromium, s *viewports) {
	show := func(text, where string) *tab {
		GinkgoHelper()
		return (*c).show(text, where)
	}
	count := func(t *tab) string {
		GinkgoHelper()
		return evaluate[string](t, `byId("count").textContent`)
	}
	unfolded := func(t *tab) int {
		GinkgoHelper()
		return evaluate[int](t, `all("details.entry[open]").length`)
	}

	Describe("the groups of a sweep", func() {
		It("are filtered by what they have and by their text, and the filter stands in the URL", func() {
			t := show(s.sweepRun, "")
			Expect(count(t)).To(Equal("3 of 3"))
			t.choose("filter-kind", "value")
			Expect(evaluate[[]string](t, "rows()")).To(Equal([]string{"9.3/getUserAuth/values/v5=v6/value/IsLocked"}))
			Expect(evaluate[string](t, "location.search")).To(Equal("?kind=value"))
			t.do(chromedp.Reload())
			Expect(count(t)).To(Equal("1 of 3"))
			t.choose("filter-kind", "")
			t.choose("filter-verdict", "waived")
			Expect(count(t)).To(Equal("1 of 3"))
			t.click(".filter .reset")
			t.do(chromedp.SendKeys(chromedp.CSS("#filter-text"), "51Z createdon"))
			Eventually(func() string { return count(t) }).Should(Equal("1 of 3"))
			Expect(evaluate[[]string](t, "rows()")).To(Equal([]string{"2.1/CreatedOn/v5/form/_/CreatedOn"}))
		})

		It("are unfolded one by one and all at once, and by a link to one", func() {
			t := show(s.sweepRun, "")
			Expect(unfolded(t)).To(Equal(1))
			t.click("#fold")
			Expect(unfolded(t)).To(BeZero())
			Expect(evaluate[string](t, `byId("fold").textContent`)).To(Equal("Unfold all"))
			t.click("#fold")
			Expect(unfolded(t)).To(Equal(3))
			t = show(s.sweepRun, "?kind=value#2.1/Flags/v6/not_of_its_type__number/Flags")
			Expect(count(t)).To(Equal("3 of 3"))
			Expect(unfolded(t)).To(Equal(2))
			Eventually(func() string {
				return evaluate[string](t, `document.activeElement.closest(".row")?.id || ""`)
			}).Should(HavePrefix("2.1/Flags"))
		})
	})

	Describe("what happened when", func() {
		It("has a bar beside each number of users per second, as long as it says", func() {
			t := show(s.sweepRun, "")
			for _, width := range []int64{360, 1280} {
				t.size(width, 900)
				Expect(evaluate[bool](t, `all(".times tbody tr").every((tr) => {
					const bar = tr.querySelector("meter"), number = tr.querySelector(".rate .number");
					return visible(bar) && visible(number) && bar.getBoundingClientRect().left >= number.getBoundingClientRect().right && bar.value > 0 && bar.value <= bar.max;
				})`)).To(BeTrue())
				Expect(evaluate[int](t, `all(".times tbody tr").length`)).To(BeNumerically("<=", 24))
			}
		})
	})

	Describe("the command that resumes a sweep", func() {
		It("is copied by its button", func() {
			t := show(s.stopped, "")
			t.click(".repeat .copy")
			Eventually(func() string { return evaluate[string](t, "navigator.clipboard.readText()") }).Should(
				Equal("conformance sweep --resume --seed 1 --shard 3/16 --users 'all users.csv'"))
		})
	})
}
