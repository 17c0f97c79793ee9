package page

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// example is an answer, or a pair of answers, with all findings of a row in it and the requests.
type example struct {
	First    bool // the first of its row: shown unfolded
	Name     string
	Findings []report.Finding
	More     string   // how many findings are not shown
	NotShown []string // reasons for which no exchange is shown
	Response *response
	Diff     *diff
	Request  *request
	Repeat   []repeat
}

// request is a request as it was sent.
type request struct {
	Line    string // method and URL
	Headers []string
	Body    []part
	Open    bool // shown unfolded: the request was altered on purpose, which explains the finding
}

// response is a response as it was received.
type response struct {
	Name    string // which of the two it is
	Status  string
	Headers []string
	Body    []part
	Notes   []string
}

// repeat is a curl command that repeats a request.
type repeat struct{ Name, Line string }

// Limits on an example.
const (
	longestRepeat = 8000 // bytes
	maxHeaders    = 40
)

// exampleOf collects requests, responses and findings of one answer.
func (b *builder) exampleOf(version string, found answers, first bool) *example {
	b.charge(exampleMarkup)
	e := &example{First: first}
	for _, f := range found[:min(len(found), maxPlaces)] {
		b.charge(placeMarkup)
		e.Findings = append(e.Findings, report.Finding{Exchange: b.name(f.Exchange), Kind: b.name(f.Kind),
			Pointer: b.cut(f.Pointer, longestPointer), Expected: b.text(f.Expected), Actual: b.text(f.Actual)})
	}
	e.More = b.rest(len(found)-len(e.Findings), "place", "places")
	e.Name = e.Findings[0].Exchange
	from, _, _ := strings.Cut(version, "=")
	b.addRepeat(e, "Send the request of "+from+" again", found[0].RepeatAgainst)
	b.addRepeat(e, "Send the request again", found[0].Repeat)

	kept := b.loadExchange(found[0].Exchange, e)
	if kept == nil {
		return e
	}
	e.Name = b.nameOf(kept)
	e.Request = b.requestOf(kept)
	if against := b.loadExchange(found[0].Against, e); against != nil {
		e.Diff = b.diffOf(against, kept, found)
		return e
	}
	r := b.responseOf(kept)
	shown := b.body(kept)
	for _, f := range found {
		shown.highlight(f.Pointer)
	}
	r.Body, r.Notes = b.parts(excerpt(shown.lines())), append(r.Notes, shown.notes...)
	e.Response = &r
	return e
}

// addRepeat adds a command that repeats a request. A command that is too long is left out: cut short, it would send
// another request.
func (b *builder) addRepeat(e *example, name, line string) {
	if line = report.Printable(line, 0); line != "" && len(line) <= longestRepeat {
		b.charge(sizeOf(line))
		e.Repeat = append(e.Repeat, repeat{name, line})
	}
}

// inEvidence is the sentence that refers to the evidence file for an exchange that the page does not show.
func inEvidence(id string) string {
	return fmt.Sprintf("exchange %s is in %s", id, report.EvidenceFile)
}

// loadExchange returns the exchange with an id. If the page can't show it, it returns nil and adds the reason to the
// example. An empty id needs no reason.
func (b *builder) loadExchange(id string, e *example) *evidence.Entry {
	notShown := func(why string) *evidence.Entry {
		e.NotShown = append(e.NotShown, why)
		return nil
	}
	switch {
	case id == "":
		return nil
	case b.store == nil:
		return notShown("Not shown here: " + inEvidence(b.name(id)) + ".")
	}
	kept, err := b.store.Entry(id)
	switch {
	case err != nil:
		return notShown(fmt.Sprintf("Exchange %s could not be read: %s", b.name(id), b.text(err.Error())))
	case kept == nil:
		return notShown(fmt.Sprintf("Exchange %s was not kept.", b.name(id)))
	case len(kept.Body) > b.bodies:
		return notShown("Left out, as the page has read as much as it may: " + inEvidence(b.name(id)) + ".")
	}
	b.bodies -= len(kept.Body)
	return kept
}

// nameOf describes the user of an exchange and the kind of request.
func (b *builder) nameOf(k *evidence.Entry) string {
	name := strconv.Quote(k.Probe.User.UserID)
	if k.Probe.User.Name != "" {
		name += " (" + k.Probe.User.Name + ")"
	}
	return b.text(fmt.Sprintf("%s of %s for user %s: %s", k.Probe.Operation, k.Probe.Version, name, k.Probe.Name()))
}

func (b *builder) requestOf(k *evidence.Entry) *request {
	r := &request{Line: b.text(k.Method + " " + k.URL), Headers: b.headers(k.Sent), Open: !k.Probe.WellFormed()}
	if k.SentBody != "" {
		r.Body = b.parts(excerpt(formatBody([]byte(k.SentBody), false).lines()))
	}
	return r
}

func (b *builder) responseOf(k *evidence.Entry) response {
	r := response{Status: "no status line came back", Headers: b.headers(k.Header)}
	if k.Status != 0 {
		r.Status = b.text(strings.TrimSpace(fmt.Sprintf("%s %d %s", k.Proto, k.Status, http.StatusText(k.Status))))
	}
	if k.Fault != nil {
		r.Notes = append(r.Notes, b.text(fmt.Sprintf("No whole answer (%s): %s", k.Fault.Kind, k.Fault.Detail)))
	}
	if k.Cut != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("The evidence keeps the first %s of %s; the whole body is %s.",
			wording.Count(len(k.Body), "byte"), wording.Count(k.Cut.Size, "byte"), b.name(k.Cut.Digest)))
	}
	if k.Withheld != nil {
		note := fmt.Sprintf("The body is not kept, as %s: of its %s the evidence keeps the digest, %s",
			k.Withheld.Reason(), wording.Count(k.Withheld.Size, "byte"), b.name(k.Withheld.Digest))
		if len(k.Body) > 0 {
			note += ", and the JSON value that can be read in it"
		}
		r.Notes = append(r.Notes, note+".")
	}
	return r
}

// headers returns the headers as lines, sorted by name.
func (b *builder) headers(h http.Header) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			if len(list) == maxHeaders {
				return append(list, "… and more")
			}
			list = append(list, b.cut(strings.TrimSuffix(name+": "+value, ": "), longestValue))
		}
	}
	return list
}
