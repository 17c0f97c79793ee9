package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/sanitize"
)

// FuzzParse reads any file: it must be refused with a reason, or be evidence that can be asked for every exchange it
// names without an end to the suite.
func FuzzParse(f *testing.F) {
	d, err := openFixture(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer d.writer.Close()
	d.keepAll(exchangesOfEachSort()...)
	var archive bytes.Buffer
	if err := d.writer.WriteArchive(&archive, evidence.RecordOf(d.run.Result(errors.New("interrupted")),
		d.out)); err != nil {
		f.Fatal(err)
	}
	f.Add(archive.Bytes())
	text := archive.String()
	for _, seed := range []string{
		"", "{}", "[]", `{"log":{}}`, `{"log":{"entries":[],"_run":{}}}`, `{"log":{"entries":[{}]}}`,
		text[:len(text)/2],
		text + text,
		`{"log":{"entries":[{"_exchange":"e1","startedDateTime":"2026-03-04T05:06:07Z","time":1e300,` +
			`"request":{"headers":[null]},"response":{"status":-1,"headers":[null],"content":{` +
			`"size":-9223372036854775808,"encoding":"base64"}},"_probe":{},"_cut":{"size":-1},"_fault":{}}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := evidence.Parse(bytes.NewReader(content), schemas.Versions())
		if err != nil {
			if err.Error() == "" {
				t.Error("it was refused without a reason")
			}
			return
		}
		if len(e.Settings.Users) == 0 || len(e.Settings.Versions) == 0 || len(e.Run().Target) == 0 {
			t.Errorf("what was taken lacks users, versions or URLs: %+v", e.Settings)
		}
		for _, id := range idsOf(content) {
			k, err := e.Entry(id)
			if err != nil {
				t.Errorf("the entry %q was read and is not kept: %v", id, err)
				continue
			}
			ex, err := e.Do(context.Background(), k.Probe)
			if err != nil && !errors.Is(err, exchange.ErrNotRecorded) {
				t.Errorf("%s: %v", id, err)
			}
			if err == nil && (ex.Cut != nil || ex.Fault != nil && ex.Fault.Kind == exchange.Ended) {
				t.Errorf("%s can't be judged, and was given to be", id)
			}
		}
	})
}

// FuzzRoundTrip keeps an answer and reads it back: the same exchange must come, unless a secret was in it.
func FuzzRoundTrip(f *testing.F) {
	durations := []time.Duration{0, 1, 999, 333333, 1234567891, 10*time.Minute - 1, 24*time.Hour - 1}
	for i, body := range []string{`{"Id":1e2}`, `["\u0041\u003c\/\ud83d\ude00"]`, `["\ud800"]`, "\u2028</script>&amp;",
		"\u202e\u0000\u001b[31m\u007f\u0085\ufeff", "jürgen 日本 😀 \U0010ffff", ""} {
		f.Add([]byte(body), "X-Header", "a value", 200, int64(durations[i]), "")
	}
	f.Add([]byte("\xff\xfe"), "Sunset", "J\xfcrgen", 200, int64(1), "")
	f.Add([]byte("a "+token), "Ratelimit-\xff", "1", 403, int64(1), "")
	f.Add([]byte(nil), "Content-Type", "text/html; charset=\"x\"", 599, int64(1), "connection reset")
	f.Add([]byte("{}"), "Content-Type", "text/\xff", 200, int64(1), "")
	d, err := openFixture(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	d.writer.Close() // each input has a writer of its own
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte, name, value string, status int, duration int64, fault string) {
		w, err := evidence.NewWriter(dir, d.out)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		ex := answeredExchange("e1", string(body))
		ex.Header.Add(name, value)
		ex.Status, ex.Duration = status, time.Duration(duration&(1<<47-1)) // up to 39 hours, longer than any run
		if fault != "" {
			ex.Body, ex.Fault = nil, &exchange.Fault{Kind: exchange.Transport, Detail: fault}
		}
		answered := *ex
		w.Sent(w.Sending(), d.run.Requests, ex, agent)
		var archive bytes.Buffer
		if err := w.WriteArchive(&archive, evidence.RecordOf(d.run.Result(nil), d.out)); err != nil {
			t.Fatal(err)
		}
		if secrets := sanitize.NewSecrets(token); secrets.Found(archive.String()) {
			t.Errorf("the token stands in the archive: %s", archive.String())
		}
		e, err := evidence.Parse(&archive, schemas.Versions())
		if err != nil {
			t.Fatal(err)
		}
		is, err := e.Entry("e1")
		if err != nil {
			t.Fatal(err)
		}
		if is.Status != ex.Status || is.Duration != ex.Duration || !is.Started.Equal(ex.Started) ||
			is.Probe != ex.Probe {
			t.Errorf("was %+v, is %+v", ex, is.Exchange)
		}
		if fault == "" && !sanitize.NewSecrets(token).Found(string(body)) && len(body) <= 1<<20 &&
			(is.Length() != len(body) || is.Withheld == nil && !bytes.Equal(is.Body, body)) {
			t.Errorf("the body %q is said to have %d bytes: %q", body, is.Length(), is.Body)
		}
		if again, err := e.Do(context.Background(), ex.Probe); err == nil &&
			verdictsOn(again) != verdictsOn(&answered) {
			t.Errorf("it is judged otherwise now: was %q, is %q", body, again.Body)
		}
	})
}
