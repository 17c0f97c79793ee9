package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report"
)

func appearanceSpecs(c **chromium, s *viewports) {
	show := func(text, where string) *tab {
		GinkgoHelper()
		return (*c).show(text, where)
	}

	Describe("light and dark", func() {
		const white = `style(document.documentElement, "backgroundColor")`
		const lightScheme, dark = "rgb(252, 251, 248)", "rgb(23, 24, 27)"

		It("follow the system setting until a person chooses; the choice is remembered", func() {
			t := show(s.failing, "")
			t.media("", "light")
			Expect(evaluate[string](t, white)).To(Equal(lightScheme))
			t.media("", "dark")
			Expect(evaluate[string](t, white)).To(Equal(dark))
			t.choose("appearance", "light")
			Expect(evaluate[string](t, white)).To(Equal(lightScheme))
			t.do(chromedp.Reload())
			Expect(evaluate[string](t, white)).To(Equal(lightScheme))
			Expect(evaluate[string](t, `byId("appearance").value`)).To(Equal("light"))
			t.media("", "light")
			t.choose("appearance", "dark")
			Expect(evaluate[string](t, white)).To(Equal(dark))
			t.choose("appearance", "")
			Expect(evaluate[string](t, white)).To(Equal(lightScheme))
			t.do(chromedp.Reload())
			Expect(evaluate[string](t, `byId("appearance").value`)).To(BeEmpty())
		})

		It("can be chosen if the browser stores nothing", func() {
			t := (*c).open()
			t.before(`Object.defineProperty(window, "localStorage", { get() { throw new DOMException("forbidden", "SecurityError"); } });`)
			(*c).load(t, s.failing, "")
			t.media("", "light")
			t.choose("appearance", "dark")
			Expect(evaluate[string](t, white)).To(Equal(dark))
		})

		It("ignore an unexpected value in the storage", func() {
			t := show(s.failing, "")
			evaluate[bool](t,
				`(() => { localStorage.setItem("authenticator-conformance.appearance", "<b>"); return true; })()`)
			t.do(chromedp.Reload())
			Expect(evaluate[string](t, `byId("appearance").value`)).To(BeEmpty())
			evaluate[bool](t, `(() => { localStorage.clear(); return true; })()`)
		})
	})

	Describe("on paper", func() {
		It("the page is light, without controls, nothing is folded, and the filter hides nothing", func() {
			t := show(s.failing, "?verdict=pass")
			t.click("#fold")
			t.media("print", "dark")
			Expect(evaluate[int](t, `all("button, select, input, nav, .skip, .link").filter(visible).length`)).To(BeZero())
			Expect(evaluate[string](t, `style(document.querySelector(".certificate"), "backgroundColor")`)).To(
				Equal("rgb(255, 255, 255)"))
			evaluate[bool](t, `(() => { dispatchEvent(new Event("beforeprint")); return true; })()`)
			Expect(evaluate[[]string](t, "rows()")).To(HaveLen(78))
			Expect(evaluate[bool](t, `visible(document.querySelector(".entry mark"))`)).To(BeTrue())
			evaluate[bool](t, `(() => { dispatchEvent(new Event("afterprint")); return true; })()`)
			Expect(evaluate[[]string](t, "rows()")).To(HaveLen(76))
			Expect(evaluate[int](t, `all("details.entry[open]").length`)).To(BeZero())
		})

		It("is a document of some pages", func() {
			t := show(s.failing, "")
			pdf, err := chromedp.Run(t.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(),
				chromedp.PDFPrintBackground()))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(pdf[:5])).To(Equal("%PDF-"))
			pages := strings.Count(string(pdf), "/Type /Page\n")
			Expect(pages).To(And(BeNumerically(">", 3), BeNumerically("<", 40)))
		})
	})

	Describe("a narrow screen", func() {
		It("is never scrolled sideways", func() {
			for name, text := range s.all() {
				t := show(text, "")
				for _, width := range []int64{320, 360, 390, 768, 1280} {
					t.size(width, 740)
					evaluate[bool](t, `(() => { for (const d of all("details")) d.open = true; return true; })()`)
					Expect(evaluate[int64](t, "document.documentElement.scrollWidth")).To(BeNumerically("<=", width),
						"%s at %d: %v", name, width,
						evaluate[[]string](t,
							`all("body *").filter((e) => visible(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".unseen")).map((e) => e.outerHTML.slice(0, 90))`))
				}
			}
		})
	})

	Describe("without JavaScript", func() {
		It("everything is shown, unfiltered, without controls, and links lead to their rows", func() {
			t := (*c).open()
			_, err := chromedp.Call(t.ctx, emulation.SetScriptExecutionDisabled,
				emulation.SetScriptExecutionDisabledParams{Value: true})
			Expect(err).NotTo(HaveOccurred())
			(*c).load(t, s.failing, "?verdict=pass#2.1/CreatedOn/v5")
			Expect(evaluate[[]string](t, "rows()")).To(HaveLen(78))
			Expect(evaluate[int](t, `all("button, select, input").filter(visible).length`)).To(BeZero())
			Expect(evaluate[bool](t, `visible(document.querySelector(".entry mark"))`)).To(BeTrue())
			Expect(evaluate[bool](t, `inView(byId("2.1/CreatedOn/v5"))`)).To(BeTrue())
		})
	})

	Describe("what a hostile target sends", func() {
		It("executes nothing and asks for nothing", func() {
			t := show(s.hostile, "")
			evaluate[bool](t,
				`(() => { for (const d of all("details")) d.open = true; for (const b of all("button")) b.click(); return true; })()`)
			t.do(chromedp.SendKeys(chromedp.CSS("#filter-text"), "<script>"))
			Expect(evaluate[int](t, `all("img, svg, iframe, object, embed, form, base").length`)).To(BeZero())
			Expect(evaluate[int](t, "all('script').length")).To(Equal(1))
		})

		It("could not run a script even if it were taken for markup", func() {
			t := show(s.failing, "")
			Expect(evaluate[string](t,
				`(() => { try { document.body.innerHTML = "<b>"; return "set"; } catch (e) { return e.name; } })()`)).To(Equal("TypeError"))
			t.mu.Lock()
			defer t.mu.Unlock()
			t.said = nil // the browser tells of what it refused
		})
	})

	Describe("opened from a file", func() {
		It("filters and keeps the filter in the URL, too", func() {
			t := (*c).open()
			path := filepath.Join(GinkgoT().TempDir(), "report.html")
			Expect(os.WriteFile(path, []byte(s.failing), 0o600)).To(Succeed())
			t.url = "file://" + path
			t.navigate("?version=v5")
			t.choose("filter-verdict", "fail")
			Expect(evaluate[string](t, `byId("count").textContent`)).To(Equal("1 of 78"))
			Expect(evaluate[string](t, "location.search")).To(Equal("?version=v5&verdict=fail"))
		})
	})

	Describe("for an accessibility engine (axe-core)", func() {
		for _, name := range []string{"passing", "failing", "parity", "mixed", "unready", "swept", "stopped"} {
			for scheme, width := range map[string]int64{"light": 1280, "dark": 360} {
				It(fmt.Sprintf("has no fault: %s, %s, %d px", name, scheme, width), func() {
					engine, err := os.ReadFile(axePath())
					Expect(err).NotTo(HaveOccurred())
					t := (*c).open()
					_, err = chromedp.Call(t.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
					Expect(err).NotTo(HaveOccurred())
					(*c).load(t, s.all()[name], "")
					t.size(width, 900)
					t.media("", scheme)
					evaluate[bool](t, `(() => { for (const d of all("details")) d.open = true; return true; })()`)
					_, err = chromedp.Run(t.ctx, chromedp.Evaluate[bool](string(engine)+"\n;true"))
					Expect(err).NotTo(HaveOccurred())
					found := evaluate[map[string][]string](t, `axe.run(document).then((r) => ({
							passes: r.passes.map((p) => p.id),
							faults: r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)),
						}))`)
					Expect(found["faults"]).To(BeEmpty())
					Expect(found["passes"]).To(ContainElements("color-contrast", "aria-allowed-attr", "html-has-lang",
						"heading-order"), "the engine should have looked")
				})
			}
		}
	})
}

