package evidence

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

// Evidence is an archive that was read. It is a Store, and it answers probes as the target did.
type Evidence struct {
	Record   Record
	Settings *settings.Settings

	path    string
	digest  string // sha256:…
	byProbe map[exchange.Probe]*Entry
	unfit   map[exchange.Probe]bool // what can't be judged again
	// positions has the place of a probe's last exchange among all.
	positions map[exchange.Probe]int
	byID      map[string]*Entry
	all       []*Entry // in their order
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
	if err != nil {
		return nil, fmt.Errorf("%s is no evidence of this suite: %w; expected an evidence.har that conformance run "+
			"wrote, whole and unchanged", path, err)
	}
	e.path = path
	return e, nil
}

// Digest returns the digest of the archive, sha256:….
func (e *Evidence) Digest() string { return e.digest }

// WriteArchive copies the archive to out. It is an error if the file has changed since Read.
func (e *Evidence) WriteArchive(out io.Writer) error {
	content, err := os.ReadFile(e.path)
	if err != nil {
		return err
	}
	if exchange.DigestOf(content) != e.digest {
		return fmt.Errorf("%s was changed while it was judged; judge it again", e.path)
	}
	_, err = out.Write(content)
	return err
}

// Parse reads an archive entry by entry, as Read. Errors name the place in it.
func Parse(reader io.Reader, versions []schemas.Version) (*Evidence, error) {
	e := &Evidence{byProbe: map[exchange.Probe]*Entry{}, unfit: map[exchange.Probe]bool{}, byID: map[string]*Entry{},
		positions: map[exchange.Probe]int{}}
	digest := sha256.New()
	dec := json.NewDecoder(bufio.NewReaderSize(io.TeeReader(reader, digest), 1<<16))
	recorded := false
	err := object(dec, func(name string) error {
		if name != "log" {
			return skip(dec)
		}
		return object(dec, func(name string) error {
			switch name {
			case "entries":
				return e.readEntries(dec)
			case valuesMember:
				return ErrHidden
			case "_run":
				if recorded {
					return errors.New("log._run: occurs twice")
				}
				recorded = true
				return e.record(dec)
			}
			return skip(dec)
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the archive, at byte %d", dec.InputOffset())
	}
	if !recorded {
		return nil, errors.New("log._run is missing")
	}
	e.digest = fmt.Sprintf("sha256:%x", digest.Sum(nil))
	if e.Settings, err = e.Record.settings(versions); err != nil {
		return nil, err
	}
	return e, nil
}

// record reads the member _run. Unknown members are errors, because they could change a verdict.
func (e *Evidence) record(dec *json.Decoder) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return fmt.Errorf("log._run: %w", err)
	}
	if err := strictjson.Valid(raw); err != nil {
		return fmt.Errorf("log._run: %w", err)
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&e.Record); err != nil {
		return fmt.Errorf("log._run: %w", err)
	}
	if e.Record.Values != "" {
		return ErrHidden
	}
	return nil
}

func (e *Evidence) readEntries(dec *json.Decoder) error {
	if err := opens(dec, '['); err != nil {
		return fmt.Errorf("log.entries: %w", err)
	}
	for i := 0; dec.More(); i++ {
		var one entry
		err := dec.Decode(&one)
		var stored *Entry
		if err == nil {
			stored, err = one.stored()
		}
		if err != nil {
			return fmt.Errorf("log.entries[%d]: %w", i, err)
		}
		e.byID[one.Exchange], e.all = stored, append(e.all, stored)
		key := stored.Probe
		key.ID = ""
		e.positions[key] = i
		e.byProbe[key] = stored // if the target throttled there are several, and the last counts
		if e.unfit[key] = !judgeable(stored); e.unfit[key] {
			delete(e.byProbe, key)
		}
		if !key.WellFormed() {
			e.unfit[ofAnybody(key)] = true
		}
	}
	_, err := dec.Token()
	return err
}

// judgeable reports whether an exchange can be judged again with the same result.
func judgeable(k *Entry) bool {
	ended := k.Fault != nil && k.Fault.Kind == exchange.Ended
	return k.Altered == "" && !k.Partial() && !ended
}

// Entry returns an exchange by its id, or an error that wraps ErrNotRecorded.
func (e *Evidence) Entry(id string) (*Entry, error) {
	if k, ok := e.byID[id]; ok {
		return k, nil
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
	k, ok := e.byProbe[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", p.ID, exchange.ErrNotRecorded)
	}
	ex := k.Exchange // a copy, because the caller may drop the body
	return &ex, nil
}

// HasControls reports whether the run asked controls (J23).
func (e *Evidence) HasControls() bool {
	return slices.ContainsFunc(e.all, func(k *Entry) bool { return k.Probe.Control })
}

// Around returns the answers to the controls before and after the last exchange of a probe, of the same operation and
// version (J23); nil for one that there is not.
func (e *Evidence) Around(p exchange.Probe) (before, after *exchange.Exchange) {
	p.ID = ""
	position, ok := e.positions[p]
	if !ok {
		return nil, nil
	}
	isControl := func(k *Entry) bool {
		return k.Probe.Control && k.Probe.Operation == p.Operation && k.Probe.Version == p.Version
	}
	for i := position - 1; i >= 0 && before == nil; i-- {
		if isControl(e.all[i]) {
			before = &e.all[i].Exchange
		}
	}
	for i := position + 1; i < len(e.all) && after == nil; i++ {
		if isControl(e.all[i]) {
			after = &e.all[i].Exchange
		}
	}
	return before, after
}

// Unfit reports whether the exchange of a probe is there, but can't be judged again: its body was not kept as a whole,
// or a request that must be refused was sent for another user, whose answers were.
func (e *Evidence) Unfit(p exchange.Probe) bool {
	p.ID = ""
	return e.unfit[p] || !p.WellFormed() && e.unfit[ofAnybody(p)]
}

func ofAnybody(p exchange.Probe) exchange.Probe {
	p.User, p.Position = exchange.User{}, 0
	return p
}

// Observed returns what each version showed of itself.
func (e *Evidence) Observed() map[schemas.Version]exchange.Observed { return e.Record.Observed }

// Counts returns how many requests the original run sent.
func (e *Evidence) Counts() exchange.Counts { return e.Record.Counts }

// Close does nothing; the archive is in memory.
func (e *Evidence) Close() {}

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
		Target: e.Record.Settings.Target, Sender: e, Around: e.Around,
		Unknown: e.Record.Unknown, Digest: e.Digest(), Err: e.err()}
}

// object reads a JSON object and calls member for each name; member must read the value.
func object(dec *json.Decoder, member func(name string) error) error {
	if err := opens(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return fmt.Errorf("expected a member's name at byte %d", dec.InputOffset())
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

func opens(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("expected %s at byte %d", want, dec.InputOffset())
	}
	return nil
}

func skip(dec *json.Decoder) error {
	var ignored json.RawMessage
	return dec.Decode(&ignored)
}
