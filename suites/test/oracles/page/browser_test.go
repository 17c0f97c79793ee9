package page_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"authenticator-conformance/suites/internal/testkit"
)

// requireBrowser is the variable that says, as 1, that the specs in a browser must not be left out.
const requireBrowser = "CONFORMANCE_REQUIRE_BROWSER"

// patience ends a spec that would hang where the browser does.
const patience = 3 * time.Minute

// skipOrFail leaves a spec out, or fails it where it must run.
func skipOrFail(what, install string) {
	GinkgoHelper()
	if os.Getenv(requireBrowser) == "1" {
		Fail(what + " is missing, and " + requireBrowser + "=1 says that this test must run: " + install)
	}
	Skip(what + " is missing; to run this test: " + install)
}

// browserPath finds Chromium, by the names that distributions give it.
func browserPath() string {
	GinkgoHelper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	skipOrFail("Chromium", "apt-get install chromium")
	return ""
}

// tab is the one tab of a browser, in which all specs look at pages. It knows what a page says and asks for.
type tab struct {
	ctx   context.Context
	pages map[string]string // the pages that can be shown, by name
	base  string            // of the URLs of pages
	shown int               // how many pages were shown

	mu    sync.Mutex
	url   string   // of the page, without query and fragment
	heard []string // what the page should not have said or asked for
}

// startBrowser starts a browser that is closed with the specs that share it.
func (t *tab) startBrowser(pages map[string]string) {
	GinkgoHelper()
	SetDefaultEventuallyTimeout(patience / 3) // what a page does after an event may take its time on a busy machine
	t.pages = pages
	t.base = testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, pages[strings.Split(r.URL.Path, "/")[1]]) // a browser that went away needs no error
	})).String()
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Env("TMPDIR=" + GinkgoT().TempDir()), // what it leaves behind goes with the specs
	})
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	DeferCleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithListener(t.hearEvent))
	DeferCleanup(stop)
	DeferCleanup(func() error { return chromedp.Cancel(ctx) }) // closes it, and waits until it has gone
	// Without a deadline: the browser lives as long as the context of the first call.
	Expect(chromedp.Do(ctx)).To(Succeed())
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		testkit.Must(chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
			Origin: t.base}))
	}
	t.ctx = ctx
	callBrowser(t, network.Enable, network.EnableParams{})
}

// limitTime lets a spec have its time and no more, and sets back what another spec may have changed.
func (t *tab) limitTime() {
	GinkgoHelper()
	whole := t.ctx
	var stop context.CancelFunc
	t.ctx, stop = context.WithTimeout(whole, patience)
	DeferCleanup(func() {
		stop()
		t.ctx = whole
	})
	t.setSize(1280, 900)
	t.setMedia("", "light")
	t.allowScripts(true)
}

