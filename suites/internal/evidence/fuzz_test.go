package evidence_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
)

// FuzzParse reads any file: it must be refused with a reason, or be evidence that can be asked for every exchange it
// names without an end to the suite.
func FuzzParse(f *testing.F) {
	d, err := openFixture(f.TempDir(), settingsOf())
	if err != nil {
		f.Fatal(err)
	}
	defer d.writer.Close()
	d.keep(exchangesOfEachSort()...)
	var archive bytes.Buffer
	if err := d.writer.WriteArchive(&archive, evidence.RecordOf(d.run, d.out,
		errors.New("interrupted"))); err != nil {
		f.Fatal(err)
	}
	f.Add(archive.Bytes())
	text := archive.String()
	for _, seed := range []string{
		"", "{}", "[]", `{"log":{}}`, `{"log":{"entries":[],"_run":{}}}`, `{"log":{"entries":[{}]}}`,
		text[:len(text)/2],
		text + text,
		`{"log":{"entries":[{"_exchange":"e1","startedDateTime":"2026-03-04T05:06:07Z","time":1e300,"request":{"headers":[null]},"response":{"status":-1,"headers":[null],"content":{"size":-9223372036854775808,"encoding":"base64"}},"_probe":{},"_cut":{"size":-1},"_fault":{}}]}}`,
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

// idsOf are the exchange ids in an archive, as far as a plain reader finds them.
func idsOf(content []byte) []string {
	var h struct {
		Log struct {
			Entries []struct {
				Exchange string `json:"_exchange"`
			} `json:"entries"`
		} `json:"log"`
	}
	if json.Unmarshal(content, &h) != nil {
		return nil
	}
	var ids []string
	for _, e := range h.Log.Entries {
		ids = append(ids, e.Exchange)
	}
	return ids
}

// FuzzRoundTrip keeps an answer and reads it back: the same exchange must come, unless a secret was in it.
func FuzzRoundTrip(f *testing.F) {
	for _, body := range [][]byte{[]byte(`{"Id":1}`), []byte("\xff\xfe"), {}, []byte("a " + token),
		[]byte("\u2028</script>")} {
		f.Add(body, "X-Header", "a value", 200, int64(1234567), "")
	}
	f.Add([]byte(nil), "Content-Type", "text/html; charset=\"x\"", 599, int64(1), "connection reset")
	f.Add([]byte("{}"), "Content-Type", "text/\xff", 200, int64(1), "")
	d, err := openFixture(f.TempDir(), settingsOf())
	if err != nil {
		f.Fatal(err)
	}
	d.writer.Close() // each input has a writer of its own
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte, name, value string, status int, duration int64, fault string) {
		w, err := evidence.NewWriter(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		w.ForRun(d.run.Requests, d.out)
		ex := answeredExchange("e1", string(body))
		ex.Header.Add(name, value)
		ex.Status, ex.Duration = status, time.Duration(duration&(1<<47-1)) // up to 39 hours, longer than any run
		if fault != "" {
			ex.Body, ex.Fault = nil, &exchange.Fault{Kind: exchange.Transport, Detail: fault}
		}
		answered := *ex
		w.Sent(w.Sending(), ex, agent)
		var archive bytes.Buffer
		if err := w.WriteArchive(&archive, evidence.RecordOf(d.run, d.out, nil)); err != nil {
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
			is.Length() != len(body) {
			t.Errorf("the body had %d bytes, and is said to have %d", len(body), is.Length())
		}
		if again, err := e.Do(context.Background(), ex.Probe); err == nil &&
			d.verdicts(again) != d.verdicts(&answered) {
			t.Errorf("it is judged otherwise now: was %q, is %q", body, again.Body)
		}
	})
}

// verdicts says which requirements an exchange witnesses and which it breaks.
func (f *fixture) verdicts(ex *exchange.Exchange) string {
	result := f.run.Suite.Judge(ex)
	list := []string{fmt.Sprint(result.Answer.Served(), result.Answer.DisclosesData())}
	for id, row := range result.Rows {
		list = append(list, fmt.Sprint(id, row.Witnesses, row.Count))
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}
