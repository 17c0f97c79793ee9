package schemas_test

import (
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("Checking a value", func() {
	c := contract()

	It("finds every violation, each once, in the order of their pointers", func() {
		count := c.Record.Expected("AuthenticationCountLimit")
		Expect(checkText(c.Record, `{"CreatedOn":"2023-02-29","Flags":"0","Device":{"IsEnabled":"true","Id":""},
			"AuthenticationCountLimit":1.5,"IsLocked":null,"Extra":[true]}`)).To(HaveExactElements(
			schemas.Violation{Pointer: "/AuthenticationCountLimit", Expected: count, WrongType: true},
			schemas.Violation{Pointer: "/CreatedOn", Expected: c.Record.Expected("CreatedOn")},
			schemas.Violation{Pointer: "/Device/Id", Expected: c.Device.Expected("Id")},
			schemas.Violation{Pointer: "/Device/IsEnabled", Expected: "true or false, or null", WrongType: true},
			schemas.Violation{Pointer: "/Flags", Expected: c.Record.Expected("Flags"), WrongType: true},
		))
	})

	It("gives an absent required member the pointer that it would have, beside a huge number too", func() {
		request := c.Request(schemas.FindByUserIDs)
		absent := schemas.Violation{Pointer: "/ApplicationId", Expected: request.Expected("ApplicationId")}
		Expect(checkText(request, `{"UserId":"u","AccessToken":""}`)).To(HaveExactElements(absent))
		Expect(checkText(request, `{"UserId":1e9999,"AccessToken":""}`)).To(HaveExactElements(absent,
			schemas.Violation{Pointer: "/UserId", Expected: request.Expected("UserId"), WrongType: true}))
	})

	It("reports null and an array as a wrong type of the whole, once", func() {
		Expect(c.Device.Check(nil)).To(BeEmpty())
		Expect(c.Identifiers.Check(nil)).To(HaveExactElements(
			schemas.Violation{Expected: "a JSON array whose elements are GUID strings", WrongType: true}))
		Expect(c.Record.Check([]any{"x", "x", "x"})).To(HaveExactElements(
			schemas.Violation{Expected: "a JSON object: an authenticator record", WrongType: true}))
	})

	It("orders by the number of an element, and by the name of a member within it", func() {
		schema := withExtra(`{"type": "array", "items": {"type": "object", "properties": {
			"C": {"type": "null"}, "A": {"type": "null"}, "B": {"type": "null"}}}}`).Record
		want := []string{}
		for i := range 12 {
			for _, name := range []string{"A", "B", "C"} {
				want = append(want, "/Extra/"+strconv.Itoa(i)+"/"+name)
			}
		}
		list := slices.Repeat([]any{map[string]any{"A": true, "B": true, "C": true}}, 12)
		for range 3 { // a compiled schema visits its members in random order
			Expect(pointersOf(schema.Check(map[string]any{"Extra": list}))).To(Equal(want))
		}
	})

	It("reports a wrong type whatever else is wrong, and a place that it does not know without words", func() {
		text := withExtra(`{"type": "string", "enum": ["x"]}`).Record
		Expect(checkText(text, `{"Extra":7}`)).To(HaveExactElements(
			schemas.Violation{Pointer: "/Extra", WrongType: true}))
		parts := withExtra(`{"allOf": [{"enum": ["x"]}, {"type": "string"}]}`).Record
		Expect(checkText(parts, `{"Extra":7}`)).To(HaveExactElements(
			schemas.Violation{Pointer: "/Extra", WrongType: true}))
		object := withExtra(`{"type": "object", "additionalProperties": {"additionalProperties": {"type": "null"}}}`)
		Expect(checkText(object.Record, `{"Extra":{"x":{"y":1}}}`)).To(HaveExactElements(
			schemas.Violation{Pointer: "/Extra/x/y", WrongType: true}))
	})

	It("ignores undocumented members, however deeply they are nested", func() {
		var deep any = json.Number("1e999999999")
		for range 512 {
			deep = []any{map[string]any{"Id": deep}}
		}
		Expect(c.Record.Check(map[string]any{"Extra": deep})).To(BeEmpty())
		Expect(c.Record.Check(map[string]any{"Description": deep})).To(HaveLen(1))
		Expect(c.Identifiers.Check([]any{deep})).To(HaveLen(1))
	})

	DescribeTable("panics on what is no decoded JSON, which gojsonschema would let pass", func(value any) {
		Expect(func() { c.Record.Check(map[string]any{"Flags": value}) }).To(PanicWith(ContainSubstring("decoded")))
	},
		Entry("an int", 1), Entry("a float64", 1.5), Entry("raw bytes", []byte("1")), Entry("a typed list", []string{}),
	)
})

var _ = Describe("Integers", func() {
	isWhole := func(number string, whole bool) {
		GinkgoHelper()
		record := map[string]any{"Flags": json.Number(number)}
		Expect(len(contract().Record.Check(record)) == 0).To(Equal(whole))
		Expect(schemas.IsWhole(number)).To(Equal(whole))
	}
	DescribeTable("are numbers whose value is whole", isWhole, readEntries("whole"))

	It("may be long, at a bounded cost", func() {
		nines, zeros := strings.Repeat("9", 100_000), strings.Repeat("0", 100_000)
		for number, whole := range map[string]bool{nines: true, nines + ".5": false, "1." + zeros: true,
			"1." + zeros + "1": false, "1" + zeros + "e-100000": true, "1" + zeros + "e-100001": false} {
			isWhole(number, whole)
		}
	})

	It("are judged each, whichever others are in the same object or list, and never change the given value", func() {
		const huge, small = json.Number("1e1000001"), json.Number("1e-5000")
		record := map[string]any{"AuthenticationCountLimit": json.Number("1"), "Flags": huge, "ModeType": small,
			"IsLocked": true, "Device": map[string]any{"Comment": small}, "Extra": small}
		for range 5 { // a record's members are visited in random order
			Expect(pointersOf(contract().Record.Check(record))).To(HaveExactElements("/Device/Comment", "/ModeType"))
		}
		Expect(record["Flags"]).To(Equal(huge))
		Expect(record["Device"]).To(HaveKeyWithValue("Comment", small))
		list := []any{guid, huge}
		Expect(contract().Identifiers.Check(list)).To(HaveLen(1))
		Expect(list[1]).To(Equal(huge))
		numbers := withExtra(`{"type": "array", "items": {"type": "integer"}}`).Record
		Expect(pointersOf(numbers.Check(map[string]any{"Extra": []any{huge, small, json.Number("2")}}))).To(
			HaveExactElements("/Extra/1"))
	})
})

// FuzzIsWhole: the answer is that of exact arithmetic, if that is affordable.
func FuzzIsWhole(f *testing.F) {
	for _, seed := range []string{"0", "-0.0e-3", "1.50e1", "1.50e0", "100e-2", "120e-2", "1e400", "1e-400"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		if !json.Valid([]byte(text)) || strings.Trim(text, "-0123456789.eE+") != "" || len(exponent) > 5 {
			return
		}
		exact, _ := new(big.Rat).SetString(text)
		if whole := schemas.IsWhole(text); whole != exact.IsInt() {
			t.Fatalf("%q: whole: %v, by exact arithmetic %v", text, whole, exact.IsInt())
		}
	})
}

