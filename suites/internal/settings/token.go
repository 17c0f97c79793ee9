package settings

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/settings/input"
)

// finishToken sets the token from the stronger of its two settings, or the default of the embedded reference.
func (r *resolver) finishToken(d Defaults) {
	value, valueGiven := r.chosen[nameToken]
	file, fileGiven := r.chosen[nameTokenFile]
	switch {
	case valueGiven && fileGiven && value.priority == file.priority:
		r.fail("%s and %s are both given: give one of them", value.location, file.location)
	case valueGiven && (!fileGiven || value.priority > file.priority):
		if usable(value) {
			r.setToken(nameToken, value, value.text, "set")
		}
	case fileGiven:
		if !usable(file) {
			return
		}
		data, err := r.content(file.path())
		if r.in.command == Plan && errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			// The error leaves out the file name: it may be the token itself, given in the wrong setting.
			r.fail("%s: the file that it names %w", file.location, err)
			return
		}
		r.setToken(nameTokenFile, file, withoutLineBreak(string(data)), file.text)
		r.settings.TokenFile = file.path()
	case !r.urlGiven():
		r.settings.AccessToken = d.AccessToken
		r.secret(d.AccessToken)
		r.show(nameToken, "set", sourceDefault)
	}
}

// withoutLineBreak removes one final line break: editors and shells end a file with one.
func withoutLineBreak(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// setToken validates and stores the token. No error shows any part of it.
func (r *resolver) setToken(name string, g rawValue, token, shown string) {
	if fault := tokenFault(token); fault != "" {
		r.fail("%s: %s", g.location, fault)
		return
	}
	r.settings.AccessToken = token
	r.secret(token)
	r.show(name, shown, g.source)
}

// tokenFault says what is wrong with a token; "" if nothing is. It shows no part of it.
func tokenFault(token string) string {
	switch {
	case strings.TrimSpace(token) == "":
		return "has no token: expected it on one line"
	case !utf8.ValidString(token):
		return "the token is not valid UTF-8: it is sent in a JSON body; use UTF-8"
	case strings.ContainsFunc(token, unicode.IsControl):
		return "the token contains a control character or line break: expected it alone, on one line"
	}
	return ""
}

// ReadToken reads the token's file again, as it may have been renewed. It returns false if there is no file, or no
// valid token in it.
func (s *Settings) ReadToken() (string, bool) {
	if s.TokenFile == "" {
		return "", false
	}
	content, err := input.ReadFile(s.TokenFile)
	token := withoutLineBreak(string(content))
	return token, err == nil && tokenFault(token) == ""
}
