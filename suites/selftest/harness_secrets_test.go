package selftest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/hostile"
)

// The search for secrets shares no code with the suite's redaction. It decodes a text in every way, and searches all
// results for parts of the secret.

// traceLength is how many consecutive bytes of a secret count as a trace of it (J21).
const traceLength = 12

// findTraces lists the places at which a text contains a part of a secret, plain or encoded.
func findTraces(text string, secrets ...string) []string {
	plain, inBase64 := newWindows(traceLength), newWindows(traceLength*4/3)
	for _, secret := range secrets {
		plain.add(secret)
		for shift := range 3 {
			inBase64.add(innerBase64(secret, shift))
			inBase64.add(innerBase64(string(hostile.UTF16LE(secret)), shift))
		}
	}
	var found []string
	decodings := map[string]bool{}
	addDecoded(decodings, text, 3)
	for decoded := range decodings {
		found = append(found, plain.in(decoded)...)
		found = append(found, inBase64.in(base64Alphabet.Replace(decoded))...)
	}
	return found
}

// windows are the parts of texts that have one length.
type windows struct {
	length int
	parts  map[string]bool
	hashes [1 << 16]bool // of the first four bytes of each part
}

func newWindows(length int) *windows { return &windows{length: length, parts: map[string]bool{}} }

// hashAt hashes four bytes of a text.
func hashAt(text string, i int) uint32 {
	four := uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16 | uint32(text[i+3])<<24
	return four * 2654435761 >> 16
}

func (w *windows) add(text string) {
	for i := 0; i+w.length <= len(text); i++ {
		w.parts[text[i:i+w.length]] = true
		w.hashes[hashAt(text, i)] = true
	}
}

// in lists the first places of a text that have one of the parts.
func (w *windows) in(text string) (found []string) {
	for i := 0; i+w.length <= len(text) && len(found) < 10; i++ {
		if w.hashes[hashAt(text, i)] && w.parts[text[i:i+w.length]] {
			found = append(found, fmt.Sprintf("%q in …%q…", text[i:i+w.length], excerptAround(text, i)))
		}
	}
	return found
}

// excerptAround returns the text on both sides of a position.
func excerptAround(text string, index int) string {
	return text[max(0, index-60):min(len(text), index+60)]
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

// decodePercent decodes percent-encoding anywhere in a text.
func decodePercent(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if c, ok := parseHexadecimal(after, 2); ok {
			b.WriteByte(byte(c))
			text = after[2:]
		} else {
			b.WriteByte('%')
			text = after
		}
	}
}

// decodeEscapes decodes the escapes of JSON and Go anywhere in a text.
func decodeEscapes(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		units, rest := utf16Escapes(after)
		switch {
		case len(units) > 0:
			b.WriteString(string(utf16.Decode(units)))
			text = rest
		case after != "" && strings.Contains(`"\/`, after[:1]):
			b.WriteByte(after[0])
			text = after[1:]
		case strings.HasPrefix(after, "x"):
			if c, ok := parseHexadecimal(after[1:], 2); ok {
				b.WriteByte(byte(c))
				text = after[3:]
				continue
			}
			b.WriteByte('\\')
		default:
			b.WriteByte('\\')
		}
	}
}

// decodeHexadecimal decodes pairs of hexadecimal digits, with or without separators, if there are at least traceLength
// of them.
func decodeHexadecimal(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		pairs, end := hexadecimalPairs(text, i)
		if pairs < traceLength {
			b.WriteByte(text[i])
			i++
			continue
		}
		plain, err := hex.DecodeString(separators.Replace(text[i:end]))
		mustSucceed(err)
		b.Write(plain)
		i = end
	}
	return b.String()
}

// separators removes what may stand between pairs of hexadecimal digits.
var separators = strings.NewReplacer("-", "", ":", "", " ", "")

// hexadecimalPairs counts the pairs that begin at an index, each with one separator after it or none, and returns where
// they end.
func hexadecimalPairs(text string, index int) (pairs, end int) {
	for index+1 < len(text) && isHexadecimal(text[index]) && isHexadecimal(text[index+1]) {
		pairs++
		if index += 2; index < len(text) && strings.IndexByte("-: ", text[index]) >= 0 {
			index++
		}
	}
	return pairs, index
}

func isHexadecimal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// utf16Escapes reads the escapes \uXXXX at the beginning of a text without its first backslash. It returns the rest.
func utf16Escapes(text string) (units []uint16, rest string) {
	for strings.HasPrefix(text, "u") {
		unit, ok := parseHexadecimal(text[1:], 4)
		if !ok {
			break
		}
		units, rest = append(units, uint16(unit)), text[5:]
		var found bool
		if text, found = strings.CutPrefix(rest, `\`); !found {
			break
		}
	}
	return units, rest
}

// parseHexadecimal reads a number of n hexadecimal digits at the beginning of a text.
func parseHexadecimal(text string, n int) (value uint64, ok bool) {
	if len(text) < n {
		return 0, false
	}
	value, err := strconv.ParseUint(text[:n], 16, 32)
	return value, err == nil
}

// base64Alphabet replaces the URL alphabet of base64 by the standard one, and joins lines.
var base64Alphabet = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "")

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

// tracesIn searches both streams and all report files of a process.
func tracesIn(r *result, secrets ...string) []string {
	var found []string
	add := func(where, text string) {
		for _, trace := range findTraces(strings.ToValidUTF8(text, string(utf8.RuneError)), secrets...) {
			found = append(found, where+": "+trace)
		}
	}
	add("standard output", r.stdout)
	add("standard error", r.stderr)
	files, err := filepath.Glob(filepath.Join(r.reports(), "*"))
	if err != nil {
		return []string{err.Error()}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return []string{err.Error()}
		}
		add(filepath.Base(file), string(content))
		for _, body := range decodedBodies(string(content)) {
			add("a body in "+filepath.Base(file), body)
		}
	}
	return found[:min(len(found), 10)]
}

// base64Body matches a body in an archive that is encoded as base64.
var base64Body = regexp.MustCompile(`"encoding":"base64"[^{}]*"text":"([A-Za-z0-9+/=]+)"`)

// decodedBodies returns the bodies in an archive that are not UTF-8, decoded in each way that hostile targets use.
func decodedBodies(archive string) []string {
	var list []string
	for _, match := range base64Body.FindAllStringSubmatch(archive, -1) {
		body, err := base64.StdEncoding.DecodeString(match[1])
		if err != nil {
			return []string{err.Error()}
		}
		list = append(list, string(body), strings.ReplaceAll(string(body), "\x00", ""))
		for range 2 {
			body = undoCompression(body)
			list = append(list, string(body))
		}
	}
	return list
}

// undoCompression undoes gzip or zlib. If the data ends early, it returns what it has.
func undoCompression(body []byte) []byte {
	var from io.Reader
	if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		from = z
	} else if z, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
		from = z
	} else {
		return body
	}
	plain, _ := io.ReadAll(from) // a partial result counts too
	return plain
}

// traceEntry is the name of the report entry with the result of a search for secrets.
const traceEntry = "traces of secrets"

// expectNoTraces asserts that the streams and files of a process contain no trace of a secret.
func expectNoTraces(r *result, secrets ...string) {
	GinkgoHelper()
	expectNone(tracesIn(r, secrets...))
}

// expectNone asserts that a search found no traces. It adds the result to Ginkgo's report, for the totals of the proof.
func expectNone(traces []string) {
	GinkgoHelper()
	AddReportEntry(traceEntry, traces, ReportEntryVisibilityNever)
	Expect(traces).To(BeEmpty())
}
