package settings

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
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
	switch {
	case strings.TrimSpace(token) == "":
		r.fail("%s: has no token: expected it on one line", g.location)
	case !utf8.ValidString(token):
		r.fail("%s: the token is not valid UTF-8: it is sent in a JSON body; use UTF-8", g.location)
	case strings.ContainsFunc(token, unicode.IsControl):
		r.fail("%s: the token contains a control character or line break: expected it alone, on one line", g.location)
	default:
		r.settings.AccessToken = token
		r.secret(token)
		r.show(name, shown, g.source)
	}
}
