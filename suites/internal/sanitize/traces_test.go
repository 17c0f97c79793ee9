package sanitize_test

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

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
	hexPairs         = map[string]*regexp.Regexp{}
)

func init() {
	for _, separator := range []string{"-", ":", " "} {
		hexPairs[separator] = regexp.MustCompile(`[0-9A-Fa-f]{2}(` + separator + `[0-9A-Fa-f]{2})+`)
	}
}

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
