package evidence

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

// Evidence is an archive that was read. It is a Store, and it answers probes as the target did.
type Evidence struct {
	Record   Record
	Settings *settings.Settings

	path   string
	digest string   // sha256:…
	all    []*Entry // in their order
	byID   map[string]*Entry
	last   map[exchange.Probe]int  // the place of a probe's last exchange among all
	sent   map[exchange.Probe]bool // requests that must be refused, whomever they were sent for

	out      *output // hides the values; nil if they are shown
	requests *requests.Requests
}

// Hide lets reports and archives have the evidence with its values hidden, by the key of a way out. What is judged is
// not hidden.
func (e *Evidence) Hide(requests *requests.Requests, out *output) { e.requests, e.out = requests, out }

// IsRedacted reports whether the header of some answer has something redacted.
func (e *Evidence) IsRedacted() bool {
	return slices.ContainsFunc(e.all, func(one *Entry) bool {
		return strings.Contains(fmt.Sprint(one.Header), sanitize.Redacted)
	})
}

// ErrHidden means that the values of an archive are hidden, so that they can't be judged.
var ErrHidden = errors.New("the values in it are hidden (_values), so it can't be judged again")

// Read reads an archive that this suite wrote, of a run that tested some of the given versions. Errors name the file
// and the place in it.
func Read(path string, versions []schemas.Version) (*Evidence, error) {
	if err := input.RefuseDevice(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the evidence can't be read: %w; name the evidence.har of a report folder", err)
	}
	defer file.Close()
	e, err := Parse(file, versions)
	if errors.Is(err, ErrHidden) {
		return nil, fmt.Errorf("%s: %w: it was recorded with --values hide; "+
			"judge evidence of a run with --values show, or run again", path, ErrHidden)
	}
	if _, other := errors.AsType[*strictjson.OtherFormat](err); other {
		return nil, fmt.Errorf("%s: %w; judge it with that release, or run again", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no evidence of this suite: %w; expected an evidence.har that conformance run "+
			"wrote, whole and unchanged", path, err)
	}
	e.path = path
	return e, nil
}

// Digest returns the digest of the archive, sha256:….
func (e *Evidence) Digest() string { return e.digest }

// WriteArchive copies the archive, without a byte order mark, to out, or writes it with its values hidden. It is an
// error if the file has changed since Read.
func (e *Evidence) WriteArchive(out io.Writer) error {
	if e.out != nil {
		return e.writeHidden(out)
	}
	content, err := os.ReadFile(e.path)
	if err != nil {
		return err
	}
	content = bytes.TrimPrefix(content, []byte(input.ByteOrderMark))
	if exchange.DigestOf(content) != e.digest {
		return fmt.Errorf("%s was changed while it was judged; judge it again", e.path)
	}
	_, err = out.Write(content)
	return err
}

// archive is what is read of an archive. Members that HAR and this suite do not know are left out.
type archive struct {
	Log struct {
		Creator struct {
			Version string `json:"version"`
		} `json:"creator"`
		Values  hiddenMember `json:"_values"`
		Entries []Entry      `json:"entries"`
		Run     *Record      `json:"_run"`
	} `json:"log"`
}

// hiddenMember is the member that only an archive with hidden values has.
type hiddenMember struct{}

// UnmarshalJSON returns that the values are hidden.
func (hiddenMember) UnmarshalJSON([]byte) error { return ErrHidden }

func (e *Evidence) writeHidden(out io.Writer) error {
	record := e.Record
	record.Values = settings.ValuesHide
	if record.Error != nil {
		record.Error = new(hiddenError)
	}
	record.Settings.Settings, record.Observed = *e.out.Settings(e.Settings), e.out.Observed(record.Observed)
	return writeArchive(out, record, func(yield func(io.Reader) bool) {
		for _, k := range e.all {
			if !yield(bytes.NewReader(e.shown(k).text())) {
				return
			}
		}
	})
}

// hiddenError is the error of a run that is judged again with its values hidden: the original text may quote an answer.
const hiddenError = "the run itself was not carried out to its end; why is hidden (setting values), " +
	"and is in the evidence that was judged"

// shown returns an exchange as it is shown.
func (e *Evidence) shown(k *Entry) *Entry {
	if e.out == nil {
		return k
	}
	return stored(e.out, e.requests, &k.Exchange, k.Sent.Get("User-Agent"))
}

