package redact_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/redact"
)

// FuzzClean puts a secret into a text, in one encoding within another, and looks for what is left of it.
func FuzzClean(f *testing.F) {
	for i := range encodings() {
		f.Add("9f86d081884c7d659a2feaa0c55ad015", "{\"a\":\"", "\"}", uint8(i), uint8(0))
		f.Add("q+Z/7w==8sK/xY+3vB/1mN", "\\u00", "%2", uint8(i), uint8(i*7))
	}
	f.Add("Zq7-kX2p", "&#6", "41;", uint8(5), uint8(25))
	f.Add("%41%42%43%44%45", "%", "", uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, secret, before, after string, inner, outer uint8) {
		if len(secret) < 8 || len(secret) > 200 || strings.TrimFunc(secret, isASCII) != "" || strings.TrimSpace(secret) != secret {
			return
		}
		all := encodings()
		first, second := all[int(inner)%len(all)], all[int(outer)%len(all)]
		text := before + second.encode(first.encode(secret)) + after
		s := redact.New(secret)
		got := s.Clean(text)
		if found := traces(got, secret); len(found) > 0 {
			t.Fatalf("%s in %s: %q is cleaned to %q, which has %v", first.name, second.name, text, got, found)
		}
		if s.Found(got) {
			t.Fatalf("%q is cleaned to %q, in which Found finds a trace", text, got)
		}
		if again := s.Clean(got); again != got {
			t.Fatalf("%q is cleaned to %q and then to %q", text, got, again)
		}
		if got == text && first.encode(secret) == secret && outer == 0 {
			t.Fatalf("nothing is cleaned out of %q", text)
		}
	})
}

func isASCII(r rune) bool { return ' ' <= r && r <= '~' }

// FuzzPrintable looks at every character that comes out.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{
		"", "abc", "{{red}}", "##vso[x]", " ::error::x", "%0a%0D", "\x1b[0m\x00\xff", "\u202e\u200b\ufeff\u2028", "Grüße 中文 😀", "{{{##%0%0A::",
	} {
		f.Add(seed, 0)
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := redact.Printable(text, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gives %q, which is not UTF-8", text, got)
		}
		for _, r := range got {
			visible := r == ' ' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
			if !visible || unicode.In(r, unicode.C, unicode.Bidi_Control, unicode.Join_Control, unicode.Variation_Selector,
				unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point) {
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
		whole := redact.Printable(text, 0)
		if redact.Printable(whole, 0) != whole {
			t.Fatalf("%q gives %q, which gives something else again", text, whole)
		}
		kept, cut := strings.CutSuffix(got, ending(got))
		if limit > 0 && cut && (utf8.RuneCountInString(kept) > limit || !strings.HasPrefix(whole, kept)) {
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
		`{"Id":"x","b":[1.50E+1,null,true,{}],"a":""}`, `"{{red}}##%0A::\u202e\ud83d\ude00\udb40\udc41\"\\"`, `["\u0000\ufffd"]`, `"` + "\x7f\u00a0" + `"`,
	} {
		f.Add(seed, 10)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		value, err := decode(text)
		if err != nil {
			return
		}
		var none *redact.Secrets
		shown := none.ShowJSON(value, 0)
		if again, err := decode(shown); err != nil || !reflect.DeepEqual(again, value) {
			t.Fatalf("%s is shown as %s, which reads %v (%v)", text, shown, again, err)
		}
		if redact.Printable(shown, 0) != shown {
			t.Fatalf("%s is shown as %s, which is not printable", text, shown)
		}
		// What is counted at the end is the characters of the JSON in one and of what is shown of it in the other.
		whole, cut := redact.Printable(shown, limit), none.ShowJSON(value, limit)
		if len(shown) < 1<<14 && strings.TrimSuffix(cut, ending(cut)) != strings.TrimSuffix(whole, ending(whole)) {
			t.Fatalf("%s is shown as %s, and cut to %d as %s", text, shown, limit, cut)
		}
	})
}

func decode(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// ending gives what stands from the last ellipsis on.
func ending(text string) string {
	if i := strings.LastIndex(text, "…"); i >= 0 {
		return text[i:]
	}
	return "…"
}
