package sanitize

import (
	"cmp"
	"strconv"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// Value returns a value of an answer as JSON of at most limit characters or, if values are hidden, its type and length.
func (o *Output) Value(e strictjson.Excerpt, limit int) string {
	switch {
	case !o.Hides():
		return printable(o.beginning(e.Beginning), limit)
	case o.known().Found(e.Text): // not even the length of a secret is shown
		return o.known().redacted
	}
	return describeExcerpt(e)
}

// TypedValue is Value after the type of the value, unless Value has it already, as null has.
func (o *Output) TypedValue(e strictjson.Excerpt, limit int) string {
	value := o.Value(e, limit)
	if e.Type == e.Text {
		return value
	}
	return o.either(e.Type+" "+value, value)
}

// JSON is Value for a value of which everything up to the limit is shown.
func (o *Output) JSON(value any, limit int) string {
	if o.Hides() {
		return o.Value(strictjson.ExcerptOf(value), limit)
	}
	return o.known().ShowJSON(value, limit)
}

// Body returns the beginning of a body or, if values are hidden, its size.
func (o *Output) Body(begin strictjson.Beginning, size, limit int) string {
	return o.either(printable(o.beginning(begin), limit), wording.Count(size, "byte"))
}

// beginning returns a beginning without secrets. The whole text has as many characters more than it as before.
func (o *Output) beginning(b strictjson.Beginning) strictjson.Beginning {
	rest := max(0, b.Characters-utf8.RuneCountInString(b.Text))
	b.Text = o.Clean(b.Text)
	b.Characters = utf8.RuneCountInString(b.Text) + rest
	return b
}

// List returns what was seen at an open point that shows values of users.
func (o *Output) List(parts []string, different int) []string {
	if !o.Hides() {
		return parts
	}
	return []string{wording.Count(different, "different value")}
}

// Pointer returns a JSON Pointer into an answer. If values are hidden it has no number, which may be the name of a
// member.
func (o *Output) Pointer(pointer string) string {
	tokens, _ := strictjson.Tokens(pointer) // none if it is no pointer
	shown := ""
	for _, token := range tokens {
		name := o.shownName(token)
		if _, err := strconv.ParseUint(token, 10, 64); err == nil || token == "*" {
			name = o.either(token, "*")
		}
		shown = strictjson.Pointer(shown, o.Identifier(name))
	}
	return Printable(shown, maxPointer)
}

// maxPointer is how many characters of a pointer are shown.
const maxPointer = 300

// MemberName returns the name of an undocumented member, quoted.
func (o *Output) MemberName(name string) string {
	return o.known().ShowJSON(o.Identifier(o.shownName(name)), 60)
}

// shownName returns the name of a member or, if values are hidden and it is undocumented, what takes its place.
func (o *Output) shownName(name string) string {
	if !o.Hides() {
		return name
	}
	return o.names.shown(name)
}

// Withheld describes a body that is not kept; if values are hidden without its digest.
func (o *Output) Withheld(w exchange.Withheld) *exchange.Withheld {
	w.Digest = o.either(w.Digest, "")
	return &w
}

// Fault returns the reason why there is no whole answer. If values are hidden it quotes nothing of the answer.
func (o *Output) Fault(f exchange.Fault) exchange.Fault {
	hidden := cmp.Or(f.Plain, "no whole answer came; why is hidden (setting values)")
	f.Detail = o.Text(o.either(f.Detail, hidden), 500)
	return f
}

// Curl returns a command that sends a probe again; "" if values are hidden and the command would need those of a user.
func (o *Output) Curl(r *requests.Requests, p exchange.Probe) string {
	if o.Hides() && p.Kind != exchange.UnknownUser {
		return ""
	}
	p.User = o.StoredUser(p)
	return o.Text(r.Curl(p, o.Clean), 0)
}
