package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
)

// example is one finding of a cause, with what was sent and what came back.
type example struct {
	First    bool // of its cause: shown without a click
	Name     string
	Finding  report.Finding
	Lost     []string // why no exchange is shown
	Response *response
	Diff     *diff
	Request  *request
}

// request is what was sent.
type request struct {
	Line    string // method and URL
	Headers []header
	Body    []part
	Open    bool // what was altered in it is the point
}

// response is what came back.
type response struct {
	Status  string
	Headers []header
	Body    []part
	Notes   []string
}

type header struct{ Name, Value string }

// diff is one answer held against another.
type diff struct {
	Left, Right answer
	OtherStatus bool // the two differ in it
	Rows        []diffRow
}

// answer heads a column of a diff.
type answer struct {
	Name     string
	Response response
}

// longestRepeat is how long a line may be that sends a request again, in bytes.
const longestRepeat = 8000

// plainExample is a finding without its exchanges.
func (b *builder) plainExample(f report.Finding, first bool) example {
	e := example{First: first, Finding: report.Finding{
		Exchange: b.text(f.Exchange), Pointer: b.text(f.Pointer), Expected: b.text(f.Expected), Actual: b.text(f.Actual),
	}}
	// A line that was cut would send another request.
	whole := func(line string) string {
		if line = redact.Printable(line, 0); len(line) <= longestRepeat {
			return line
		}
		return ""
	}
	e.Finding.Repeat, e.Finding.RepeatAgainst = whole(f.Repeat), whole(f.RepeatAgainst)
	return e
}

// exampleOf fetches what belongs to a finding.
func (b *builder) exampleOf(f report.Finding, first bool) example {
	e := b.plainExample(f, first)
	kept := b.kept(f.Exchange, &e)
	if kept == nil {
		return e
	}
	e.Name = b.nameOf(kept)
	e.Request = b.requestOf(kept)
	if against := b.kept(f.Against, &e); against != nil {
		e.Diff = b.diffOf(against, kept, f)
		return e
	}
	r := b.responseOf(kept)
	lines, notes := b.body(kept, f.Pointer)
	r.Body, r.Notes = parts(excerpt(lines)), append(r.Notes, notes...)
	e.Response = &r
	return e
}

// inEvidence is where an exchange that the page does not show can be read.
func inEvidence(id string) string {
	return fmt.Sprintf("exchange %s stands in %s", id, report.EvidenceFile)
}

// kept gives an exchange; where it can't be given the example says why.
func (b *builder) kept(id string, e *example) *evidence.Kept {
	switch {
	case id == "":
		return nil
	case b.shelf == nil:
		e.Lost = append(e.Lost, "Not shown here: "+inEvidence(b.text(id))+".")
		return nil
	}
	kept, err := b.shelf.Kept(id)
	switch {
	case err != nil:
		e.Lost = append(e.Lost, fmt.Sprintf("Exchange %s could not be read: %s", b.text(id), b.text(err.Error())))
		return nil
	case kept == nil:
		e.Lost = append(e.Lost, fmt.Sprintf("Exchange %s was not kept.", b.text(id)))
	case len(kept.Body) > b.work:
		e.Lost = append(e.Lost, fmt.Sprintf("Left out, as the page has read as much as it may: %s.", inEvidence(b.text(id))))
		return nil
	default:
		b.work -= len(kept.Body)
	}
	return kept
}

// nameOf says whom an exchange was about and what was sent.
func (b *builder) nameOf(k *evidence.Kept) string {
	name := fmt.Sprintf("user %s", redact.Printable(quoted(k.Probe.User.UserID), 80))
	if k.Probe.User.Name != "" {
		name += " (" + redact.Printable(k.Probe.User.Name, 100) + ")"
	}
	return fmt.Sprintf("%s of %s for %s: %s", b.text(string(k.Probe.Operation)), b.text(string(k.Probe.Version)), name, b.text(k.Probe.Name()))
}

// quoted is a string as JSON, as findings write it too.
func quoted(s string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string always has a JSON form
	return strings.TrimSuffix(out.String(), "\n")
}

func (b *builder) requestOf(k *evidence.Kept) *request {
	r := &request{
		Line:    b.text(k.Method + " " + k.URL),
		Headers: b.headers(k.Sent),
		Open:    !k.Probe.WellFormed(),
	}
	if k.SentBody != "" {
		lines, _ := laidOut([]byte(k.SentBody), false, "")
		r.Body = parts(excerpt(lines))
	}
	return r
}

func (b *builder) responseOf(k *evidence.Kept) response {
	r := response{Status: "no status line came back", Headers: b.headers(k.Header)}
	if k.Status != 0 {
		r.Status = b.text(strings.TrimSpace(fmt.Sprintf("%s %d %s", k.Proto, k.Status, http.StatusText(k.Status))))
	}
	if k.Fault != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("No whole answer (%s): %s", b.text(string(k.Fault.Kind)), b.text(k.Fault.Detail)))
	}
	if k.Cut != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("The evidence keeps the first %s of %s; the whole body is %s.",
			bytesOf(len(k.Body)), bytesOf(k.Cut.Size), b.text(k.Cut.Digest)))
	}
	if k.Withheld != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("The body is not kept, as %s: of its %s the evidence keeps the digest, %s%s",
			k.Withheld.Reason(), bytesOf(k.Withheld.Size), b.text(k.Withheld.Digest), readable(k)))
	}
	return r
}

// readable ends the note about a body that is not kept.
func readable(k *evidence.Kept) string {
	if len(k.Body) == 0 {
		return "."
	}
	return ", and the JSON value that can be read in it."
}

// body lays out an answer's body with the finding's place marked, and says what can't be seen in it.
func (b *builder) body(k *evidence.Kept, pointer string) ([]line, []string) {
	switch {
	case k.LetGo:
		return nil, []string{"The body was judged and then not kept, as there was no room for it."}
	case k.Fault != nil && len(k.Body) == 0:
		return nil, nil
	case k.Empty():
		return nil, []string{"The body is empty."}
	case len(k.Body) == 0:
		return nil, nil
	}
	return laidOut(k.Body, k.Cut != nil, pointer)
}

// laidOut is a body line by line, with what there is to say about it.
func laidOut(body []byte, cut bool, pointer string) ([]line, []string) {
	n, ok := parse(body, cut)
	if !ok {
		return plainLines(string(body)), []string{"The body is no JSON; it is shown as text."}
	}
	n.point(pointer)
	return n.lines(), n.notes(cut)
}

// notes says of a body that is not cut that it was too large to be read whole.
func (n *node) notes(cut bool) []string {
	if n.broken && !cut {
		return []string{"The body is large; only its beginning was read for this page."}
	}
	return nil
}

// point marks the place that a JSON Pointer names, or the nearest one around it that is there. The whole body is no
// place to mark.
func (n *node) point(pointer string) {
	if tokens, err := strictjson.Tokens(pointer); err == nil && len(tokens) > 0 {
		n.at(tokens).mark = true
	}
}

// headers are sorted by name.
func (b *builder) headers(h http.Header) []header {
	var list []header
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			list = append(list, header{b.text(name), b.text(value)})
		}
	}
	kept, more := upTo(b.maker, list)
	if more != "" {
		kept = append(slices.Clone(kept), header{Name: more})
	}
	return kept
}
