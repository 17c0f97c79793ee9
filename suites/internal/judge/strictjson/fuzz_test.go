package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/testkit/plainjson"
)

// FuzzDecode holds Decode and First against a second opinion: the same bodies are read, with the same values, and the
// same bodies refused, for the same thing wrong first.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"Id":"x","Flags":0,"Device":{"IsEnabled":true},"l":[1,-2.5e+3,null]}`, ` [ ] `, `"\ud83d\ude00\n"`,
		`{"a":1,"\u0061":2}`,
		"\uFEFF{}", "{} junk", "\"\xff\"", `"\ud800"`, `"\ud800\ud83d\ude00\\ud800"`, `01`, `1e10001`, `-0`, `[[[[`,
		strings.Repeat("[", 600),
		`{"a":{"b":[{"c":`, `{"a":[{"b":1},{"b":1,"a":{"b":1}}],"b":{"a":1,"a":2}}`, `1e5e10000`, "\"\t\"",
		`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10}`, `[12,12,1,"a\\"]`, "[" +
			strings.Repeat("9", 1001) + "]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		value, err := strictjson.Decode(body)
		if valid := strictjson.Valid(body); !reflect.DeepEqual(valid, err) {
			t.Fatalf("Valid says %v, Decode says %v", valid, err)
		}
		other, otherErr := plainjson.Decode(body)
		if (err == nil) != (otherErr == nil) || !reflect.DeepEqual(other, value) {
			t.Fatalf("Decode gives %v, %v, the second opinion %v, %v", value, err, other, otherErr)
		}
		checkFirst(t, body, value, err)
		if err != nil {
			checkFault(t, body, err, otherErr)
			return
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatalf("the value can't be written: %v", err)
		}
		if reread, err := strictjson.Decode(again); err != nil || !reflect.DeepEqual(reread, value) {
			t.Fatalf("written and read again it is %v (%v), was %v", reread, err, value)
		}
	})
}

// checkFirst holds First against encoding/json, which forgives the same but for a byte order mark, what follows the
// value and raw control characters, and has no bounds.
func checkFirst(t *testing.T, body []byte, value any, err error) {
	first, ok := strictjson.First(body)
	if err == nil && (!ok || !reflect.DeepEqual(first, value)) {
		t.Fatalf("First gives %v, %v for what Decode reads as %v", first, ok, value)
	}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	decoder.UseNumber()
	var other any
	otherErr := decoder.Decode(&other)
	if ok && otherErr == nil && !reflect.DeepEqual(first, other) {
		t.Fatalf("First gives %v, encoding/json %v", first, other)
	}
	if ok && otherErr != nil && !bytes.ContainsFunc(body, unicode.IsControl) {
		t.Fatalf("First reads %q, encoding/json says %v", body, otherErr)
	}
	if withinBounds := len(body) < strictjson.MaxDepth && !exponent.Match(body); !ok && withinBounds &&
		json.Valid(body) {
		t.Fatal("First reads nothing in what encoding/json takes")
	}
}

var exponent = regexp.MustCompile("[0-9][eE]")

func checkFault(t *testing.T, body []byte, err, otherErr error) {
	var fault *strictjson.Error
	if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(body) {
		t.Fatalf("not an *Error with an offset inside the body: %#v", err)
	}
	if _, err := strictjson.Tokens(fault.Pointer); err != nil {
		t.Fatalf("the pointer of %v: %v", fault, err)
	}
	for _, r := range fault.Error() {
		if r < ' ' || r > '~' {
			t.Fatalf("the message has %U: %q", r, fault.Error())
		}
	}
	bounds := []string{"depth", "number-digits", "number-exponent"}
	if slices.Contains(bounds, fault.Rule) != (otherErr == plainjson.ErrBound) ||
		(fault.Rule == "duplicate-member") != (otherErr == plainjson.ErrDuplicate) ||
		otherErr == plainjson.ErrText && fault.Rule != "utf-8" && fault.Rule != "surrogate" {
		t.Fatalf("refused with %v, by the second opinion with %v", fault, otherErr)
	}
}

// FuzzDecimal holds Decimal against math/big, for exponents that math/big can bear.
func FuzzDecimal(f *testing.F) {
	f.Add("0", "-0")
	f.Add("1.50e1", "15")
	f.Add("9007199254740992", "9007199254740993")
	f.Add("-1e-30", "1e30")
	f.Add("0.1e100", "1e99")
	f.Add("-12.5", "-12.50001")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := parseRational(a)
		y, ok2 := parseRational(b)
		if !ok || !ok2 {
			return
		}
		d, e := strictjson.ParseDecimal(json.Number(a)), strictjson.ParseDecimal(json.Number(b))
		if d.Compare(e) != x.Cmp(y) || (d == e) != (x.Cmp(y) == 0) {
			t.Fatalf("%s and %s: Compare says %d, equal %v, math/big %d", a, b, d.Compare(e), (d == e), x.Cmp(y))
		}
		again, ok := parseRational(d.String())
		if !ok || again.Cmp(x) != 0 {
			t.Fatalf("%s is written as %s", a, d)
		}
		if strictjson.ParseDecimal(json.Number(d.String())) != d {
			t.Fatalf("%s is written as %s, which reads otherwise", a, d)
		}
	})
}

// parseRational reads a JSON number whose exponent is small.
func parseRational(text string) (*big.Rat, bool) {
	if value, err := strictjson.Decode([]byte(text)); err != nil || value != json.Number(text) {
		return nil, false
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 && len(text)-e > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// BenchmarkRead measures each way to read two ordinary answers, of about 1 and 8 KiB, and one of numbers alone.
func BenchmarkRead(b *testing.B) {
	records, err := fixtures.Records()
	if err != nil {
		b.Fatal(err)
	}
	var list []json.RawMessage
	for _, record := range records {
		list = append(list, record.Authenticator)
	}
	compact := func(value any) []byte {
		text, err := json.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	for _, body := range []struct {
		name string
		text []byte
	}{
		{"record", compact(list[0])}, {"list", compact(list)},
		{"numbers", []byte("[" + strings.Repeat("1,", 1<<17) + "1]")},
	} {
		for _, call := range []struct {
			name string
			read func(body []byte) bool
		}{
			{"Decode", func(body []byte) bool { _, err := strictjson.Decode(body); return err == nil }},
			{"Valid", func(body []byte) bool { return strictjson.Valid(body) == nil }},
			{"First", func(body []byte) bool { _, ok := strictjson.First(body); return ok }},
		} {
			b.Run(body.name+"/"+call.name, func(b *testing.B) {
				b.SetBytes(int64(len(body.text)))
				b.ReportAllocs()
				for b.Loop() {
					if !call.read(body.text) {
						b.Fatal("refused")
					}
				}
			})
		}
	}
}
