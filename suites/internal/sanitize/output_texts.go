package sanitize

import (
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Clean returns a text without secrets. It may have characters that are not safe to print.
func (o *Output) Clean(text string) string { return o.known().Clean(text) }

// Identifier returns a text, such as the id of a user, that is replaced as a whole if it has a secret.
func (o *Output) Identifier(id string) string { return o.known().String(id) }

// Text returns a text on one line, without secrets and safe to print. If limit is over 0 it has at most that many
// characters.
func (o *Output) Text(text string, limit int) string { return Printable(o.Clean(text), limit) }

// Texts is Text for each text of a list.
func (o *Output) Texts(list []string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = o.Text(text, 0)
	}
	return shown
}

// Observed returns what a target showed of itself, each text as Text. Of a header, which may have a user's value, only
// what can be shown of that.
func (o *Output) Observed(all map[schemas.Version]exchange.Observed) map[schemas.Version]exchange.Observed {
	shown := map[schemas.Version]exchange.Observed{}
	for v, one := range all {
		one.Server = o.sent(one.Server)
		if one.TLS != nil {
			one.TLS = new(*one.TLS)
			one.TLS.Issuer = o.Text(one.TLS.Issuer, maxSent)
		}
		shown[v] = one
	}
	return shown
}

// Lines is Text for a text of several lines.
func (o *Output) Lines(text string) string { return PrintableLines(o.Clean(text)) }

// Error returns the text of an error on one line. What a target or a users file sent in it (exchange.Sent) is cut or,
// if values are hidden, described.
func (o *Output) Error(err error) string { return o.Text(o.message(err), 0) }

// ErrorLines is Error for an error of several lines.
func (o *Output) ErrorLines(err error) string { return o.Lines(o.message(err)) }

func (o *Output) message(err error) string {
	text, places := err.Error(), 1
	if o.Hides() {
		places = -1 // the text before a value may have the same characters
	}
	for _, part := range sentIn(err) {
		shown := ""
		switch sent := part.(type) {
		case *exchange.Fault:
			shown = o.Fault(*sent).Detail
		case exchange.Sent:
			shown = o.sent(string(sent))
		}
		text = strings.Replace(text, part.Error(), shown, places)
	}
	return text
}

// sent returns the beginning of a text from a target or a users file or, if values are hidden, its type and length.
func (o *Output) sent(text string) string {
	if text == "" {
		return ""
	}
	return o.either(o.Text(text, maxSent), describe(o.Clean(text)))
}

// maxSent is how many characters of what a target sent an error shows.
const maxSent = 200

// sentIn returns the parts of an error that have text from a target or a users file: faults, and what was sent.
func sentIn(err error) (list []error) {
	switch e := err.(type) {
	case *exchange.Fault, exchange.Sent:
		if e.Error() != "" {
			list = append(list, e)
		}
	case interface{ Unwrap() error }:
		list = sentIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			list = append(list, sentIn(one)...)
		}
	}
	return list
}
