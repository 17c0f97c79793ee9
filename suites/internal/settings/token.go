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
		r.setToken(nameToken, value, value.text, "set")
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

func (r *resolver) setToken(name string, g rawValue, token, shown string) {
	if !usable(g) {
		return
	}
	if err := tokenFault(token); err != nil {
		r.fail("%s: %w", g.location, err)
		return
	}
	r.settings.AccessToken = token
	r.secret(token)
	r.show(name, shown, g.source)
}

// tokenFault returns what is wrong with a token, without any part of it, or nil.
func tokenFault(token string) error {
	switch {
	case strings.TrimSpace(token) == "":
		return errors.New("has no token: expected it on one line")
	case !utf8.ValidString(token):
		return errors.New("the token is not valid UTF-8: it is sent in a JSON body; use UTF-8")
	case strings.ContainsFunc(token, unicode.IsControl):
		return errors.New("the token contains a control character or line break: expected it alone, on one line")
	}
	return nil
}
