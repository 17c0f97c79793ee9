package page_test

import (
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func filterSpecs(t *tab) {
	It("The filter shows the rows of a verdict, a version and a section, counts them, and can be reset", func() {
		t.showPage("failing", "?keep=me")
		t.expectValue("count()", "78 of 78")
		t.expectValue(`byId("count").getAttribute("role") + " " + byId("count").getAttribute("aria-live")`,
			"status polite")
		t.chooseOption("filter-verdict", "fail")
		t.expectValue("rows()", []string{"2.1/CreatedOn/v5", "9.3/getUserAuth/values/v5=v6"})
		t.expectValue("count()", "2 of 78")
		t.expectValue(`all(".section h3").filter(visible).length`, 2) // sections without a row are not shown
		t.chooseOption("filter-version", "v5=v6")
		t.expectValue("location.search", "?keep=me&version=v5%3Dv6&verdict=fail")
		t.doSteps(chromedp.Reload()) // a page that is filtered can be linked
		t.expectValue("rows()", []string{"9.3/getUserAuth/values/v5=v6"})
		t.expectValue(`byId("filter-version").value`, "v5=v6")
		t.clickOn(".filter .reset")
		t.expectValue("count() + location.search + focused().id", "78 of 78?keep=mefilter-text")
		t.chooseOption("filter-section", "2.2")
		t.expectValue("count()", "16 of 78")
	})

	It("The filter finds words in requirements, findings and exchanges, and says when nothing matches", func() {
		t.showPage("failing", "?text=createdon&verdict=nonsense&section=%3Cscript%3E") // unknown values are ignored
		t.expectValue(`count() + location.search + byId("filter-text").value`, "3 of 78?text=createdoncreatedon")
		t.typeText(" 51Z")
		t.awaitValue("count()", "2 of 78")
		t.expectValue("rows()", []string{"2.1/CreatedOn/v5", "9.3/getUserAuth/values/v5=v6"})
		t.typeText(" no such words")
		t.awaitValue("count()", "0 of 78")
		t.expectValue(`visible(byId("nothing"))`, true)
		t.clickOn("#nothing button")
		t.expectValue("count()", "78 of 78")
		t.expectValue(`visible(byId("nothing"))`, false)
		t.clickOn(".matrix a.fail")
		t.expectValue("count() + focused().id", "1 of 78requirements")
		t.expectValue(`inView(byId("requirements"))`, true)
	})

	It("The filter works for a page that is opened from a file, too", func() {
		t.showFile("failing", "?version=v5")
		t.chooseOption("filter-verdict", "fail")
		t.expectValue("count() + location.search", "1 of 78?version=v5&verdict=fail")
	})

	It("The groups of a sweep are filtered by what they have and by their text, and unfolded by a link to one", func() {
		const unfolded = `all("details.entry[open]").length`
		t.showPage("sweep", "?kind=value")
		t.expectValue("rows()", []string{"9.3/getUserAuth/values/v5=v6/value/IsLocked"})
		t.chooseOption("filter-kind", "")
		t.chooseOption("filter-verdict", "waived")
		t.expectValue("count() + location.search", "1 of 3?verdict=waived")
		t.goTo("?kind=value#2.1/Flags/v6/not_of_its_type__number/Flags")
		t.expectValue("count()", "3 of 3")
		t.expectValue(unfolded, 2) // and the first
		t.awaitValue(`focused().closest(".row")?.id`, HavePrefix("2.1/Flags"))
		t.clickOn("#fold")
		t.expectValue(`byId("fold").textContent`, "Unfold all")
		t.expectValue(unfolded, 0)
		t.clickOn("#fold")
		t.expectValue(unfolded, 3)
	})
}

func linkSpecs(t *tab) {
	const anchor = "2.1/CreatedOn/v5"
	expectInView := func(id string) {
		GinkgoHelper()
		t.awaitValue(`focused().closest(".row")?.id`, id)
		t.expectValue("inView(byId("+quoteJavaScript(id)+"))", true)
	}

	It("A link to a row shows it with its requirement above it, also if it passes or has escapes", func() {
		t.showPage("failing", "#"+anchor)
		expectInView(anchor)
		t.expectValue(`inView(byId("2.1/CreatedOn/v5").closest(".requirement").querySelector("h4"))`, true)
		t.goTo("#9.3/getUserAuth/shape/v5=v6")
		expectInView("9.3/getUserAuth/shape/v5=v6")
		t.goTo("#4.1%2FId%2Frequired%2Fv6")
		expectInView("4.1/Id/required/v6")
		for _, hash := range []string{"#no/such/row", "#%", "#%E0%A4%A", "#", "#constructor"} {
			t.goTo(hash)
			t.expectValue("count()", "78 of 78")
		}
	})

	It("A link to a row unfolds it, and resets a filter that hides it", func() {
		t.showPage("failing", "?section=2.2")
		t.clickOn("#fold")
		t.expectValue("byId("+quoteJavaScript(anchor)+").open", false)
		t.goTo("?section=2.2#" + anchor)
		expectInView(anchor)
		t.expectValue("byId("+quoteJavaScript(anchor)+").open", true)
		t.expectValue("count()", "78 of 78")
		t.awaitValue(`byId("said").textContent`, ContainSubstring("The filter was reset"))
	})

	It("A link leads to an open point, too", func() {
		t.showPage("everything", "#open/4.3/status/getUserAuth")
		t.awaitValue(`inView(byId("open/4.3/status/getUserAuth"))`, true)
	})

	It("A link to a row is copied without the filter, and a command by its button", func() {
		t.showPage("failing", "?verdict=fail")
		t.clickOn(`[id="2.1/CreatedOn/v5"] .link`)
		t.awaitValue("navigator.clipboard.readText()", t.url+"#"+anchor)
		t.expectValue("location.hash", "#"+anchor)
		t.clickOn(".repeat .copy")
		t.awaitValue(`first(".repeat .copy").textContent`, "Copied")
		t.awaitValue(`byId("said").textContent`, "The line is copied.")
		t.expectValue("navigator.clipboard.readText()",
			And(HavePrefix("printf %s '{"), ContainSubstring("$AUTHN_ACCESS_TOKEN"), HaveSuffix("@-"),
				Equal(evaluateIn[string](t, `first(".repeat pre").textContent`))))

		t.showPage("stopped", "")
		t.clickOn(".repeat .copy")
		t.awaitValue("navigator.clipboard.readText()",
			"conformance sweep --resume --seed 1 --shard 3/16 --users 'all users.csv'")
	})

	It("A command is copied without the clipboard API, which plain HTTP pages lack, or else selected", func() {
		t.showPage("everything", "")
		t.expectValue(`Object.defineProperty(navigator, "clipboard", { value: undefined }) === navigator`, true)
		t.clickOn(".entry .repeat .copy")
		t.awaitValue(`first(".entry .repeat .copy").textContent`, "Copied")
		t.expectValue(`all("textarea").length`, 0)
		t.expectValue("(document.execCommand = () => false)()", false)
		t.clickOn(".entry .repeat .copy")
		t.awaitValue(`first(".entry .repeat .copy").textContent`, HavePrefix("Selected"))
		t.expectValue("getSelection().toString()", HavePrefix("printf"))
	})
}

func keyboardSpecs(t *tab) {
	It("The keyboard reaches everything in order, each with a focus that is seen", func() {
		t.showPage("everything", "")
		reachable := evaluateIn[[]string](t,
			`all("a[href], button, select, input, summary").filter(visible).map((e) => e.outerHTML.slice(0, 80))`)
		Expect(len(reachable)).To(BeNumerically(">", 50))
		t.expectValue(`(() => { window.reached = []; addEventListener("focusin", (event) => reached.push([
			event.target.outerHTML.slice(0, 80), style(event.target, "outline")])); })()`, BeNil())
		for range reachable {
			t.pressKeys(kb.Tab)
		}
		t.expectValue("reached.map((r) => r[0])", reachable)
		t.expectValue("reached.map((r) => r[1])", HaveEach(MatchRegexp(`(solid|auto) [1-9]`)))
	})

	It("The keyboard skips to the verdict, folds and unfolds, filters and resets", func() {
		t.showPage("failing", "")
		t.pressKeys(kb.Tab)
		t.awaitValue(`focused().classList.contains("skip") && inView(focused())`, true)
		t.pressKeys(kb.Enter)
		t.awaitValue("location.hash + focused().id", "#mainmain")

		t.focusOn(`[id="2.1/CreatedOn/v5"] > summary`)
		t.pressKeys(kb.Enter)
		t.awaitValue(`byId("2.1/CreatedOn/v5").open`, false)
		t.pressKeys(" ")
		t.awaitValue(`byId("2.1/CreatedOn/v5").open`, true)

		t.focusOn("#filter-verdict")
		t.pressKeys("f")
		t.awaitValue("count()", "2 of 78")
		t.focusOn(".filter .reset")
		t.pressKeys(kb.Enter)
		t.awaitValue("count()", "78 of 78")
		t.pressKeys("z", "z")
		t.awaitValue("count()", "0 of 78")
		t.pressKeys(kb.Enter) // in a text field, which is no form: nothing is sent
		t.awaitValue("count()", "0 of 78")

		t.focusOn("#nothing button")
		t.pressKeys(" ")
		t.focusOn("#fold")
		t.pressKeys(" ")
		t.awaitValue(`all("details.entry[open]").length`, 0)
		t.pressKeys(" ")
		t.awaitValue(`all("details.entry:not([open])").length`, 0)
	})
}
