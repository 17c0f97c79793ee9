package sanitize_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
)

// FuzzBody puts an encoded secret into an answer, at each kind of place, and looks for what is left of it in a text,
// and in what is stored of it as a body.
func FuzzBody(f *testing.F) {
	for i := range allEncodings() {
		f.Add("9f86d081884c7d659a2feaa0c55ad015", "{\"a\":\"", "\"}", uint8(i), uint8(i))
		f.Add("q+Z/7w==8sK/xY+3vB/1mN", "\\u00", "%2", uint8(i), uint8(i/2))
	}
	f.Add("Zq7-kX2p", "&#6", "41;", uint8(5), uint8(3))
	f.Add("%41%42%43%44%45", "%", "", uint8(3), uint8(4))
	f.Add("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "", "", uint8(1), uint8(1))
	f.Add("4711081547", "1", "", uint8(0), uint8(2))
	f.Add("redacted", "", " x", uint8(0), uint8(5))
	f.Fuzz(func(t *testing.T, secret, before, after string, encoding, place uint8) {
		isASCII := func(r rune) bool { return ' ' <= r && r <= '~' }
		if len(secret) < 8 || len(secret) > 200 || strings.TrimFunc(secret, isASCII) != "" ||
			strings.TrimSpace(secret) != secret {
			return
		}
		all := allEncodings()
		e := all[int(encoding)%len(all)]
		value := before + e.encode(secret) + after
		if !utf8.ValidString(value) {
			return
		}
		s, out := sanitize.NewSecrets(secret), sanitize.Of(secret)
		places := []func(value string) string{
			func(value string) string { return value },
			func(value string) string { return `{"Id":"x","a":` + quotedJSON(value) + `,"b":1}` },
			func(value string) string { return `[{"Id":"x",` + quotedJSON(value) + `:null}]` },
			func(value string) string { return "\ufeff{\"Id\":\"x\"} and then " + value },
			func(value string) string { return `{"Id":"x","Id":"` + value + `"}` + value },
			func(value string) string { return `<p class="x">` + value + `</p>` },
		}
		text := places[int(place)%len(places)](value)
		got := s.Clean(text)
		if found := findTraces(got, secret); len(found) > 0 {
			t.Fatalf("%s: %q becomes %q, which has %v", e.name, text, got, found)
		}
		if s.Found(got) || s.Clean(got) != got {
			t.Fatalf("%q becomes %q, in which a trace is found", text, got)
		}
		if got == text && e.encode(secret) == secret && len(text) < 1<<16 {
			t.Fatalf("nothing is taken out of %q", text)
		}
		stored := out.Exchange(&exchange.Exchange{Body: []byte(text)}, 1<<20)
		if (stored.Withheld == nil) != (got == text) || stored.Withheld != nil && len(stored.Body) > 0 {
			t.Fatalf("%q is stored as %q (%v), and shown as %q", text, stored.Body, stored.Withheld, got)
		}
	})
}

// FuzzNumber holds that a number with a secret is replaced, and that any other is kept.
func FuzzNumber(f *testing.F) {
	f.Add("4711081547", "14711081547.50")
	f.Add("00000000", "100000000")
	f.Add("12345678", "0.0012345678e-9")
	f.Fuzz(func(t *testing.T, secret, text string) {
		var number json.Number
		if len(text) > 50 || json.Unmarshal([]byte(text), &number) != nil ||
			strings.Trim(text, "0123456789+-.eE") != "" {
			return
		}
		s := sanitize.NewSecrets(secret)
		if got := s.Clean(text); s.Found(got) || (got == text) == s.Found(text) || got != text &&
			got != s.String(text) {
			t.Fatalf("%q becomes %q with %q", text, got, secret)
		}
	})
}

// quotedJSON is a JSON string.
func quotedJSON(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// FuzzPrintable looks at every character that comes out.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{
		"", "abc", "{{red}}", "##vso[x]", " ::error::x", "%0a%0D", "\x1b[0m\x00\xff", "\u202e\u200b\ufeff\u2028",
		"Grüße 中文 😀", "{{{##%0%0A::",
	} {
		f.Add(seed, 0)
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := sanitize.Printable(text, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gives %q, which is not UTF-8", text, got)
		}
		for _, r := range got {
			visible := r == ' ' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
			if !visible || unicode.In(r, unicode.C, unicode.Bidi_Control, unicode.Join_Control,
				unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
				unicode.Other_Default_Ignorable_Code_Point) {
				t.Fatalf("%q gives %q, which has %U", text, got, r)
			}
		}
		for _, trick := range []string{"{{", "##", "%0A", "%0a", "%0D", "%0d"} {
			if strings.Contains(got, trick) {
				t.Fatalf("%q gives %q, which has %q", text, got, trick)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(got), "::") {
			t.Fatalf("%q gives %q, which begins like a command", text, got)
		}
		whole := sanitize.Printable(text, 0)
		if sanitize.Printable(whole, 0) != whole {
			t.Fatalf("%q gives %q, which gives something else again", text, whole)
		}
		kept, truncated := strings.CutSuffix(got, textAfterEllipsis(got))
		if limit > 0 && truncated && (utf8.RuneCountInString(kept) > limit || !strings.HasPrefix(whole, kept)) {
			t.Fatalf("%q cut to %d gives %q", text, limit, got)
		}
		if (limit <= 0 || utf8.RuneCountInString(whole) <= limit) && got != whole {
			t.Fatalf("%q is cut to %q, and fits in %d", text, got, limit)
		}
	})
}

