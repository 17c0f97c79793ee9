package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
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

// chromium is one browser for all specs, and a server of the pages that they look at.
type chromium struct {
	ctx    context.Context
	server *httptest.Server

	mu    sync.Mutex
	pages map[string]string // by path
	asked []string          // paths that the browser asked the server for
}

// startChromium starts a browser that is closed with the specs that share it.
func startChromium() *chromium {
	GinkgoHelper()
	SetDefaultEventuallyTimeout(patience) // what a page does after an event may take its time on a busy machine
	c := &chromium{pages: map[string]string{}}
	c.server = httptest.NewServer(http.HandlerFunc(c.serve))
	DeferCleanup(c.server.Close)
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Env("TMPDIR=" + GinkgoT().TempDir()), // what it leaves behind goes with the specs
	})
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	DeferCleanup(stop)
	c.ctx, stop = chromedp.NewContext(ctx)
	DeferCleanup(stop)
	DeferCleanup(func() error { return chromedp.Cancel(c.ctx) }) // closes it, and waits until it has gone
	// Without a deadline: the browser lives as long as the context of the first call.
	Expect(chromedp.Do(c.ctx)).To(Succeed())
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(c.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
			Origin: c.server.URL})
		Expect(err).NotTo(HaveOccurred())
	}
	return c
}

func (c *chromium) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r.URL.Path)
	text, ok := c.pages[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, text) // a browser that went away has no use for the error
}

// tab is one tab of the browser, with all that its page says and asks for.
type tab struct {
	ctx context.Context
	url string // of the page, without query and fragment

	mu    sync.Mutex
	said  []string // errors and warnings of the console, exceptions, dialogs
	asked []string // URLs
}

// open opens a tab. When the spec ends, the page must have said nothing and asked for nothing but itself.
func (c *chromium) open() *tab {
	GinkgoHelper()
	t := &tab{}
	ctx, stop := chromedp.NewContext(c.ctx, chromedp.WithListener(t.hear))
	DeferCleanup(stop)
	Expect(chromedp.Do(ctx)).To(Succeed())
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	Expect(err).NotTo(HaveOccurred())
	t.ctx, stop = context.WithTimeout(ctx, patience)
	DeferCleanup(stop)
	DeferCleanup(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		Expect(t.said).To(BeEmpty(), "the page should say nothing on the console, and open no dialog")
		for _, url := range t.asked {
			before, _, _ := strings.Cut(url, "#")
			before, _, _ = strings.Cut(before, "?")
			Expect(before).To(Or(Equal(t.url), HavePrefix("data:")), "the page should ask for nothing but itself")
		}
	})
	return t
}

func (t *tab) hear(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		t.said = append(t.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		t.said = append(t.said, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		t.said = append(t.said, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *page.EventJavascriptDialogOpening:
		t.said = append(t.said, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		t.asked = append(t.asked, e.Request.URL)
	}
}

// show opens a page in a tab; where is its query and fragment.
func (c *chromium) show(text, where string) *tab {
	GinkgoHelper()
	t := c.open()
	c.load(t, text, where)
	return t
}

// load shows a page in a tab that is open.
func (c *chromium) load(t *tab, text, where string) {
	GinkgoHelper()
	c.mu.Lock()
	path := fmt.Sprintf("/%d/report.html", len(c.pages))
	c.pages[path] = text
	c.mu.Unlock()
	t.url = c.server.URL + path
	t.navigate(where)
}

// navigate goes to a query and fragment of the page.
func (t *tab) navigate(where string) {
	GinkgoHelper()
	t.do(chromedp.Navigate(t.url + where))
}

func (t *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	GinkgoHelper()
	Expect(chromedp.Do(t.ctx, steps...)).To(Succeed())
}

// evaluate evaluates an expression in a page; functions of the helpers below stand ready in it.
func evaluate[T any](t *tab, expression string) T {
	GinkgoHelper()
	result, err := chromedp.Run(t.ctx, chromedp.Evaluate[T]("(() => {"+helpers+"return ("+expression+");})()",
		chromedp.EvalAwaitPromise))
	Expect(err).NotTo(HaveOccurred(), expression)
	return result
}

// quoteJavaScript writes a text as JavaScript does.
func quoteJavaScript(text string) string {
	quoted, err := json.Marshal(text)
	Expect(err).NotTo(HaveOccurred())
	return string(quoted)
}

// helpers are what expressions use.
const helpers = `
const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const visible = (e) => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && e.getClientRects().length > 0;
const rows = () => all(".row").filter(visible).map((e) => e.id);
const style = (e, name) => getComputedStyle(e)[name];
const inView = (e) => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight; };
`

// width sets the size of the window.
func (t *tab) size(width, height int64) {
	GinkgoHelper()
	t.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(1)))
}

// media sets what the page is shown on: the medium, and which colours are wanted.
func (t *tab) media(medium, scheme string) {
	GinkgoHelper()
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	Expect(err).NotTo(HaveOccurred())
}

// before runs a script before each page that the tab shows from now on.
func (t *tab) before(script string) {
	GinkgoHelper()
	_, err := chromedp.Call(t.ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	Expect(err).NotTo(HaveOccurred())
}

// press presses keys, one after the other.
func (t *tab) press(keys ...string) {
	GinkgoHelper()
	for _, key := range keys {
		t.do(chromedp.KeyEvent(key))
	}
}

// click clicks what a CSS selector finds first.
func (t *tab) click(selector string) {
	GinkgoHelper()
	t.do(chromedp.Click(chromedp.CSS(selector)))
}

// choose picks a value of a control as a person does: the page hears of it.
func (t *tab) choose(id, choice string) {
	GinkgoHelper()
	evaluate[bool](t,
		fmt.Sprintf(`(() => { const c = byId(%q); c.focus(); c.value = %s; return c.dispatchEvent(new Event("change", { bubbles: true })); })()`, id, quoteJavaScript(choice)))
}
