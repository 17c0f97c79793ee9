package evidence_test

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// part is how many bytes of a secret in a row are a trace of it.
const part = 12

// traces lists the parts of a secret that stand in a text, in whatever form. It knows nothing of how they are taken out.
func traces(text, secret string) []string {
	views := []string{text}
	for _, undo := range []func(string) string{html.UnescapeString, unpercent, unquoted} {
		for _, view := range views {
			if undone := undo(view); undone != view {
				views = append(views, undone)
			}
		}
	}
	var found []string
	for _, view := range views {
		folded := strings.ToLower(view)
		for i := 0; i+part <= len(secret); i++ {
			if run := secret[i : i+part]; strings.Contains(folded, strings.ToLower(run)) || strings.Contains(folded, hex.EncodeToString([]byte(run))) {
				found = append(found, run)
			}
		}
		if coded := inBase64(view, secret); coded != "" {
			found = append(found, coded)
		}
	}
	return found
}

// unpercent undoes percent-encoding wherever there is some.
func unpercent(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if undone, err := url.PathUnescape(text[i:min(i+3, len(text))]); text[i] == '%' && err == nil {
			b.WriteString(undone)
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unquoted undoes escapes of JSON wherever there are some, twice: the archive is JSON itself.
func unquoted(text string) string {
	for range 2 {
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) {
				if code, err := strconv.ParseUint(text[i+2:min(i+6, len(text))], 16, 32); text[i+1] == 'u' && err == nil {
					b.WriteRune(rune(code))
					i += 5
					continue
				}
				if text[i+1] == '\\' || text[i+1] == '"' || text[i+1] == '/' {
					i++
				}
			}
			b.WriteByte(text[i])
		}
		text = b.String()
	}
	return text
}

// inBase64 gives what stands of a secret in base64, in any alignment and either alphabet.
func inBase64(text, secret string) string {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	for shift := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		coded = coded[(8*shift+5)/6 : len(coded)-1]
		const same = part * 4 / 3
		for i := 0; i+same <= len(coded); i++ {
			if strings.Contains(text, coded[i:i+same]) {
				return coded[i : i+same]
			}
		}
	}
	return ""
}
