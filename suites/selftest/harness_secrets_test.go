package selftest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
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
	var found []string
	decodings := map[string]bool{}
	addDecoded(decodings, text, 3)
	for decoded := range decodings {
		standard := base64Alphabet.Replace(decoded)
		for _, secret := range secrets {
			for i := 0; i+traceLength <= len(secret); i++ {
				if index := strings.Index(decoded, secret[i:i+traceLength]); index >= 0 {
					found = append(found, fmt.Sprintf("%q in …%q…", secret[i:i+traceLength], excerptAround(decoded,
						index)))
					break
				}
			}
			found = append(found, findBase64(standard, secret)...)
			found = append(found, findBase64(standard, string(hostile.UTF16LE(secret)))...)
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
		plain, end := hexadecimalPairs(text, i)
		if len(plain) >= traceLength {
			b.Write(plain)
			i = end
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// hexadecimalPairs decodes the pairs that begin at an index, each with one separator after it or none, and returns
// where they end.
func hexadecimalPairs(text string, index int) (plain []byte, end int) {
	for index+1 < len(text) && isHexadecimal(text[index]) && isHexadecimal(text[index+1]) {
		c, _ := parseHexadecimal(text[index:], 2)
		plain = append(plain, byte(c))
		if index += 2; index < len(text) && strings.IndexByte("-: ", text[index]) >= 0 {
			index++
		}
	}
	return plain, index
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

// findBase64 searches for the base64 of a secret in each alignment. It leaves out the ends, which depend on adjacent
// bytes.
func findBase64(text, secret string) []string {
	var found []string
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		encoded = encoded[(8*shift+5)/6:]
		if (shift+len(secret))%3 != 0 {
			encoded = encoded[:len(encoded)-1]
		}
		const same = traceLength * 4 / 3
		for i := 0; i+same <= len(encoded); i++ {
			if index := strings.Index(text, encoded[i:i+same]); index >= 0 {
				found = append(found, fmt.Sprintf("base64 %q in …%q…", encoded[i:i+same], excerptAround(text, index)))
				break
			}
		}
	}
	return found
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
