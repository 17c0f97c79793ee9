package selftest_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The search for secrets shares no code with the suite's redaction. It decodes a text in every way, and searches all
// results for parts of the secret.

// traceLength is how many consecutive bytes of a secret count as a trace of it (J21).
const traceLength = 12

// How many encodings, one in the other, are undone: that of a file's format, and in it the one of a target.
const deepest, ofFiles = 2, 1

// findTraces lists the places at which a text contains a part of a secret, plain or in up to depth encodings.
func findTraces(text string, depth int, secrets ...string) []string {
	plain, inBase64 := newWindows(traceLength), newWindows(traceLength*4/3)
	for _, secret := range secrets {
		plain.addParts(secret)
		for shift := range 3 {
			inBase64.addParts(innerBase64(secret, shift))
		}
	}
	var found []string
	decodings := map[string]bool{}
	addDecoded(decodings, text, depth)
	for decoded := range decodings {
		found = append(found, plain.findIn(decoded)...)
		found = append(found, inBase64.findIn(base64Alphabet.Replace(decoded))...)
	}
	return found
}

// windows are the parts of texts that have one length.
type windows struct {
	length int
	parts  map[string]bool
	begins [1 << 16]bool // the hashes of the first four bytes of the parts
}

func newWindows(length int) *windows { return &windows{length: length, parts: map[string]bool{}} }

func hashAt(text string, i int) uint32 {
	four := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16 | uint32(text[i+3])<<24
	return four * 2654435761 >> 16
}

func (w *windows) addParts(text string) {
	for i := 0; i+w.length <= len(text); i++ {
		w.parts[text[i:i+w.length]], w.begins[hashAt(text, i)] = true, true
	}
}

// findIn lists the first places of a text that have one of the parts.
func (w *windows) findIn(text string) (found []string) {
	for i := 0; i+w.length <= len(text) && len(found) < 10; i++ {
		if w.begins[hashAt(text, i)] && w.parts[text[i:i+w.length]] {
			found = append(found, fmt.Sprintf("%q in …%q…", text[i:i+w.length],
				text[max(0, i-60):min(len(text), i+60)]))
		}
	}
	return found
}

// addDecoded adds a text to decodings, and all results of up to depth decodings one after the other.
func addDecoded(decodings map[string]bool, text string, depth int) {
	if decodings[text] {
		return
	}
	decodings[text] = true
	if depth == 0 {
		return
	}
	for _, undo := range []func(string) string{html.UnescapeString, decodePercent, decodeEscapes, decodeHexadecimal} {
		addDecoded(decodings, undo(text), depth-1)
	}
}

// decodeEach decodes each escape that begins with a byte. decode returns what the escape at the beginning of a text
// means, and its length, or 0 if there is none.
func decodeEach(text string, first byte, decode func(string) (plain string, length int)) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, first)
		if i < 0 && b.Len() == 0 {
			return text
		} else if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		plain, length := decode(text[i:])
		if length == 0 {
			plain, length = text[i:i+1], 1
		}
		b.WriteString(plain)
		text = text[i+length:]
	}
}

// decodePercent decodes percent-encoding anywhere in a text.
func decodePercent(text string) string {
	return decodeEach(text, '%', func(escape string) (string, int) {
		if len(escape) < 3 || !isHexadecimal(escape[1]) || !isHexadecimal(escape[2]) {
			return "", 0
		}
		return string([]byte{byte(parseHexadecimal(escape[1:3]))}), 3
	})
}

// escape matches an escape of JSON or Go, or several of UTF-16 units.
var escape = regexp.MustCompile(`^\\(?:u[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})*|x[0-9A-Fa-f]{2})`)

// decodeEscapes decodes the escapes of JSON and Go anywhere in a text.
func decodeEscapes(text string) string {
	return decodeEach(text, '\\', func(from string) (string, int) {
		if len(from) > 1 && strings.IndexByte(`"\/`, from[1]) >= 0 { // most are of these
			return from[1:2], 2
		}
		escape := escape.FindString(from)
		switch {
		case escape == "":
			return "", 0
		case escape[1] == 'x':
			return string([]byte{byte(parseHexadecimal(escape[2:]))}), len(escape)
		}
		var units []uint16
		for rest := escape; rest != ""; rest = rest[len(`\u0000`):] {
			units = append(units, parseHexadecimal(rest[2:len(`\u0000`)]))
		}
		return string(utf16.Decode(units)), len(escape)
	})
}

// parseHexadecimal reads a number of up to four hexadecimal digits.
func parseHexadecimal(digits string) uint16 {
	value, err := strconv.ParseUint(digits, 16, 16)
	mustSucceed(err)
	return uint16(value)
}

// decodeHexadecimal decodes pairs of hexadecimal digits, each with one separator after it or none, if there are at
// least traceLength of them. It is no regular expression, because those take long for it.
func decodeHexadecimal(text string) string {
	var b strings.Builder
	var digits []byte
	done := 0
	for i := 0; i < len(text); {
		end := i
		for digits = digits[:0]; end+1 < len(text) && isHexadecimal(text[end]) && isHexadecimal(text[end+1]); {
			digits = append(digits, text[end:end+2]...)
			if end += 2; end < len(text) && strings.IndexByte("-: ", text[end]) >= 0 {
				end++
			}
		}
		if len(digits) < 2*traceLength {
			i++
			continue
		}
		plain, err := hex.DecodeString(string(digits))
		mustSucceed(err)
		b.WriteString(text[done:i])
		b.Write(plain)
		i, done = end, end
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

func isHexadecimal(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// base64Alphabet replaces the URL alphabet of base64 by the standard one.
var base64Alphabet = strings.NewReplacer("-", "+", "_", "/")

// innerBase64 returns the base64 of a secret that so many bytes stand before, without the ends, which depend on what is
// adjacent.
func innerBase64(secret string, shift int) string {
	encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
	encoded = encoded[(8*shift+5)/6:]
	if (shift+len(secret))%3 != 0 {
		encoded = encoded[:len(encoded)-1]
	}
	return encoded
}

// tracesIn searches both streams and all report files of a process. It may be called from any goroutine.
func tracesIn(r *result, depth int, secrets ...string) []string {
	texts := map[string]string{}
	for name, content := range filesIn(r.reportFolder()) {
		texts[name] = content
	}
	texts["standard output"], texts["standard error"] = r.stdout, r.stderr
	var found []string
	for name, text := range texts {
		for _, trace := range findTraces(strings.ToValidUTF8(text, string(utf8.RuneError)), depth, secrets...) {
			found = append(found, name+": "+trace)
		}
	}
	return found[:min(len(found), 10)]
}

// traceEntry is the name of the report entry with the result of a search for secrets.
const traceEntry = "traces of secrets"

// expectNoTraces expects that the streams and files of a process contain no trace of a secret. It adds the result to
// Ginkgo's report, for the totals of the proof.
func expectNoTraces(r *result, secrets ...string) {
	GinkgoHelper()
	expectNone(tracesIn(r, deepest, secrets...))
}

func expectNone(traces []string) {
	GinkgoHelper()
	AddReportEntry(traceEntry, traces, ReportEntryVisibilityNever)
	Expect(traces).To(BeEmpty())
}
