package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/page"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
)

// page measures how long report.html of a crowd takes to open and to filter, beside an empty page in the same browser.
// It is left out where there is no browser.
func (w *workbench) page(t table, pairs int) error {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		fmt.Fprintln(t, "report.html is left out: Chromium is missing; to measure it: apt-get install chromium")
		return nil
	}
	findings, files, err := w.writePages()
	if err != nil {
		return err
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{chromedp.ExecPath(browser),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TMPDIR=" + w.folder)})
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	whole := ctx
	defer func() { _ = chromedp.Cancel(whole) }() // it is closed before the folder goes
	// Without a deadline: the browser lives as long as the context of the first call.
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("starting %s: %w", browser, err)
	}
	ctx, stop = context.WithTimeout(ctx, 10*time.Minute)
	defer stop()

	var opened, bare, filtered []sample
	for i := range pairs + 1 {
		open, filter, err := look(ctx, files[0])
		if err != nil {
			return err
		}
		empty, _, err := look(ctx, files[1])
		if err != nil {
			return err
		}
		if i > 0 { // the first one does not count
			opened, bare, filtered = append(opened, sample{wall: open}), append(bare, sample{wall: empty}), append(filtered, sample{wall: filter})
		}
	}
	name := fmt.Sprintf("report.html, %d users, %d findings", crowd, findings)
	t.within(name+": to open, beside an empty page", median(opened).wall, median(bare).wall, pageBound)
	t.within(name+": to filter", median(filtered).wall, 0, pageBound)
	return nil
}

// writePages writes the page of a run in which everybody's record is wrong in v5, and an empty one.
func (w *workbench) writePages() (findings int, files [2]string, err error) {
	target := httptest.NewServer(wrongInV5(reference.New(reference.Options{
		Users: people(crowd), AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})))
	defer target.Close()
	s, suite, err := crowdRun(target.URL)
	if err != nil {
		return 0, files, err
	}
	kept, err := evidence.NewWriter(w.folder)
	if err != nil {
		return 0, files, err
	}
	defer kept.Close()
	r := run.New(s, suite, "bench", kept)
	kept.Of(r.Requests)
	if err := r.Execute(context.Background()); err != nil {
		return 0, files, err
	}
	result := report.Of(r, time.Now(), nil)
	for _, row := range result.Requirements {
		findings += row.FindingCount
	}
	var content bytes.Buffer
	if err := page.Write(&content, result, kept); err != nil {
		return 0, files, err
	}
	files = [2]string{filepath.Join(w.folder, report.PageFile), filepath.Join(w.folder, "empty.html")}
	if err := os.WriteFile(files[0], content.Bytes(), 0o600); err != nil {
		return 0, files, err
	}
	return findings, files, os.WriteFile(files[1], []byte("<!DOCTYPE html><title>empty</title>"), 0o600)
}

// wrongInV5 makes four members of each record of v5 wrong.
func wrongInV5(right http.Handler) http.Handler {
	wrong := strings.NewReplacer(`"Flags":`, `"Flags":0.5,"a":`, `"ModeType":`, `"ModeType":"","b":`, `"IsLocked":`, `"IsLocked":0,"c":`, `"IsDisabled":`, `"IsDisabled":"no","d":`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/v5/") {
			right.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		right.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = wrong.WriteString(w, answer.Body.String()) // a client that went away has no use for the error
	})
}

// look opens a file and filters it: by a verdict and by a text, until the page is laid out again.
func look(ctx context.Context, file string) (opened, filtered time.Duration, err error) {
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		return 0, 0, err
	}
	took, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`(async () => {
		const laidOut = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
		await laidOut();
		const opened = performance.now();
		const verdict = document.getElementById("filter-verdict");
		if (!verdict) return [opened, 0];
		const start = performance.now();
		verdict.value = "fail";
		verdict.dispatchEvent(new Event("change"));
		const text = document.getElementById("filter-text");
		text.value = "flags";
		verdict.dispatchEvent(new Event("change"));
		document.body.getBoundingClientRect();
		const filtered = performance.now() - start;
		if (document.querySelectorAll(".row:not([hidden])").length === 0) throw new Error("the filter left nothing");
		return [opened, filtered];
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return 0, 0, err
	}
	return milliseconds64(took[0]), milliseconds64(took[1]), nil
}

func milliseconds64(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// within prints what took how long, beside something else where there is such a thing, and the bound for it.
func (t table) within(figure string, measured, beside, bound time.Duration) {
	other := "-"
	if beside > 0 {
		other = milliseconds(beside)
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", figure, milliseconds(measured), other, milliseconds(measured), milliseconds(bound), word(float64(measured), float64(bound)))
}
