package page_test

import (
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The pages that the specs in a browser look at, made once.
type viewports struct {
	passing, failing, parity, mixed, hostile, unready, sweepRun, stopped, hostileSwept,
	history string
}

// all are the pages by their names.
func (v *viewports) all() map[string]string {
	return map[string]string{"passing": v.passing, "failing": v.failing, "parity": v.parity, "mixed": v.mixed,
		"hostile": v.hostile, "unready": v.unready,
		"swept": v.sweepRun, "stopped": v.stopped, "hostileSwept": v.hostileSwept, "history": v.history}
}

func browserSpecs(c **chromium, s *viewports) {
	// show opens a page.
	show := func(text, where string) *tab {
		GinkgoHelper()
		return (*c).show(text, where)
	}
	count := func(t *tab) string {
		GinkgoHelper()
		return evaluate[string](t, `byId("count").textContent`)
	}

	Describe("the filter", func() {
		It("shows the rows of a verdict, a version, a section, and counts them", func() {
			t := show(s.failing, "")
			Expect(count(t)).To(Equal("78 of 78"))
			t.choose("filter-verdict", "fail")
			Expect(count(t)).To(Equal("2 of 78"))
			Expect(evaluate[[]string](t, "rows()")).To(Equal([]string{"2.1/CreatedOn/v5",
				"9.3/getUserAuth/values/v5=v6"}))
			Expect(evaluate[[]string](t, `all(".section h3").filter(visible).map((e) => e.textContent)`)).To(HaveLen(2),
				"sections without a row are not shown")
			t.choose("filter-version", "v5")
			Expect(evaluate[[]string](t, "rows()")).To(Equal([]string{"2.1/CreatedOn/v5"}))
			t.choose("filter-verdict", "")
			t.choose("filter-section", "2.2")
			Expect(count(t)).To(Equal("8 of 78"))
			t.click(".filter .reset")
			Expect(count(t)).To(Equal("78 of 78"))
			Expect(evaluate[string](t, "document.activeElement.id")).To(Equal("filter-text"))
		})

		It("finds words in a requirement, its findings and its exchanges, in either case", func() {
			t := show(s.failing, "")
			t.do(chromedp.SendKeys(chromedp.CSS("#filter-text"), "CREATEDON 51z"))
			Eventually(func() string { return count(t) }).Should(Equal("2 of 78"))
			Expect(evaluate[[]string](t, "rows()")).To(ConsistOf("2.1/CreatedOn/v5", "9.3/getUserAuth/values/v5=v6"))
		})

		It("says when nothing matches, and how to see all again", func() {
			t := show(s.failing, "")
			t.do(chromedp.SendKeys(chromedp.CSS("#filter-text"), "no such words"))
			Eventually(func() string { return count(t) }).Should(Equal("0 of 78"))
			Expect(evaluate[bool](t, `visible(byId("nothing"))`)).To(BeTrue())
			t.click("#nothing button")
			Expect(count(t)).To(Equal("78 of 78"))
			Expect(evaluate[bool](t, `visible(byId("nothing"))`)).To(BeFalse())
		})

		It("is in the URL, so that a filtered page can be linked", func() {
			t := show(s.failing, "?keep=me")
			t.choose("filter-verdict", "fail")
			t.choose("filter-version", "v5=v6")
			Expect(evaluate[string](t, "location.search")).To(Equal("?keep=me&version=v5%3Dv6&verdict=fail"))
			t.do(chromedp.Reload())
			Expect(count(t)).To(Equal("1 of 78"))
			Expect(evaluate[string](t, `byId("filter-version").value`)).To(Equal("v5=v6"))
			t.click(".filter .reset")
			Expect(evaluate[string](t, "location.search")).To(Equal("?keep=me"))
		})

		It("takes its values from the URL, and ignores unknown ones", func() {
			t := show(s.failing, "?text=createdon&verdict=nonsense&section=%3Cscript%3E")
			Expect(count(t)).To(Equal("3 of 78"))
			Expect(evaluate[string](t, `byId("filter-text").value`)).To(Equal("createdon"))
			Expect(evaluate[string](t, "location.search")).To(Equal("?text=createdon"))
		})

		It("is set by the matrix", func() {
			t := show(s.failing, "")
			t.click(".matrix a.fail")
			Expect(count(t)).To(Equal("1 of 78"))
			Expect(evaluate[string](t, "document.activeElement.id")).To(Equal("requirements"))
			Expect(evaluate[bool](t, `inView(byId("requirements"))`)).To(BeTrue())
		})

		It("announces its count politely", func() {
			t := show(s.failing, "")
			Expect(evaluate[string](t,
				`byId("count").getAttribute("role") + " " + byId("count").getAttribute("aria-live")`)).To(
				Equal("status polite"))
		})
	})

	Describe("a link to a row", func() {
		const anchor = "2.1/CreatedOn/v5"
		inView := func(t *tab, id string) {
			GinkgoHelper()
			Expect(evaluate[bool](t, "inView(byId("+quoteJavaScript(id)+"))")).To(BeTrue())
			Eventually(func() string {
				return evaluate[string](t, `document.activeElement.closest(".row")?.id || ""`)
			}).Should(Equal(id))
		}

		It("shows it, with its requirement above it", func() {
			t := show(s.failing, "#"+anchor)
			inView(t, anchor)
			Expect(evaluate[bool](t, `inView(byId("2.1/CreatedOn/v5").closest(".requirement").querySelector("h4"))`)).To(
				BeTrue())
		})

		It("works for rows that pass, for rows of parity, and with escapes", func() {
			t := show(s.failing, "#9.3/getUserAuth/shape/v5=v6")
			inView(t, "9.3/getUserAuth/shape/v5=v6")
			t.navigate("#4.1%2FId%2Frequired%2Fv6")
			inView(t, "4.1/Id/required/v6")
		})

		It("unfolds it, and resets a filter that hides it", func() {
			t := show(s.failing, "?section=2.2")
			t.click("#fold")
			Expect(evaluate[bool](t, "byId("+quoteJavaScript(anchor)+").open")).To(BeFalse())
			t.navigate("?section=2.2#" + anchor)
			inView(t, anchor)
			Expect(count(t)).To(Equal("78 of 78"))
			Expect(evaluate[bool](t, "byId("+quoteJavaScript(anchor)+").open")).To(BeTrue())
			Eventually(func() string { return evaluate[string](t, `byId("said").textContent`) }).Should(
				ContainSubstring("The filter was reset"))
		})

		It("does nothing if no row has that anchor", func() {
			for _, hash := range []string{"#no/such/row", "#%", "#%E0%A4%A", "#", "#constructor"} {
				t := show(s.failing, hash)
				Expect(count(t)).To(Equal("78 of 78"), hash)
			}
		})

		It("leads to open points, too", func() {
			t := show(s.failing, "#open/4.3/status/getUserAuth")
			Expect(evaluate[bool](t, `inView(byId("open/4.3/status/getUserAuth"))`)).To(BeTrue())
		})

		It("is copied by its own link, without the filter", func() {
			t := show(s.failing, "?verdict=fail")
			t.click(`[id="2.1/CreatedOn/v5"] .link`)
			Eventually(func() string { return evaluate[string](t, "navigator.clipboard.readText()") }).Should(
				Equal(t.url + "#" + anchor))
			Expect(evaluate[string](t, "location.hash")).To(Equal("#" + anchor))
		})
	})

	Describe("the copy button", func() {
		It("copies the curl command", func() {
			t := show(s.failing, "")
			line := evaluate[string](t, `document.querySelector(".repeat pre").textContent`)
			Expect(line).To(And(HavePrefix("printf %s '{"), ContainSubstring("$AUTHN_ACCESS_TOKEN"), HaveSuffix("@-")))
			t.click(".repeat .copy")
			Eventually(func() string {
				return evaluate[string](t,
					"navigator.clipboard.readText()")
			}).Should(Equal(line))
			Expect(evaluate[string](t, `document.querySelector(".repeat .copy").textContent`)).To(Equal("Copied"))
			Eventually(func() string { return evaluate[string](t, `byId("said").textContent`) }).Should(
				Equal("The line is copied."))
		})

		It("works without the clipboard API, which plain HTTP pages lack", func() {
			t := (*c).open()
			t.before(`Object.defineProperty(navigator, "clipboard", { value: undefined });`)
			(*c).load(t, s.failing, "")
			t.click(".repeat .copy")
			Eventually(func() string {
				return evaluate[string](t, `document.querySelector(".repeat .copy").textContent`)
			}).Should(Equal("Copied"))
			Expect(evaluate[int](t, `all("textarea").length`)).To(BeZero())
		})

		It("selects the line where nothing can be copied", func() {
			t := (*c).open()
			t.before(`Object.defineProperty(navigator, "clipboard", { value: undefined }); document.execCommand = () => false;`)
			(*c).load(t, s.failing, "")
			t.click(".repeat .copy")
			Eventually(func() string {
				return evaluate[string](t, `document.querySelector(".repeat .copy").textContent`)
			}).Should(HavePrefix("Selected"))
			Expect(evaluate[string](t, "getSelection().toString()")).To(HavePrefix("printf"))
		})
	})

	Describe("v5 beside v6", func() {
		const changed = `const tr = document.querySelector(".diff .changed"); const [l, r] = tr.querySelectorAll("td"); const a = l.getBoundingClientRect(), b = r.getBoundingClientRect();`

		It("stands side by side on a wide screen", func() {
			t := show(s.parity, "")
			t.size(1280, 900)
			Expect(evaluate[bool](t, `(() => {`+changed+
				` return a.top === b.top && a.right <= b.left + 1 && a.width > 300; })()`)).To(BeTrue())
			Expect(evaluate[[]string](t, `(() => {`+changed+
				` return [l.textContent.trim()[0], r.textContent.trim()[0]]; })()`)).To(
				Equal([]string{"−", "+"}), "signs, not only colours")
			Expect(evaluate[int](t, `document.querySelectorAll(".diff mark").length`)).To(BeNumerically(">=", 2))
		})

		It("stands one above the other on a phone, what is equal once", func() {
			t := show(s.parity, "")
			t.size(360, 740)
			Expect(evaluate[bool](t, `(() => {`+changed+` return a.bottom <= b.top + 1 && a.left === b.left; })()`)).To(
				BeTrue())
			Expect(evaluate[int](t, `all(".diff .same td:nth-child(2)").filter(visible).length`)).To(BeZero())
			Expect(evaluate[int](t, `all(".diff .same td:nth-child(1)").filter(visible).length`)).To(BeNumerically(">",
				0))
		})
	})

	Describe("the keyboard", func() {
		It("reaches everything in order, each with a focus that is seen", func() {
			t := show(s.failing, "")
			wanted := evaluate[[]string](t,
				`all("a[href], button, select, input, summary").filter(visible).map((e) => e.outerHTML.slice(0, 80))`)
			Expect(len(wanted)).To(BeNumerically(">", 90))
			var reached []string
			for range wanted {
				t.press(kb.Tab)
				reached = append(reached, evaluate[string](t, "document.activeElement.outerHTML.slice(0, 80)"))
				Expect(evaluate[string](t,
					`style(document.activeElement, "outlineStyle") + " " + style(document.activeElement, "outlineWidth")`)).To(MatchRegexp(`^(solid|auto) [1-9]`), reached[len(reached)-1])
			}
			Expect(reached).To(Equal(wanted))
		})

		It("skips to the verdict, folds and unfolds, filters and resets", func() {
			t := show(s.failing, "")
			t.press(kb.Tab)
			Expect(evaluate[bool](t,
				`document.activeElement.classList.contains("skip") && inView(document.activeElement)`)).To(BeTrue())
			t.press(kb.Enter)
			Eventually(func() string { return evaluate[string](t, "location.hash") }).Should(Equal("#main"))
			Consistently(func() string {
				return evaluate[string](t,
					"document.activeElement.id")
			}).Should(Equal("main"))

			t.do(chromedp.Focus(chromedp.CSS(`[id="2.1/CreatedOn/v5"] > summary`)))
			t.press(kb.Enter)
			Expect(evaluate[bool](t, `byId("2.1/CreatedOn/v5").open`)).To(BeFalse())
			t.press(" ")
			Expect(evaluate[bool](t, `byId("2.1/CreatedOn/v5").open`)).To(BeTrue())

			t.do(chromedp.Focus(chromedp.CSS("#filter-verdict")))
			t.press("f", "a", "i")
			Expect(count(t)).To(Equal("2 of 78"))
			t.do(chromedp.Focus(chromedp.CSS(".filter .reset")))
			t.press(kb.Enter)
			Expect(count(t)).To(Equal("78 of 78"))
			t.press("z", "z")
			Eventually(func() string { return count(t) }).Should(Equal("0 of 78"))
			t.press(kb.Enter) // in a text field, which is no form: nothing is sent
			Expect(count(t)).To(Equal("0 of 78"))

			t.do(chromedp.Focus(chromedp.CSS("#nothing button")))
			t.press(" ")
			t.do(chromedp.Focus(chromedp.CSS("#fold")))
			t.press(" ")
			Expect(evaluate[int](t, `all("details.entry[open]").length`)).To(BeZero())
			Expect(evaluate[string](t, `byId("fold").textContent`)).To(Equal("Unfold all"))
			t.press(" ")
			Expect(evaluate[int](t, `all("details.entry:not([open])").length`)).To(BeZero())
		})
	})
}
