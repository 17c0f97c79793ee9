package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"authenticator-conformance/suites/internal/strictjson"
)

// FuzzDecode holds Decode against two other readers: whatever it accepts means the same to encoding/json, and it
// accepts what jsontext does, which is as strict by default, but for what passes a bound.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"Id":"x","Flags":0,"Device":{"IsEnabled":true},"l":[1,-2.5e+3,null]}`, ` [ ] `, `"\ud83d\ude00\n"`, `{"a":1,"\u0061":2}`,
		"\uFEFF{}", "{} junk", "\"\xff\"", `"\ud800"`, `01`, `1e10001`, `-0`, `[[[[`, strings.Repeat("[", 600), `{"a":{"b":[{"c":`,
		`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10}`, `[12,12,1,"a\\"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		value, err := strictjson.Decode(body)
		if valid := strictjson.Valid(body); !reflect.DeepEqual(valid, err) {
			t.Fatalf("Valid says %v, Decode says %v", valid, err)
		}
		var fault *strictjson.Error
		if errors.As(err, &fault); (fault == nil || !fault.Bound()) && (err == nil) != jsontext.Value(body).IsValid() {
			t.Fatalf("Decode says %v, jsontext the contrary", err)
		}
		first, ok := strictjson.First(body)
		if err != nil {
			checkFault(t, body, err)
			return
		}
		if !ok || !reflect.DeepEqual(first, value) {
			t.Fatalf("First gives %v, %v for what Decode reads as %v", first, ok, value)
		}
		if other := standard(t, body); !reflect.DeepEqual(other, value) {
			t.Fatalf("encoding/json reads %v, Decode %v", other, value)
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

func checkFault(t *testing.T, body []byte, err error) {
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
	// encoding/json forgives some of the faults, but none of these.
	if fault.Rule == "syntax" || fault.Rule == "empty" || fault.Rule == "trailing" {
		if json.Valid(body) {
			t.Fatalf("encoding/json takes what is refused with %v", fault)
		}
	}
}

func standard(t *testing.T, body []byte) any {
	if !utf8.Valid(body) {
		t.Fatal("Decode accepts what is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("encoding/json refuses: %v", err)
	}
	return value
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
		x, ok := rational(a)
		y, ok2 := rational(b)
		if !ok || !ok2 {
			return
		}
		d, e := strictjson.ParseDecimal(json.Number(a)), strictjson.ParseDecimal(json.Number(b))
		if d.Compare(e) != x.Cmp(y) || d.Equal(e) != (x.Cmp(y) == 0) {
			t.Fatalf("%s and %s: Compare says %d, Equal %v, math/big %d", a, b, d.Compare(e), d.Equal(e), x.Cmp(y))
		}
		if d.IsWhole() != x.IsInt() {
			t.Fatalf("%s: IsWhole says %v", a, d.IsWhole())
		}
		again, ok := rational(d.String())
		if !ok || again.Cmp(x) != 0 {
			t.Fatalf("%s is written as %s", a, d)
		}
		if strictjson.ParseDecimal(json.Number(d.String())) != d {
			t.Fatalf("%s is written as %s, which reads otherwise", a, d)
		}
	})
}

// rational reads a JSON number whose exponent is small.
func rational(text string) (*big.Rat, bool) {
	if value, err := strictjson.Decode([]byte(text)); err != nil || value != json.Number(text) {
		return nil, false
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 && len(text)-e > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
