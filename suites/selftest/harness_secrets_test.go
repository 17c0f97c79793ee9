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

// The search for secrets shares no code with the suite's redaction: it decodes a text in every way, and looks for parts
// of the secret in all results.

// traceLength is how many consecutive bytes of a secret count as a trace of it (J21).
const traceLength = 12

// findTraces lists where a text holds a part of a secret, plain or encoded.
func findTraces(text string, secrets ...string) []string {
	var found []string
	views := map[string]bool{}
	addDecoded(views, text, 3)
	for view := range views {
		oneAlphabet := base64Alphabet.Replace(view)
		for _, secret := range secrets {
			for i := 0; i+traceLength <= len(secret); i++ {
				if at := strings.Index(view, secret[i:i+traceLength]); at >= 0 {
					found = append(found, fmt.Sprintf("%q in …%q…", secret[i:i+traceLength], around(view, at)))
					break
				}
			}
			found = append(found, findBase64(oneAlphabet, secret)...)
			found = append(found, findBase64(oneAlphabet, string(hostile.UTF16LE(secret)))...)
		}
	}
	return found
}

// around returns the text on both sides of a position.
func around(text string, at int) string { return text[max(0, at-60):min(len(text), at+60)] }

// addDecoded adds a text to views, and what results from undoing up to depth encodings one after the other.
func addDecoded(views map[string]bool, text string, depth int) {
	if views[text] {
		return
	}
	views[text] = true
	if depth == 0 {
		return
	}
	for _, undo := range []func(string) string{html.UnescapeString, decodePercent, decodeEscapes, decodeHexadecimal} {
		addDecoded(views, undo(text), depth-1)
	}
}

// decodePercent decodes percent-encoding wherever there is some.
func decodePercent(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if c, ok := hexadecimal(after, 2); ok {
			b.WriteByte(byte(c))
			text = after[2:]
		} else {
			b.WriteByte('%')
			text = after
		}
	}
}

// decodeEscapes decodes the escapes of JSON and of Go wherever there are some.
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
			if c, ok := hexadecimal(after[1:], 2); ok {
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

// decodeHexadecimal decodes pairs of hexadecimal digits, with separators and without, where they are as many as a trace
// has characters.
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

// hexadecimalPairs decodes the pairs that begin at a place, each with one separator behind it or none, and says where
// they end.
func hexadecimalPairs(text string, at int) (plain []byte, end int) {
	for at+1 < len(text) && isHexadecimal(text[at]) && isHexadecimal(text[at+1]) {
		c, _ := hexadecimal(text[at:], 2)
		plain = append(plain, byte(c))
		if at += 2; at < len(text) && strings.IndexByte("-: ", text[at]) >= 0 {
			at++
		}
	}
	return plain, at
}

func isHexadecimal(c byte) bool { return strings.IndexByte("0123456789ABCDEFabcdef", c) >= 0 }

// utf16Escapes reads the escapes \uXXXX at the beginning of a text, whose first backslash is cut off. It returns the
// rest.
func utf16Escapes(text string) (units []uint16, rest string) {
	for strings.HasPrefix(text, "u") {
		unit, ok := hexadecimal(text[1:], 4)
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

// hexadecimal reads a number of n hexadecimal digits at the beginning of a text.
func hexadecimal(text string, n int) (value uint64, ok bool) {
	if len(text) < n {
		return 0, false
	}
	value, err := strconv.ParseUint(text[:n], 16, 32)
	return value, err == nil
}

// base64Alphabet turns the alphabet of base64 for URLs into the usual one, and joins lines.
var base64Alphabet = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "")

// findBase64 looks for the base64 of a secret in each alignment, as far as it does not depend on the bytes before and
// after.
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
			if at := strings.Index(text, encoded[i:i+same]); at >= 0 {
				found = append(found, fmt.Sprintf("base64 %q in …%q…", encoded[i:i+same], around(text, at)))
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

// encodedBody matches what stands in base64 in an archive.
var encodedBody = regexp.MustCompile(`"encoding":"base64"[^{}]*"text":"([A-Za-z0-9+/=]+)"`)

// decodedBodies are the bodies of an archive that are no UTF-8, read in each way that the hostile targets write them.
func decodedBodies(archive string) []string {
	var list []string
	for _, match := range encodedBody.FindAllStringSubmatch(archive, -1) {
		body, err := base64.StdEncoding.DecodeString(match[1])
		if err != nil {
			return []string{err.Error()}
		}
		list = append(list, string(body), strings.ReplaceAll(string(body), "\x00", ""))
		for range 2 {
			body = unpacked(body)
			list = append(list, string(body))
		}
	}
	return list
}

// unpacked undoes gzip or zlib, as far as it goes.
func unpacked(body []byte) []byte {
	var from io.Reader
	if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		from = z
	} else if z, err := zlib.NewReader(bytes.NewReader(body)); err == nil {
		from = z
	} else {
		return body
	}
	plain, _ := io.ReadAll(from) // what broke off counts too
	return plain
}

// traceEntry is the name of the report entry of a search for secrets.
const traceEntry = "traces of secrets"

// expectNoTraces asserts that nothing that a process left holds a trace of a secret.
func expectNoTraces(r *result, secrets ...string) {
	GinkgoHelper()
	expectNone(tracesIn(r, secrets...))
}

// expectNone asserts that a search found no traces, and reports it for the totals of the proof.
func expectNone(traces []string) {
	GinkgoHelper()
	AddReportEntry(traceEntry, traces, ReportEntryVisibilityNever)
	Expect(traces).To(BeEmpty())
}
