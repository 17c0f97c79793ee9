package page

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
)

// Limits on the examples of a row, and on what is read and shown for them.
const (
	maxExamples = 8        // answers, or pairs of answers
	maxUsers    = 3        // users for whom an example is shown
	maxBodies   = 64 << 20 // bytes of bodies that are parsed for a page
	maxHeaders  = 40
)

// example is an answer, or a pair of answers, with all findings of a row in it.
type example struct {
	From     string // the version that the answer is compared with, if any
	Findings []report.Finding
	NotShown []string        // reasons for which no exchange is shown
	Kept     *evidence.Entry // nil if it can't be shown
	Answer   *answer
	Diff     *diff
	Request  []line // body of the request

	reader *reader // nil once it is read
}

// answer is an answer as it was received.
type answer struct {
	Name   string // which of the two it is
	Status string
	Header http.Header
	Body   []line
	Notes  []string
}

// reader reads the exchanges of examples.
type reader struct {
	store evidence.Store    // may be nil
	left  int               // bytes of bodies that may still be parsed
	users map[string]string // by exchange, filled when needed
}

// addExamples adds examples to the rows. The first one of each row is read before any second one, which is read only if
// the page has room for it.
func addExamples(rows []*row, store evidence.Store) {
	r := &reader{store, maxBodies, map[string]string{}}
	for _, row := range rows {
		row.Examples = r.choose(row.Row)
		for _, e := range row.Examples[:min(1, len(row.Examples))] {
			e.Read()
		}
	}
}

// choose selects the answers of a row to show as examples: first one for each cause, unless an answer selected before
// shows it too, then those of other users.
func (r *reader) choose(row *report.Row) []*example {
	var all, chosen []*example
	index := map[[2]string]*example{}
	from, _, _ := strings.Cut(string(row.Version), "=")
	for _, f := range row.Findings {
		key := [2]string{f.Exchange, f.Against}
		if index[key] == nil {
			index[key] = &example{From: from, reader: r}
			all = append(all, index[key])
		}
		index[key].Findings = append(index[key].Findings, f)
	}
	users := map[string]bool{}
	add := func(e *example) {
		chosen = append(chosen, e)
		users[r.userOf(e.Findings[0].Exchange)] = true
	}
	for _, c := range row.Causes {
		has := func(e *example) bool { return slices.ContainsFunc(e.Findings, c.Includes) }
		if i := slices.IndexFunc(all, has); i >= 0 && !slices.ContainsFunc(chosen, has) && len(chosen) < maxExamples {
			add(all[i])
		}
	}
	for _, e := range all {
		if len(users) < maxUsers && len(chosen) < maxExamples && !users[r.userOf(e.Findings[0].Exchange)] {
			add(e)
		}
	}
	return chosen
}

// userOf returns a key for the user of an exchange. If the user is not known, each exchange counts as a user of its
// own.
func (r *reader) userOf(id string) string {
	if r.users[id] == "" {
		r.users[id] = "exchange " + id
		if r.store != nil && id != "" {
			if kept, err := r.store.Entry(id); err == nil {
				r.users[id] = fmt.Sprintf("user %q %q", kept.Probe.User.ID, kept.Probe.User.UserID)
			}
		}
	}
	return r.users[id]
}

// Read returns the example with its requests and answers.
func (e *example) Read() *example {
	r, first := e.reader, e.Findings[0]
	if e.reader = nil; r == nil {
		return e
	}
	if e.Kept = r.load(first.Exchange, e); e.Kept == nil {
		return e
	}
	if e.Kept.SentBody != "" {
		e.Request = excerpt(formatBody([]byte(e.Kept.SentBody), false, false).lines)
	}
	if against := r.load(first.Against, e); against != nil {
		e.Diff = diffOf(against, e.Kept, e.Findings)
		return e
	}
	shown := bodyOf(e.Kept, false)
	for _, f := range e.Findings {
		if shown.isJSON {
			highlight(shown.lines, f.Pointer)
		}
	}
	e.Answer = answerOf(e.Kept, shown)
	e.Answer.Body = excerpt(shown.lines)
	return e
}

// load returns the exchange with an id. If the page can't show it, it returns nil and adds the reason to the example.
// An empty id needs no reason.
func (r *reader) load(id string, e *example) *evidence.Entry {
	var kept *evidence.Entry
	var err error
	why := ""
	if id != "" && r.store != nil {
		kept, err = r.store.Entry(id)
	}
	switch {
	case id == "":
		return nil
	case r.store == nil:
		why = fmt.Sprintf("Not shown here: exchange %s is in %s.", id, report.EvidenceFile)
	case err != nil:
		why = fmt.Sprintf("Exchange %s could not be read: %s", id, err)
	case len(kept.Body) > r.left:
		why = fmt.Sprintf("Left out, as the page has read as much as it may: exchange %s is in %s.", id,
			report.EvidenceFile)
	default:
		r.left -= len(kept.Body)
		return kept
	}
	e.NotShown = append(e.NotShown, why)
	return nil
}

// Name describes the user of the exchange and the kind of request.
func (e *example) Name() string {
	if e.Kept == nil {
		return e.Findings[0].Exchange
	}
	probe := e.Kept.Probe
	user := strconv.Quote(probe.User.UserID)
	if probe.User.Name != "" {
		user += " (" + probe.User.Name + ")"
	}
	return fmt.Sprintf("%s of %s for user %s: %s", probe.Operation, probe.Version, user, probe.Name())
}

// answerOf returns an answer without its body.
func answerOf(k *evidence.Entry, shown *body) *answer {
	a := &answer{Status: "no status line came back", Header: k.Header}
	if k.Status != 0 {
		a.Status = strings.TrimSpace(fmt.Sprintf("%s %d %s", k.Proto, k.Status, http.StatusText(k.Status)))
	}
	if k.Fault != nil {
		a.Notes = append(a.Notes, fmt.Sprintf("No whole answer (%s): %s", k.Fault.Kind, k.Fault.Detail))
	}
	if k.Cut != nil {
		note := fmt.Sprintf("The evidence keeps the first %s of %s", wording.Count(len(k.Body), "byte"),
			wording.Count(k.Cut.Size, "byte"))
		if k.Cut.Digest != "" {
			note += "; the whole body is " + k.Cut.Digest
		}
		a.Notes = append(a.Notes, note+".")
	}
	if k.Withheld != nil {
		a.Notes = append(a.Notes, "A body "+k.Withheld.String()+".")
	}
	a.Notes = append(a.Notes, shown.notes...)
	return a
}

// headers returns headers as lines, sorted by name.
func (f *frame) headers(h http.Header) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			if len(list) == maxHeaders {
				return append(list, "… and more")
			}
			list = append(list, f.place(strings.TrimSuffix(name+": "+value, ": ")))
		}
	}
	return list
}
