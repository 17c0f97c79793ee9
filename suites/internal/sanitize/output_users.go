package sanitize

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

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
