package sanitize

import (
	"encoding/json"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// User returns the user of a probe for a message, with the comment name if the users file has one. A hidden user is
// named by the position.
func (o *Output) User(p exchange.Probe) string {
	user := o.StoredUser(p)
	if o.Hides() {
		return user.UserID
	}
	text := JSON(user.UserID, 80)
	if user.Name != "" {
		text += " (" + Printable(user.Name, 100) + ")"
	}
	return text
}

// UserID returns the id of a user for a message, quoted.
func (o *Output) UserID(id string) string {
	if o.Hides() {
		return describe(o.Identifier(id))
	}
	return JSON(o.Identifier(id), 80)
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
	if p.Position > 0 {
		place = strconv.Itoa(p.Position)
	} else if n := o.position(p); n >= 0 {
		place = strconv.FormatInt(n+1, 10)
	}
	return exchange.User{ID: describe(o.Identifier(u.ID)), UserID: place, Enrolled: u.Enrolled}
}

// Settings returns the settings as evidence has them: those with a JSON name, without secrets.
func (o *Output) Settings(s *settings.Settings) *settings.Settings {
	var stored settings.Settings
	text, _ := json.Marshal(s) // texts, numbers and lists of them
	_ = json.Unmarshal(text, &stored)
	texts := []*string{&stored.Subject.Product, &stored.Subject.Version, &stored.Subject.Build, &stored.Subject.Owner}
	for _, t := range stored.Targets {
		texts = append(texts, &t.ApplicationID, &t.TokenFile, &t.CAFile, &t.ClientCertFile, &t.ClientKeyFile)
		for i := range t.Headers {
			texts = append(texts, &t.Headers[i].Name)
		}
		if t.Proxy != nil {
			texts = append(texts, &t.Proxy.Shown)
		}
	}
	for i := range stored.Ignore {
		texts = append(texts, &stored.Ignore[i].Pointer, &stored.Ignore[i].Reason, &stored.Ignore[i].Where)
	}
	for i := range stored.Waivers {
		texts = append(texts, &stored.Waivers[i].Pattern, &stored.Waivers[i].Reason, &stored.Waivers[i].Where)
	}
	for i := range stored.Effective {
		texts = append(texts, &stored.Effective[i].Value, &stored.Effective[i].Source)
	}
	for _, r := range stored.Recorded {
		texts = append(texts, &r.From, &r.Target, &r.Subject, &r.Suite)
	}
	for _, text := range texts {
		*text = o.Clean(*text)
	}
	for v, release := range stored.Subject.Versions {
		stored.Subject.Versions[v] = settings.Release{Version: o.Clean(release.Version), Build: o.Clean(release.Build)}
	}
	for i, user := range s.Users {
		stored.Users[i] = o.StoredUser(exchange.Probe{User: user})
	}
	return &stored
}

// position returns the position of a probe's user in the users file, from 0, or -1 if it is not known. A sweep has it
// in the id of the exchange, u17.2, a run has all users in the settings.
func (o *Output) position(p exchange.Probe) int64 {
	if number, _, ok := strings.Cut(strings.TrimPrefix(p.ID, "u"), "."); ok {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			return n
		}
	}
	if n, ok := o.positions[p.User]; ok {
		return n
	}
	return -1
}