var _ = Describe("The schemas of what the suite writes", func() {
	DescribeTable("are compiled by themselves and allow members that they do not name",
		func(name string, required ...string) {
			schema := schemas.OutputSchema(name)
			Expect(schema.Members()).To(ContainElements(required))
			found := pointersOf(checkText(schema, `{"addition":true}`))
			Expect(found).To(ContainElements("/"+required[0], "/"+required[1]))
			Expect(found).NotTo(ContainElement("/addition"))
		},
		Entry("the report", "report", "verdict", "complete", "requirements", "observations", "counts"),
		Entry("the summary of a sweep", "sweep", "verdict", "complete", "population", "tally", "traffic"),
		Entry("a baseline", "baseline", "format", "contract", "run", "finished", "requirements"),
	)

	lines := map[string]json.RawMessage{}
	if err := json.Unmarshal(Must(os.ReadFile("testdata/lines.json")), &lines); err != nil {
		panic(err)
	}

	It("accept each kind of line of findings.ndjson, with more members too, and nothing else", func() {
		schema := schemas.OutputSchema("findings")
		Expect(schema.Members()).To(ContainElements("line", "identity", "pointer", "digest"))
		Expect(schema.Expected("waived")).NotTo(BeEmpty())
		members := slices.Sorted(slices.Values(schema.Members()))
		Expect(slices.Compact(slices.Clone(members))).To(Equal(members), "each once")
		for kind, line := range lines {
			Expect(pointersOf(checkText(schema, string(line)))).To(BeEmpty(), kind)
			more := strings.Replace(string(line), `{`, `{"addition": {}, `, 1)
			Expect(pointersOf(checkText(schema, more))).To(BeEmpty(), kind)
			Expect(pointersOf(checkText(schema, "["+string(line)+"]"))).To(ContainElement(""), kind)
		}
	})

	DescribeTable("refuse a line of findings.ndjson", func(line, old, replacement, pointer string) {
		text := string(lines[line])
		Expect(strings.Count(text, old)).To(Equal(1), "the case has to replace one part")
		found := checkText(schemas.OutputSchema("findings"), strings.Replace(text, old, replacement, 1))
		Expect(pointersOf(found)).To(ContainElement(pointer))
	}, readEntries("written"))
})
