package sanitize

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
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

// User returns the user of a probe for a message, with the comment name if the users file has one. A hidden user is
// named by the position.
func (o *Output) User(p exchange.Probe) string {
	user := o.StoredUser(p)
	if o.Hides() {
		return user.UserID
	}
	text := o.known().ShowJSON(user.UserID, 80)
	if user.Name != "" {
		text += " (" + Printable(user.Name, 100) + ")"
	}
	return text
}

// UserID returns the id of a user for a message, quoted.
func (o *Output) UserID(id string) string {
	id = o.Identifier(id)
	return o.either(o.known().ShowJSON(id, 80), describe(id))
}

// StoredUser returns the user of a probe as files have it. If values are hidden it has the position in the users
// file, from 1. The user whom no target knows is not hidden.
func (o *Output) StoredUser(p exchange.Probe) exchange.User {
	u := p.User
	if !o.Hides() || p.Kind == exchange.UnknownUser {
		u.ID, u.UserID, u.Name = o.Identifier(u.ID), o.Identifier(u.UserID), o.Clean(u.Name)
		return u
	}
	place := describe(o.Identifier(u.UserID))
	if n := cmp.Or(p.Position, o.positions[p.User]); n > 0 {
		place = strconv.Itoa(n)
	}
	return exchange.User{ID: describe(o.Identifier(u.ID)), UserID: place, Enrolled: u.Enrolled}
}

// Settings returns the settings as evidence has them: those with a JSON name, without secrets.
func (o *Output) Settings(s *settings.Settings) *settings.Settings {
	shown := *s
	shown.Users = slices.Clone(s.Users)
	for i, user := range shown.Users {
		shown.Users[i] = o.StoredUser(exchange.Probe{User: user})
	}
	text, _ := json.Marshal(shown)        // texts, numbers and lists of them
	value, _ := strictjson.Decode(text)   // which are one JSON text
	text, _ = json.Marshal(o.each(value)) // and so are those without secrets
	var stored settings.Settings
	_ = json.Unmarshal(text, &stored)
	return &stored
}

// each returns a decoded value in which each string is without secrets.
func (o *Output) each(value any) any {
	switch v := value.(type) {
	case string:
		return o.Clean(v)
	case []any:
		for i := range v {
			v[i] = o.each(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = o.each(v[name])
		}
	}
	return value
}
