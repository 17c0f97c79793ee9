package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
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

// utf16Text is a text in UTF-16LE.
func utf16Text(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// inBase64 is base64 of the text after some bytes and before others.
func inBase64(code *base64.Encoding, before, after string) func(string) string {
	return func(text string) string { return code.EncodeToString([]byte(before + text + after)) }
}

// inBoth is one encoding after the other.
func inBoth(first, second func(string) string) func(string) string {
	return func(text string) string { return second(first(text)) }
}

// inLines divides a text into lines, shorter than those of MIME, so that each secret is in several.
func inLines(text string) string {
	var lines []string
	for part := range slices.Chunk([]byte(text), 8) {
		lines = append(lines, string(part))
	}
	return strings.Join(lines, "\r\n")
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
	allEscaped, allPercent := eachUnit(`\u%04x`), eachByte("%%%02X")
	hexadecimal := func(text string) string { return hex.EncodeToString([]byte(text)) }
	pairs := func(format string) func(string) string {
		return func(text string) string { return strings.TrimRight(eachByte(format)(text), "-: ") }
	}
	wide := func(text string) string { return string(utf16Text(text)) }
	standard := inBase64(base64.StdEncoding, "", "")
	return []encoding{
		{"plain text", func(text string) string { return text }},
		{"upper case", strings.ToUpper},
		{"lower case", strings.ToLower},
		{"JSON", quotedJSON},
		{"JSON, all escaped", allEscaped},
		{"JSON, all escaped in upper case", eachUnit(`\u%04X`)},
		{"JSON with escaped slashes", strings.NewReplacer(`\`, `\\`, `/`, `\/`, `"`, `\"`).Replace},
		{"JSON in JSON", inBoth(strconv.QuoteToASCII, strconv.Quote)},
		{"backslash x", eachByte(`\x%02x`)},
		{"Markdown", strings.NewReplacer("_", `\_`, "-", `\-`, ".", `\.`, "+", `\+`).Replace},
		{"a query", url.QueryEscape},
		{"a path", url.PathEscape},
		{"percent, all", allPercent},
		{"percent, all in lower case", eachByte("%%%02x")},
		{"percent twice", inBoth(allPercent, url.QueryEscape)},
		{"percent u", eachUnit("%%u%04X")},
		{"HTML", html.EscapeString},
		{"HTML twice", inBoth(html.EscapeString, html.EscapeString)},
		{"HTML, decimal", eachRune("&#%d;")},
		{"HTML, decimal with zeros", eachRune("&#%07d;")},
		{"HTML, hexadecimal", eachRune("&#x%x;")},
		{"HTML, hexadecimal in upper case", eachRune("&#X%X;")},
		{"HTML in JSON", inBoth(eachRune("&#%d;"), allEscaped)},
		{"a mix", mixedEncoding},
		{"base64", standard},
		{"base64, one byte before", inBase64(base64.StdEncoding, ":", "")},
		{"base64, two bytes before", inBase64(base64.StdEncoding, "a:", "")},
		{"base64, bytes on both sides", inBase64(base64.StdEncoding, "user:", "\xff\xfe")},
		{"base64, without padding", inBase64(base64.RawStdEncoding, "12", "9")},
		{"base64 for URLs", inBase64(base64.URLEncoding, "\xff", "\xff")},
		{"base64 for URLs, without padding", inBase64(base64.RawURLEncoding, "\xfb\xff", "~")},
		{"base64 glued to other letters", func(text string) string { return "abc" + standard("x"+text) + "xyz" }},
		{"base64 in a URL", inBoth(inBase64(base64.StdEncoding, "", "??>>"), url.QueryEscape)},
		{"base64 in JSON, all escaped", inBoth(standard, allEscaped)},
		{"base64 in short lines", inBoth(standard, inLines)},
		{"base64 in short lines, in JSON", inBoth(inBoth(standard, inLines), quotedJSON)},
		{"base64 of JSON", inBoth(allEscaped, inBase64(base64.StdEncoding, `{"AccessToken":"`, `"}`))},
		{"base64 of percent", inBoth(url.QueryEscape, inBase64(base64.RawURLEncoding, "t=", ""))},
		{"base64 of base64", inBoth(inBase64(base64.RawURLEncoding, "u:", ""), inBase64(base64.StdEncoding, "-", ""))},
		{"base64 of upper case", inBoth(strings.ToUpper, standard)},
		{"hexadecimal", hexadecimal},
		{"hexadecimal in upper case", eachByte("%02X")},
		{"hexadecimal after a digit", func(text string) string { return "0x0" + hexadecimal(text) }},
		{"hexadecimal in pairs", pairs("%02X-")},
		{"hexadecimal in small pairs, colons between", pairs("%02x:")},
		{"hexadecimal in pairs, spaces between", pairs("%02X ")},
		{"base64 of UTF-16LE", inBoth(wide, standard)},
		{"base64 of UTF-16LE, one byte before", inBoth(wide, inBase64(base64.StdEncoding, "x", ""))},
		{"base64 of UTF-16LE, a mark before", inBoth(wide, inBase64(base64.RawURLEncoding, "\xff\xfe", ""))},
		{"hexadecimal of base64", inBoth(standard, hexadecimal)},
	}
}

// findTraces looks for a secret and its halves in every reading of a text that two steps of decoding give. It is
// written without regard to how Clean works: what it finds, a reader of the text could find.
func findTraces(text, secret string) []string {
	wanted := []string{secret}
	if len(secret) >= 24 {
		wanted = append(wanted, secret[:len(secret)/2], secret[len(secret)/2:])
	}
	var found []string
	seen := map[string]bool{}
	var search func(decoded string, depth int)
	search = func(decoded string, depth int) {
		if seen[decoded] {
			return
		}
		seen[decoded] = true
		for _, want := range wanted {
			if strings.Contains(strings.ToLower(decoded), strings.ToLower(want)) {
				found = append(found, strconv.Quote(want)+" in "+strconv.Quote(decoded))
			}
		}
		if depth == 0 {
			return
		}
		for _, next := range decodingsOf(decoded) {
			search(next, depth-1)
		}
	}
	search(text, 2)
	return found
}

var (
	percentEscapes   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	backslashEscapes = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|["\\/])`)
	base64Runs       = regexp.MustCompile(`[A-Za-z0-9+/_-]{6,}`)
	hexRuns          = regexp.MustCompile(`[0-9A-Fa-f]{8,}`)
	hexPairs         = map[string]*regexp.Regexp{
		"-": regexp.MustCompile(`[0-9A-Fa-f]{2}(-[0-9A-Fa-f]{2})+`),
		":": regexp.MustCompile(`[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2})+`),
		" ": regexp.MustCompile(`[0-9A-Fa-f]{2}( [0-9A-Fa-f]{2})+`),
	}
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
	all := []string{percent, strings.ReplaceAll(percent, "+", " "), backslash, html.UnescapeString(text),
		strings.NewReplacer("\r", "", "\n", "", `\r`, "", `\n`, "").Replace(text)}

	for _, run := range base64Runs.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for start := range 4 {
			part := run[start:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1]
			}
			if plain, err := base64.RawStdEncoding.DecodeString(part); err == nil {
				all = append(all, string(plain), strings.ReplaceAll(string(plain), "\x00", ""))
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
