package exchange

import (
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
)

// Hide replaces what no rule depends on, before anything judges or stores the answer: undocumented member names, header
// values, and the digest and description of a body that is not kept. It does nothing if values are shown.
func (e *Exchange) Hide(values *sanitize.Values) {
	if values == nil {
		return
	}
	e.Header = values.Header(e.Header)
	if body := values.Names(e.Body); len(e.Body) > 0 && &body[0] != &e.Body[0] {
		e.Size, e.Body = e.Length(), body
	}
	if e.Withheld != nil {
		withheld := *e.Withheld
		withheld.Digest, withheld.Pointer = values.Keyed(withheld.Digest), values.Pointer(withheld.Pointer)
		if withheld.Why != "" {
			withheld.Why = strictjson.Described(withheld.Rule)
		}
		e.Withheld = &withheld
	}
}

// HideStored is Hide for an exchange of evidence in which values are shown. It also replaces the text of a fault.
func (e *Exchange) HideStored(values *sanitize.Values) {
	e.Hide(values)
	if values != nil && e.Fault != nil {
		e.Fault = &Fault{Kind: e.Fault.Kind, Detail: "no whole answer came; why is hidden (setting values)"}
	}
}

// valuesOf returns what hides the values of users, or nil if the settings show them. The members that parity ignores
// are named by the settings, and so are not hidden.
func valuesOf(s *settings.Settings, contract *schemas.Contract) *sanitize.Values {
	if s.Values != settings.ValuesHide {
		return nil
	}
	names := slices.Concat(contract.Record.Members(), contract.Device.Members())
	for _, op := range schemas.Operations() {
		names = append(names, contract.Request(op).Members()...)
	}
	for _, i := range s.Ignore {
		if tokens, err := strictjson.Tokens(i.Pointer); err == nil {
			names = append(names, tokens...)
		}
	}
	key := sanitize.RandomKey() // if there is no token: nothing is sent
	if s.AccessToken != "" {
		key = sanitize.KeyOf(s.AccessToken)
	}
	return sanitize.NewValues(key, names...)
}

// Values returns what hides the values of users; nil if they are shown.
func (r *Requests) Values() *sanitize.Values { return r.values }

// ShownUser returns the user of a probe as reports, evidence and requests may show it, except for secrets. If values
// are hidden it has digests in the place of the ids, and the line or the number, from 1, in the users file. It reports
// whether it is hidden. The user whom no target knows is not hidden.
func (r *Requests) ShownUser(p Probe) (user settings.User, hidden bool) {
	if r.values == nil || p.User == unknownUser {
		return p.User, false
	}
	place := ""
	if p.Line > 0 {
		place = "line " + strconv.Itoa(p.Line)
	} else if n := r.position(p); n >= 0 {
		place = strconv.FormatInt(n+1, 10)
	}
	id, userID := r.values.User(place, p.User.ID, p.User.UserID)
	return settings.User{ID: id, UserID: userID, Enrolled: p.User.Enrolled}, true
}

// position returns the position of a probe's user in the users file, from 0, or -1 if it is not known. A sweep has it
// in the id of the exchange, u17.2, a run has all users in the settings.
func (r *Requests) position(p Probe) int64 {
	if number, _, ok := strings.Cut(strings.TrimPrefix(p.ID, "u"), "."); ok {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			return n
		}
	}
	if n, ok := r.positions[p.User]; ok {
		return n
	}
	return -1
}
