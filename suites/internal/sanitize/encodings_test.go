package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
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
	return func(text string) string { return formatAll(format, []byte(text)) }
}

// eachRune writes every character by a format.
func eachRune(format string) func(string) string {
	return func(text string) string { return formatAll(format, []rune(text)) }
}

// eachUnit writes every UTF-16 unit by a format.
func eachUnit(format string) func(string) string {
	return func(text string) string { return formatAll(format, utf16.Encode([]rune(text))) }
}

func formatAll[Unit any](format string, units []Unit) string {
	var out strings.Builder
	for _, unit := range units {
		fmt.Fprintf(&out, format, unit)
	}
	return out.String()
}

// inBase64 is base64 of the text after some bytes and before others.
func inBase64(code *base64.Encoding, before, after string) func(string) string {
	return func(text string) string { return code.EncodeToString([]byte(before + text + after)) }
}

func allEncodings() []encoding {
	all := []encoding{
		{"plain text", func(text string) string { return text }},
		{"upper case", strings.ToUpper},
		{"lower case", strings.ToLower},
		{"JSON", quotedJSON},
		{"JSON, all escaped", eachUnit(`\u%04x`)},
		{"JSON, all escaped in upper case", eachUnit(`\u%04X`)},
		{"JSON with escaped slashes", strings.NewReplacer(`\`, `\\`, `/`, `\/`, `"`, `\"`).Replace},
		{"a query", url.QueryEscape},
		{"a path", url.PathEscape},
		{"percent, all", eachByte("%%%02X")},
		{"percent, all in lower case", eachByte("%%%02x")},
		{"HTML", html.EscapeString},
		{"HTML, decimal", eachRune("&#%d;")},
		{"HTML, decimal with zeros", eachRune("&#%07d;")},
		{"HTML, hexadecimal", eachRune("&#x%x;")},
		{"HTML, hexadecimal in upper case", eachRune("&#X%X;")},
		{"base64", inBase64(base64.StdEncoding, "", "")},
		{"base64, one byte before", inBase64(base64.StdEncoding, ":", "")},
		{"base64, two bytes before", inBase64(base64.StdEncoding, "a:", "")},
		{"base64, bytes on both sides", inBase64(base64.StdEncoding, "user:", "\xff\xfe")},
		{"base64, without padding", inBase64(base64.RawStdEncoding, "12", "9")},
		{"base64 for URLs", inBase64(base64.URLEncoding, "\xff", "\xff")},
		{"base64 for URLs, without padding", inBase64(base64.RawURLEncoding, "\xfb\xff", "~")},
		{"base64 glued to other letters", func(text string) string {
			return "abc" + inBase64(base64.StdEncoding, "x", "")(text) + "xyz"
		}},
		{"hexadecimal", eachByte("%02x")},
		{"hexadecimal in upper case", eachByte("%02X")},
		{"hexadecimal after a digit", func(text string) string { return "0x0" + eachByte("%02x")(text) }},
	}
	for _, separator := range separators {
		for _, format := range []string{"% x", "% X"} {
			all = append(all, encoding{fmt.Sprintf("hexadecimal by %q, with %q between the pairs", format, separator),
				func(text string) string {
					return strings.ReplaceAll(fmt.Sprintf(format, text), " ", separator)
				}})
		}
	}
	return all
}

// separators are all printable ASCII characters that are no digits or letters, and the white space.
var separators = strings.Split("\t\n\r !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "")

// findTraces looks for a secret and its halves in every reading of a text that one step of decoding gives. It is
// written without regard to how Clean works: what it finds, a reader of the text could find.
func findTraces(text, secret string) []string {
	wanted := []string{secret}
	if len(secret) >= 24 {
		wanted = append(wanted, secret[:len(secret)/2], secret[len(secret)/2:])
	}
	var found []string
	for _, decoded := range append(decodingsOf(text), text) {
		for _, want := range wanted {
			if strings.Contains(strings.ToLower(decoded), strings.ToLower(want)) {
				found = append(found, strconv.Quote(want)+" in "+strconv.Quote(decoded))
			}
		}
	}
	return found
}

var (
	percentEscapes   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	backslashEscapes = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|["\\/])`)
	base64Runs       = regexp.MustCompile(`[A-Za-z0-9+/_-]{6,}`)
	hexRuns          = regexp.MustCompile(`[0-9A-Fa-f]{8,}`)
	hexPairs         = func() map[string]*regexp.Regexp {
		all := map[string]*regexp.Regexp{}
		for _, separator := range separators {
			all[separator] = regexp.MustCompile(`[0-9A-Fa-f]{2}(` + regexp.QuoteMeta(separator) + `[0-9A-Fa-f]{2})+`)
		}
		return all
	}()
)

// decodingsOf returns what one step of decoding makes of a text.
func decodingsOf(text string) []string {
	percent := percentEscapes.ReplaceAllStringFunc(text, func(escape string) string {
		plain, err := url.PathUnescape(escape)
		if err != nil {
			return escape
		}
		return plain
	})
	backslash := backslashEscapes.ReplaceAllStringFunc(text, func(escape string) string {
		if len(escape) == 2 {
			return escape[1:]
		}
		value, err := strconv.ParseUint(escape[2:], 16, 16)
		if err != nil {
			return escape
		}
		return string(rune(value))
	})
	all := []string{percent, strings.ReplaceAll(percent, "+", " "), backslash, html.UnescapeString(text)}

	for _, run := range base64Runs.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for start := range 4 {
			part := run[start:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1]
			}
			if plain, err := base64.RawStdEncoding.DecodeString(part); err == nil {
				all = append(all, string(plain))
			}
		}
	}
	for separator, pairs := range hexPairs {
		for _, run := range pairs.FindAllString(text, -1) {
			if plain, err := hex.DecodeString(strings.ReplaceAll(run, separator, "")); err == nil {
				all = append(all, string(plain))
			}
		}
	}
	for _, run := range hexRuns.FindAllString(text, -1) {
		for start := range 2 {
			part := run[start:]
			if plain, err := hex.DecodeString(part[:len(part)/2*2]); err == nil {
				all = append(all, string(plain))
			}
		}
	}
	return all
}
