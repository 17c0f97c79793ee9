package selftest_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The search for traces of a secret knows nothing of how the suite takes them out: it undoes what may have been done to a
// text, and looks for parts of the secret in all that comes of it.

// part is how many bytes of a secret in a row are a trace of it.
const part = 12

// traces lists where a text holds a part of a secret, in any spelling.
func traces(text string, secrets ...string) []string {
	var found []string
	views := map[string]bool{}
	spread(views, text, 3)
	for _, secret := range secrets {
		for view := range views {
			for i := 0; i+part <= len(secret); i++ {
				if at := strings.Index(view, secret[i:i+part]); at >= 0 {
					found = append(found, fmt.Sprintf("%q in …%q…", secret[i:i+part], around(view, at)))
					break
				}
			}
			found = append(found, inBase64(view, secret)...)
		}
	}
	return found
}

func around(text string, at int) string { return text[max(0, at-60):min(len(text), at+60)] }

// spread adds a text, and what comes of undoing one coding after the other.
func spread(views map[string]bool, text string, depth int) {
	if views[text] {
		return
	}
	views[text] = true
	if depth == 0 {
		return
	}
	for _, undo := range []func(string) string{html.UnescapeString, unpercent, unescape} {
		spread(views, undo(text), depth-1)
	}
}

var percent = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)

// unpercent undoes percent-encoding wherever there is some.
func unpercent(text string) string {
	return percent.ReplaceAllStringFunc(text, func(s string) string {
		var b []byte
		for ; len(s) > 0; s = s[3:] {
			c, _ := strconv.ParseUint(s[1:3], 16, 8)
			b = append(b, byte(c))
		}
		return string(b)
	})
}

var escape = regexp.MustCompile(`(?:\\u[0-9A-Fa-f]{4})+|\\x[0-9A-Fa-f]{2}|\\["\\/]`)

// unescape undoes the escapes of JSON and of Go wherever there are some.
func unescape(text string) string {
	return escape.ReplaceAllStringFunc(text, func(s string) string {
		if s[1] != 'u' {
			if s[1] == 'x' {
				c, _ := strconv.ParseUint(s[2:], 16, 8)
				return string([]byte{byte(c)})
			}
			return s[1:]
		}
		var units []uint16
		for ; len(s) > 0; s = s[6:] {
			unit, _ := strconv.ParseUint(s[2:6], 16, 16)
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	})
}

// inBase64 looks for the base64 of a secret in each alignment and both alphabets: for what does not depend on the bytes
// before and after.
func inBase64(text, secret string) []string {
	text = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(text)
	var found []string
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		encoded = encoded[(8*shift+5)/6:]
		if (shift+len(secret))%3 != 0 {
			encoded = encoded[:len(encoded)-1]
		}
		const same = part * 4 / 3
		for i := 0; i+same <= len(encoded); i++ {
			if at := strings.Index(text, encoded[i:i+same]); at >= 0 {
				found = append(found, fmt.Sprintf("base64 %q in …%q…", encoded[i:i+same], around(text, at)))
				break
			}
		}
	}
	return found
}

// tracesIn looks through all that a process left behind.
func tracesIn(o *outcome, secrets ...string) []string {
	var found []string
	add := func(where, text string) {
		for _, trace := range traces(strings.ToValidUTF8(text, string(utf8.RuneError)), secrets...) {
			found = append(found, where+": "+trace)
		}
	}
	add("standard output", o.stdout)
	add("standard error", o.stderr)
	files, err := filepath.Glob(filepath.Join(o.reports(), "*"))
	if err != nil {
		return []string{err.Error()}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return []string{err.Error()}
		}
		add(filepath.Base(file), string(content))
	}
	return found[:min(len(found), 10)]
}