// FuzzShowJSON reads what is shown again: without secrets it is the same value.
func FuzzShowJSON(f *testing.F) {
	for _, seed := range []string{
		`{"Id":"x","b":[1.50E+1,null,true,{}],"a":""}`, `"{{red}}##%0A::\u202e\ud83d\ude00\udb40\udc41\"\\"`,
		`["\u0000\ufffd"]`, `"` + "\x7f\u00a0" + `"`,
	} {
		f.Add(seed, 10)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		value, err := decodeJSON(text)
		if err != nil {
			return
		}
		var none *sanitize.Secrets
		shown := none.ShowJSON(value, 0)
		if again, err := decodeJSON(shown); err != nil || !reflect.DeepEqual(again, value) {
			t.Fatalf("%s is shown as %s, which reads %v (%v)", text, shown, again, err)
		}
		if sanitize.Printable(shown, 0) != shown {
			t.Fatalf("%s is shown as %s, which is not printable", text, shown)
		}
		// What is counted at the end is the characters of the JSON in one and of what is shown of it in the other.
		whole, truncated := sanitize.Printable(shown, limit), none.ShowJSON(value, limit)
		if len(shown) < 1<<14 &&
			strings.TrimSuffix(truncated, textAfterEllipsis(truncated)) != strings.TrimSuffix(whole,
				textAfterEllipsis(whole)) {
			t.Fatalf("%s is shown as %s, and cut to %d as %s", text, shown, limit, truncated)
		}
	})
}

func decodeJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// textAfterEllipsis gives what stands from the last ellipsis on.
func textAfterEllipsis(text string) string {
	if i := strings.LastIndex(text, "…"); i >= 0 {
		return text[i:]
	}
	return "…"
}

var (
	hiddenValue = regexp.MustCompile(`^(string, [0-9,]+ characters?|number|boolean)$`)
	hiddenBody  = regexp.MustCompile(`^no JSON: [0-9,]+ bytes?$`)
)

// onlyHidden reports whether a stored body has nothing but what is shown of hidden values, and names that are shown.
func onlyHidden(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return hiddenValue.MatchString(v)
	case []any:
		return !slices.ContainsFunc(v, func(element any) bool { return !onlyHidden(element) })
	case map[string]any:
		for name, member := range v {
			plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
			known := slices.ContainsFunc(documentedNames(),
				func(name string) bool { return plain == strings.ToLower(name) })
			if name != "undocumented" && !known || !onlyHidden(member) {
				return false
			}
		}
		return true
	}
	return false
}

func FuzzHiddenBody(f *testing.F) {
	for _, body := range []string{`{"Id":"x","y":[1,true,null]}`, "<h1>x</h1>", `{"a":1,"a":2}`, "\"\xff\"", `[[[]]] `,
		`{} 1`, `{"a":"\ud800"}`, `1e400`, "\xef\xbb\xbf{}", ""} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		stored := hidingOutput().Exchange(&exchange.Exchange{Body: body}, 1<<20)
		out := stored.Body
		if stored.Cut != nil || len(out) == 0 || hiddenBody.Match(out) {
			return
		}
		var value any
		if err := json.Unmarshal(out, &value); err != nil || !onlyHidden(value) {
			t.Errorf("%q became %q: %v", body, out, err)
		}
	})
}

// documentedNames are the names that the contract and the settings of hidingOutput have.
func documentedNames() []string {
	c := testkit.Contract()
	list := slices.Concat(c.Record.Members(), c.Device.Members(), []string{"Nick", "a " + token})
	for _, op := range schemas.Operations() {
		list = append(list, c.Request(op).Members()...)
	}
	return list
}

// BenchmarkBody is what each answer costs in which no secret stands.
func BenchmarkBody(b *testing.B) {
	s := sanitize.NewSecrets("q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K", "q7Zt2mVx9RkL4wNbY8sHx3JfPg6DaTuE1oXiQv5K",
		"tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6")
	records, err := fixtures.Records()
	if err != nil {
		b.Fatal(err)
	}
	record := string(records[0].Authenticator)
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		if s.Clean(record) != record {
			b.Fatal("a secret was found where none stands")
		}
	}
}
