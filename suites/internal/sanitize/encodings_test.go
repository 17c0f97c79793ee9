package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

// encoding is one way in which a target can write what it was sent.
type encoding struct {
	name   string
	encode func(text string) string
}

// eachByte writes every byte by a format.
func eachByte(format string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		for _, b := range []byte(text) {
			fmt.Fprintf(&out, format, b)
		}
		return out.String()
	}
}

// eachRune writes every character by a format.
func eachRune(format string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		for _, r := range text {
			fmt.Fprintf(&out, format, r)
		}
		return out.String()
	}
}

// eachUnit writes every UTF-16 unit by a format.
func eachUnit(format string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			fmt.Fprintf(&out, format, unit)
		}
		return out.String()
	}
}

// utf16Text is a text in UTF-16LE.
func utf16Text(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// misalignedBase64 is base64 of the text after some bytes and before others.
func misalignedBase64(code *base64.Encoding, before, after string) func(string) string {
	return func(text string) string { return code.EncodeToString([]byte(before + text + after)) }
}

// mixedEncoding writes one byte after the other in another encoding.
func mixedEncoding(text string) string {
	formats := []string{"%c", `\u%04x`, "%%%02X", "&#%d;", "&#x%X;", `\x%02x`, "%%%02x", "&#%d", "%%u%04x"}
	var out strings.Builder
	for i, r := range text {
		if r > '~' {
			fmt.Fprintf(&out, "&#%d;", r)
			continue
		}
		format := formats[i%len(formats)]
		// Without its semicolon a reference would take the next digit for its own.
		if format == "&#%d" && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
			format += ";"
		}
		fmt.Fprintf(&out, format, r)
	}
	return out.String()
}

func allEncodings() []encoding {
	return []encoding{
		{"plain", func(text string) string { return text }},
		{"upper case", strings.ToUpper},
		{"lower case", strings.ToLower},
		{"JSON", func(text string) string {
			out, err := json.Marshal(text)
			if err != nil {
				panic(err)
			}
			return string(out)
		}},
		{"JSON, all escaped", eachUnit(`\u%04x`)},
		{"JSON, all escaped in upper case", eachUnit(`\u%04X`)},
		{"JSON with escaped slashes", func(text string) string {
			return strings.NewReplacer(`\`, `\\`, `/`, `\/`, `"`, `\"`).Replace(text)
		}},
		{"JSON in JSON", func(text string) string { return fmt.Sprintf("%q", fmt.Sprintf("%+q", text)) }},
		{"backslash x", eachByte(`\x%02x`)},
		{"Markdown", func(text string) string {
			return strings.NewReplacer("_", `\_`, "-", `\-`, ".", `\.`, "+", `\+`).Replace(text)
		}},
		{"query", url.QueryEscape},
		{"path", url.PathEscape},
		{"percent, all", eachByte("%%%02X")},
		{"percent, all in lower case", eachByte("%%%02x")},
		{"percent twice", func(text string) string { return url.QueryEscape(eachByte("%%%02X")(text)) }},
		{"percent u", eachUnit("%%u%04X")},
		{"HTML", html.EscapeString},
		{"HTML twice", func(text string) string { return html.EscapeString(html.EscapeString(text)) }},
		{"HTML, decimal", eachRune("&#%d;")},
		{"HTML, decimal with zeros", eachRune("&#%07d;")},
		{"HTML, hexadecimal", eachRune("&#x%x;")},
		{"HTML, hexadecimal in upper case", eachRune("&#X%X;")},
		{"HTML, hexadecimal without semicolons between other letters", eachRune("&#x%x;")},
		{"HTML in JSON", func(text string) string { return eachUnit(`\u%04x`)(eachRune("&#%d;")(text)) }},
		{"mixed", mixedEncoding},
		{"base64", misalignedBase64(base64.StdEncoding, "", "")},
		{"base64, one byte before", misalignedBase64(base64.StdEncoding, ":", "")},
		{"base64, two bytes before", misalignedBase64(base64.StdEncoding, "a:", "")},
		{"base64, bytes on both sides", misalignedBase64(base64.StdEncoding, "user:", "\xff\xfe")},
		{"base64, without padding", misalignedBase64(base64.RawStdEncoding, "12", "9")},
		{"base64 for URLs", misalignedBase64(base64.URLEncoding, "\xff", "\xff")},
		{"base64 for URLs, without padding", misalignedBase64(base64.RawURLEncoding, "\xfb\xff", "~")},
		{"base64 glued to other letters", func(text string) string {
			return "abc" + base64.StdEncoding.EncodeToString([]byte("x"+text)) + "xyz"
		}},
		{"base64 in a URL", func(text string) string {
			return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(text + "??>>")))
		}},
		{"base64 in JSON, all escaped", func(text string) string {
			return eachUnit(`\u%04x`)(base64.StdEncoding.EncodeToString([]byte(text)))
		}},
		{"base64 of JSON", func(text string) string {
			return base64.StdEncoding.EncodeToString([]byte(`{"AccessToken":"` + eachUnit(`\u%04x`)(text) + `"}`))
		}},
		{"base64 of percent", func(text string) string {
			return base64.RawURLEncoding.EncodeToString([]byte("t=" + url.QueryEscape(text)))
		}},
		{"base64 of base64", func(text string) string {
			return base64.StdEncoding.EncodeToString(
				[]byte("-" + base64.RawURLEncoding.EncodeToString([]byte("u:"+text))))
		}},
		{"base64 in upper-case text lines", func(text string) string {
			return "TOKEN: " + base64.StdEncoding.EncodeToString([]byte(strings.ToUpper(text))) + "\r\n"
		}},
		{"hexadecimal", func(text string) string { return hex.EncodeToString([]byte(text)) }},
		{"hexadecimal in upper case", eachByte("%02X")},
		{"hexadecimal after a digit", func(text string) string { return "0x0" + hex.EncodeToString([]byte(text)) }},
		{"hexadecimal in pairs", func(text string) string {
			return strings.ReplaceAll(fmt.Sprintf("% X", text), " ", "-")
		}},
		{"hexadecimal in small pairs, colons between",
			func(text string) string { return strings.ReplaceAll(fmt.Sprintf("% x", text), " ", ":") }},
		{"hexadecimal in pairs, spaces between", func(text string) string { return fmt.Sprintf("% X", text) }},
		{"base64 of UTF-16LE", func(text string) string { return base64.StdEncoding.EncodeToString(utf16Text(text)) }},
		{"base64 of UTF-16LE, one byte before", func(
			text string) string {
			return base64.StdEncoding.EncodeToString(append([]byte{'x'}, utf16Text(text)...))
		}},
		{"base64 of UTF-16LE, a mark before", func(text string) string {
			return base64.RawURLEncoding.EncodeToString(append([]byte{0xff, 0xfe}, utf16Text(text)...))
		}},
		{"hexadecimal of base64", func(text string) string {
			return hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(text))))
		}},
	}
}