// axePath finds the engine where npm puts it.
func axePath() string {
	GinkgoHelper()
	path := filepath.Join("..", "..", "..", ".ci", "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(path); err != nil {
		skipOrFail("axe-core", "npm ci --prefix .ci")
	}
	return path
}

var _ = Describe("In a browser", Ordered, ContinueOnFailure, Label("browser"), func() {
	var c *chromium
	var s viewports
	BeforeAll(func() {
		c = startChromium()
		r, exchanges := hostileRun(`"><img src=https://evil.example/x onerror=alert(1)><script>alert(1)</script>` +
			strings.Repeat("long", 200))
		s = viewports{
			passing:  runAgainst(referenceFor(fixtureUsers()), fixtureUsers()).page(),
			failing:  runMutant("created-on-two-digit-fraction-one-user-v5").page(),
			parity:   runMutant("get-user-auth-values-locked-v6").page(),
			mixed:    pageOf(reportOfEverything(), everyExchange()),
			hostile:  pageOf(r, exchanges),
			unready:  pageOf(report.Failed("sha256:00", ended, ended, "no users file"), nil),
			sweepRun: sweptPage(mixedSweep()), stopped: sweptPage(stoppedSweep()),
			hostileSwept: sweptPage(hostileSweep(strings.Repeat("<img src=x onerror=alert(1)>", 20))),
			history:      historyPage(),
		}
	})
	browserSpecs(&c, &s)
	appearanceSpecs(&c, &s)
	sweepSpecs(&c, &s)
})
