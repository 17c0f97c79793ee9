// Package advice says what to check if a target does not serve. What was seen is looked up in a list (lines.go), and
// what to check is named as the settings are given: by flags, variables and members of the file, or by fields of
// Config.
package advice

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

// Whom a target does not serve.
type Whom int

// Whom: no request was answered; everybody is refused, from the start or since some time; some users are, and others
// are not; half of the users are, by all versions; or more users of a sweep than its setting allows.
const (
	Nobody Whom = iota
	Everybody
	EverybodySince
	SomeUsers
	HalfOfUsers
	TooMany
)

// Seen is what was seen of answers that did not serve.
type Seen struct {
	Whom   Whom
	Status int             // 0: no answer
	Fault  *exchange.Fault // of a request without a whole answer
	Form
	Windows    bool // it asks for a login of Windows (RFC 4559, [MS-NTHT])
	NamesHTTPS bool // its body does
	Closed     bool // the fault is a connection that was closed, or no HTTP

	Version schemas.Version // whose settings are to be checked; "" if those of all
	Target  *settings.Target
	Clear   bool   // the base URL begins with http://
	Doubled string // what the suite appends, and the base URL ends with; "" if it does not
	Path    string // what the suite appends
	// OthersServe is true if another version served the same users.
	OthersServe bool
	TokenEnd    time.Time // the token ended then; zero if that is not known

	// Of some users: whether no version served them in any call, they were served at first and not from then on, they
	// were refused at one call and served at another, and what their ids have in common that nobody's has who was
	// served.
	Unknown, Gone, NowAndThen bool
	Common                    func() string

	// Of too many: the operation that served fewer users than the other one; "" if they served the same number.
	Lags schemas.Operation
}

// Form is what is seen of an answer itself.
type Form struct {
	Page     bool   // its body is an HTML page
	Empty    bool   // its body can only mean that there is no data
	Envelope bool   // its body is an object around what was expected
	Cookies  string // the names of the cookies that it sets, as a list; "" if none
}

// Of returns what is seen of an answer from a target of these settings.
func Of(whom Whom, ex *exchange.Exchange, s *settings.Settings, contract *schemas.Contract) Seen {
	target := s.Targets[ex.Probe.Version]
	seen := Seen{Whom: whom, Status: ex.Status, Fault: ex.Fault, Target: target, Path: ex.Probe.Path(),
		Form: Form{Page: strictjson.IsPage(bytes.TrimSpace(ex.Body)), Empty: ex.Fault == nil && IsEmpty(ex.Body),
			Cookies: ex.Cookies()},
		Windows:    slices.ContainsFunc(ex.Header.Values("WWW-Authenticate"), exchange.IsOfWindows),
		NamesHTTPS: bytes.Contains(ex.Body, []byte("HTTPS"))}
	if ex.Fault != nil {
		seen.Closed = slices.ContainsFunc([]string{"EOF", "connection reset", "broken pipe", "malformed HTTP response"},
			func(text string) bool { return strings.Contains(ex.Fault.Detail, text) })
	}
	if base := target.URL; base != nil {
		seen.Clear, seen.Doubled = base.Scheme == "http", doubled(base.Path, contract.Versions)
	}
	return seen
}

// IsEmpty reports whether a body can only mean that there is no data.
func IsEmpty(body []byte) bool {
	switch string(bytes.TrimSpace(body)) {
	case "", "null", "[]", "{}", `""`:
		return true
	}
	return false
}

// doubled returns what the path of a base URL ends with although the suite appends it; "" if it does not.
func doubled(path string, versions []schemas.Version) string {
	for _, v := range versions {
		for _, op := range schemas.Operations() {
			appended := schemas.Path(v, op)
			for end := len(appended); end > 0; end = strings.LastIndex(appended[:end], "/") {
				if strings.HasSuffix(path, appended[:end]) {
					return appended[:end]
				}
			}
		}
	}
	return ""
}

// ToCheck lists what to check, the likeliest first: "a; b; c". Of some users it is one thing; "" if nothing is known.
func ToCheck(seen Seen, s *settings.Settings) string {
	var list []string
	for _, l := range lines {
		if l.whom != seen.Whom || !l.is(seen) {
			continue
		}
		for _, t := range l.then {
			if text := t(seen, names{s}); !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
		if seen.Whom == SomeUsers {
			break
		}
	}
	return strings.Join(list, "; ")
}

// names names settings.
type names struct{ *settings.Settings }

// of returns how a setting of the target is given: by flags, variables or members of the file, or by a field of Config.
// If v is not "", it is given for that version alone.
func (n names) of(v schemas.Version, field string, list ...string) string {
	if n.Program {
		list = []string{"Config." + field}
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] = settings.ForVersion(list[i], v)
	}
	return strings.Join(list, " or ")
}

// Token returns how the token of a version is given, or that of all.
func Token(s *settings.Settings, v schemas.Version) string {
	return names{s}.of(v, "AccessToken", "AUTHN_ACCESS_TOKEN", "--access-token-file")
}
