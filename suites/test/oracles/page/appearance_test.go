package page_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/testkit"
)

// pageOfFailingRun is the page of a run against a service with one defect in v5, which v6 does not have.
func pageOfFailingRun(ctx SpecContext) string {
	GinkgoHelper()
	m, ok := mutants.Find("created-on-two-digit-fraction-one-user-v5")
	Expect(ok).To(BeTrue())
	s := testkit.Settings(testkit.Serve(m.Handler(kit.Reference(kit.Users(), fixtures.AccessToken))), kit.Users())
	return string(testkit.Read(testkit.ReportFolder(ctx, s), report.PageFile))
}

var _ = Describe("In a browser:", Ordered, ContinueOnFailure, Label("browser"), func() {
	t := &tab{}
	BeforeAll(func(ctx SpecContext) {
		r, exchanges := hostileRun(`"><img src=https://evil.example/x onerror=alert(1)><script>alert(1)</script>` +
			strings.Repeat("long", 200))
		t.startBrowser(map[string]string{
			"failing":    pageOfFailingRun(ctx),
			"everything": pageOf(reportOf("everything"), everyExchange()),
			"pass":       pageOf(reportOf("pass"), nil),
			"error":      pageOf(report.Failed("sha256:00", ended, ended, "no users file"), nil),
			"sweep":      sweptPage(mixedSweep(20_000)), "stopped": sweptPage(stoppedSweep()),
			"hostile":       pageOf(r, exchanges),
			"hostile-sweep": sweptPage(hostileSweep(strings.Repeat("<img src=x onerror=alert(1)>", 20))),
		})
	})
	BeforeEach(t.limitTime)
	AfterEach(func() { Expect(t.takeHeard()).To(BeEmpty(), "what the page said, and asked for beside itself") })

	for _, c := range testkit.Cases[struct {
		Name  string
		Steps [][]any
	}]("testdata/browser.yaml") {
		It(c.Name, func() {
			for _, step := range c.Steps {
				t.takeStep(step)
			}
		})
	}

	It("Light and dark can be chosen if the browser stores nothing", func() {
		script := testkit.Must(chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: `Object.defineProperty(window, "localStorage", {
				get() { throw new DOMException("forbidden", "SecurityError"); } });`}))
		t.showPage("everything", "")
		t.chooseOption("appearance", "dark")
		t.expectValue("background()", "rgb(23, 24, 27)")
		callBrowser(t, page.RemoveScriptToEvaluateOnNewDocument,
			page.RemoveScriptToEvaluateOnNewDocumentParams(script))
	})

	It("A page is printed on some sheets of paper", func() {
		t.showPage("everything", "")
		pdf := string(testkit.Must(chromedp.Run(t.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(),
			chromedp.PDFPrintBackground()))))
		Expect(pdf).To(HavePrefix("%PDF-"))
		Expect(strings.Count(pdf, "/Type /Page\n")).To(And(BeNumerically(">", 3), BeNumerically("<", 40)))
	})

	It("The keyboard reaches everything in order, each with a focus that is seen", func() {
		t.showPage("everything", "")
		reachable := evaluateIn[[]string](t,
			`all("a[href], button, select, input, summary").filter(visible).map((e) => e.outerHTML.slice(0, 80))`)
		Expect(len(reachable)).To(BeNumerically(">", 50))
		t.expectValue(`(() => { window.reached = []; addEventListener("focusin", (event) => reached.push([
			event.target.outerHTML.slice(0, 80), style(event.target, "outline")])); })()`, BeNil())
		for range reachable {
			t.doSteps(chromedp.KeyEvent(kb.Tab))
		}
		Expect(evaluateIn[[]string](t, "reached.map((r) => r[0])")).To(Equal(reachable))
		t.expectValue("reached.map((r) => r[1])", HaveEach(MatchRegexp(`(solid|auto) [1-9]`)))
	})

	It("No page is scrolled sideways on a narrow screen", func() {
		for name := range t.pages {
			t.showPage(name, "")
			t.expectValue("unfoldAll()", true)
			for _, width := range []int64{320, 390, 768, 1280} {
				t.setSize(width, 740)
				t.expectValue(`document.documentElement.scrollWidth <= innerWidth ? [] : all("body *").filter((e) =>
					visible(e) && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".unseen"))
					.map((e) => e.outerHTML.slice(0, 90))`, BeEmpty())
			}
		}
	})

	for _, name := range []string{"everything", "pass", "error", "sweep", "stopped"} {
		It("An accessibility engine (axe-core) finds no fault: "+name, func() {
			path := filepath.Join("..", "..", "..", "..", ".ci", "node_modules", "axe-core", "axe.min.js")
			engine, err := os.ReadFile(path)
			if err != nil {
				skipOrFail("axe-core", "npm ci --prefix .ci")
			}
			callBrowser(t, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
			DeferCleanup(func() { callBrowser(t, page.SetBypassCSP, page.SetBypassCSPParams{}) })
			t.showPage(name, "")
			t.expectValue("unfoldAll()", true)
			testkit.Must(chromedp.Run(t.ctx, chromedp.Evaluate[bool](string(engine)+"\n;true")))
			for scheme, width := range map[string]int64{"light": 1280, "dark": 360} {
				t.setSize(width, 900)
				t.setMedia("", scheme)
				found := evaluateIn[map[string][]string](t, `axe.run(document).then((r) => ({
					passes: r.passes.map((p) => p.id),
					faults: r.violations.flatMap((v) => v.nodes.map((n) =>
						[v.id, ...n.target, n.failureSummary].join(" "))),
				}))`)
				Expect(found["faults"]).To(BeEmpty(), "%s, %d px", scheme, width)
				Expect(found["passes"]).To(ContainElements("color-contrast", "aria-allowed-attr", "html-has-lang",
					"heading-order"), "the engine should have looked")
			}
		})
	}

	It("A script could not run even if it were taken for markup", func() {
		t.showPage("everything", "")
		t.expectValue(`(() => { try { document.body.innerHTML = "<b>"; } catch (e) { return e.name; } })()`,
			"TypeError")
		Expect(t.takeHeard()).To(HaveEach(ContainSubstring("Trusted")), "the browser tells of what it refused")
	})
})