// hearEvent notes what a page should not do: write to the console, throw, open a dialog, ask for another thing than
// itself.
func (t *tab) hearEvent(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		t.heard = append(t.heard, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		t.heard = append(t.heard, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		t.heard = append(t.heard, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *page.EventJavascriptDialogOpening:
		t.heard = append(t.heard, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		url, _, _ := strings.Cut(e.Request.URL, "#")
		url, _, _ = strings.Cut(url, "?")
		if url != t.url && !strings.HasPrefix(url, "data:") {
			t.heard = append(t.heard, "request: "+e.Request.URL)
		}
	}
}

// takeHeard is what pages have said and asked for since it was called last.
func (t *tab) takeHeard() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	heard := t.heard
	t.heard = nil
	return heard
}

// showPage loads a page anew; where is its query and fragment.
func (t *tab) showPage(name, where string) {
	GinkgoHelper()
	t.shown++
	t.showURL(fmt.Sprintf("%s/%s/%d/report.html", t.base, name, t.shown), where)
}

func (t *tab) showURL(url, where string) {
	GinkgoHelper()
	t.mu.Lock()
	t.url = url
	t.mu.Unlock()
	t.goTo(where)
}

// goTo goes to a query and fragment of the page.
func (t *tab) goTo(where string) {
	GinkgoHelper()
	t.doSteps(chromedp.Navigate(t.url + where))
}

func (t *tab) doSteps(steps ...chromedp.Action[chromedp.Void]) {
	GinkgoHelper()
	Expect(chromedp.Do(t.ctx, steps...)).To(Succeed())
}

// callBrowser calls a method of the browser's protocol.
func callBrowser[P, R any](t *tab, method cdp.Command[P, R], params P) {
	GinkgoHelper()
	testkit.Must(chromedp.Call(t.ctx, method, params))
}

// evaluateIn evaluates an expression in the page, in which the helpers below stand ready.
func evaluateIn[T any](t *tab, expression string) T {
	GinkgoHelper()
	result, err := tryEvaluate[T](t, expression)
	Expect(err).NotTo(HaveOccurred(), expression)
	return result
}

func tryEvaluate[T any](t *tab, expression string) (T, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[T]("(() => {"+helpers+"return ("+expression+");})()",
		chromedp.EvalAwaitPromise))
}

// helpers are what expressions use.
const helpers = `
const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const first = (selector) => document.querySelector(selector);
const visible = (e) => e.getClientRects().length > 0 &&
	e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
const count = () => byId("count").textContent;
const rows = () => all(".row").filter(visible).map((e) => e.id);
const style = (e, name) => getComputedStyle(e)[name];
const inView = (e) => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight; };
const focused = () => document.activeElement;
const focusedRow = () => focused().closest(".row")?.id ?? "";
const unfolded = () => all("details.entry[open]").length;
const background = () => style(document.documentElement, "backgroundColor");
const clipboard = () => navigator.clipboard.readText();
const changedSides = (what) => {
	const [l, r] = first(".diff .changed").querySelectorAll("td");
	return what(l, r, l.getBoundingClientRect(), r.getBoundingClientRect());
};
const unfoldAll = () => { for (const d of all("details")) d.open = true; return true; };
`

// expectValue expects an expression to have a value, or to match.
func (t *tab) expectValue(expression string, value any) {
	GinkgoHelper()
	Expect(evaluateIn[any](t, expression)).To(matcherOf(value), expression)
}

// matcherOf makes a matcher of a value that is none; numbers of the page are compared as numbers.
func matcherOf(value any) types.GomegaMatcher {
	switch v := value.(type) {
	case types.GomegaMatcher:
		return v
	case int:
		return BeNumerically("==", v)
	case nil:
		return BeNil()
	}
	return Equal(value)
}

// setSize sets the size of the window.
func (t *tab) setSize(width, height int64) {
	GinkgoHelper()
	t.doSteps(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(1)))
}

// setMedia sets what the page is shown on: the medium, and which colours are wanted.
func (t *tab) setMedia(medium, scheme string) {
	GinkgoHelper()
	callBrowser(t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// allowScripts lets pages run their script, or not.
func (t *tab) allowScripts(allowed bool) {
	GinkgoHelper()
	callBrowser(t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !allowed})
}

// takeStep takes a step of browser.yaml.
func (t *tab) takeStep(step []any) {
	GinkgoHelper()
	By(fmt.Sprint(step...))
	text := func(i int) string {
		if i >= len(step) {
			return ""
		}
		return step[i].(string)
	}
	switch step[0] {
	case "show":
		t.showPage(text(1), text(2))
	case "file":
		t.showURL("file://"+testkit.Write(GinkgoT().TempDir(), "report.html", []byte(t.pages[text(1)])), text(2))
	case "go":
		t.goTo(text(1))
	case "reload":
		t.doSteps(chromedp.Reload())
	case "click": // what a CSS selector finds first
		t.doSteps(chromedp.Click(chromedp.CSS(text(1))))
	case "focus":
		t.doSteps(chromedp.Focus(chromedp.CSS(text(1))))
	case "press":
		t.doSteps(chromedp.KeyEvent(text(1)))
	case "type": // into the filter
		t.doSteps(chromedp.SendKeys(chromedp.CSS("#filter-text"), text(1)))
	case "choose":
		t.chooseOption(text(1), text(2))
	case "size":
		t.setSize(int64(step[1].(int)), int64(step[2].(int)))
	case "media":
		t.setMedia(text(1), text(2))
	case "scripts":
		t.allowScripts(step[1].(bool))
	case "expect":
		t.expectValue(text(1), step[2])
	case "await":
		Eventually(func() (any, error) { return tryEvaluate[any](t, text(1)) }).Should(matcherOf(step[2]), text(1))
	default:
		Fail("there is no such step")
	}
}

// chooseOption picks a value of a control as a person does: the page hears of it.
func (t *tab) chooseOption(id, choice string) {
	GinkgoHelper()
	t.expectValue(fmt.Sprintf(`(() => { const c = byId(%q); c.focus(); c.value = %q;
		return c.dispatchEvent(new Event("change", { bubbles: true })); })()`, id, choice), true)
}