// Parse reads an archive entry by entry, as Read. A byte order mark is no part of it. Errors name the place in it by a
// JSON Pointer.
func Parse(reader io.Reader, versions []schemas.Version) (*Evidence, error) {
	digest, text := sha256.New(), bufio.NewReader(reader)
	if begin, _ := text.Peek(len(input.ByteOrderMark)); string(begin) == input.ByteOrderMark {
		_, _ = text.Discard(len(begin)) // they were read
	}
	var read archive
	if err := json.UnmarshalRead(io.TeeReader(text, digest), &read); err != nil {
		if other, ok := errors.AsType[*strictjson.OtherFormat](err); ok {
			return nil, strictjson.OtherFormatOf(other.Format, read.Log.Creator.Version)
		}
		return nil, err
	}
	if read.Log.Run == nil {
		return nil, errors.New("log._run is missing")
	}
	e := &Evidence{Record: *read.Log.Run, digest: fmt.Sprintf("sha256:%x", digest.Sum(nil)),
		byID: map[string]*Entry{}, last: map[exchange.Probe]int{}, sent: map[exchange.Probe]bool{}}
	for i := range read.Log.Entries {
		k := &read.Log.Entries[i]
		e.all, e.byID[k.Probe.ID] = append(e.all, k), k
		key := k.Probe
		key.ID = ""
		e.last[key] = i // if the target throttled there are several, and the last counts
		if !key.WellFormed() {
			e.sent[ofAnybody(key)] = true
		}
	}
	var err error
	e.Settings, err = e.Record.settings(versions)
	return e, err
}

// judgeable reports whether an exchange can be judged again with the same result.
func judgeable(k *Entry) bool {
	ended := k.Fault != nil && k.Fault.Kind == exchange.Ended
	return k.Altered == "" && !k.Partial() && !ended
}

// Entry returns an exchange by its id, or an error that wraps ErrNotRecorded.
func (e *Evidence) Entry(id string) (*Entry, error) {
	if k, ok := e.byID[id]; ok {
		return e.shown(k), nil
	}
	return nil, fmt.Errorf("%s: %w", id, exchange.ErrNotRecorded)
}

// Do returns the stored exchange of a probe, with its original id. If there is none, the error wraps ErrNotRecorded.
func (e *Evidence) Do(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	key := p
	key.ID = ""
	i, ok := e.last[key]
	if !ok || !judgeable(e.all[i]) {
		return nil, fmt.Errorf("%s: %w", p.ID, exchange.ErrNotRecorded)
	}
	ex := e.all[i].Exchange // a copy, because the caller may drop the body
	return &ex, nil
}

// Around returns the answers to the controls before and after the last exchange of a probe, of the same operation and
// version (J23); nil for one that there is not.
func (e *Evidence) Around(p exchange.Probe) (before, after *exchange.Exchange) {
	p.ID = ""
	position, ok := e.last[p]
	if !ok {
		return nil, nil
	}
	isControl := func(k *Entry) bool {
		return k.Probe.Control && k.Probe.Operation == p.Operation && k.Probe.Version == p.Version
	}
	for _, k := range slices.Backward(e.all[:position]) {
		if isControl(k) {
			before = &k.Exchange
			break
		}
	}
	if i := slices.IndexFunc(e.all[position+1:], isControl); i >= 0 {
		after = &e.all[position+1+i].Exchange
	}
	return before, after
}

// Unfit reports whether the exchange of a probe is there, but can't be judged again: its body was not kept as a whole,
// or a request that must be refused was sent for another user, whose answers were.
func (e *Evidence) Unfit(p exchange.Probe) bool {
	p.ID = ""
	i, ok := e.last[p]
	return ok && !judgeable(e.all[i]) || !p.WellFormed() && e.sent[ofAnybody(p)]
}

func ofAnybody(p exchange.Probe) exchange.Probe {
	p.User, p.Position = exchange.User{}, 0
	return p
}

// err returns why the original run could not be carried out to its end, or nil.
func (e *Evidence) err() error {
	switch {
	case e.Record.Error == nil:
		return nil
	case e.Settings.Values == settings.ValuesHide:
		return errors.New(hiddenError)
	}
	return errors.New(*e.Record.Error)
}

// Run returns the original run, to be judged again.
func (e *Evidence) Run() result.Past {
	return result.Past{ID: e.Record.ID, Started: e.Record.Started, Finished: e.Record.Finished,
		Target: e.Record.Settings.Target, Evidence: e, Counts: e.Record.Counts, Observed: e.Record.Observed,
		Unknown: e.Record.Unknown, Digest: e.Digest(), Err: e.err()}
}
