package schemas_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("Checking a value", func() {
	guid := "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

	It("finds every violation, each once, in the order of their pointers", func() {
		record := loadContract().Record
		found := record.Check(map[string]any{
			"CreatedOn": "2023-02-29", "Flags": "0", "Id": json.Number("7"),
			"Device":                   map[string]any{"IsEnabled": "true", "Id": ""},
			"AuthenticationCountLimit": json.Number("1.5"), "IsLocked": nil, "Extra": []any{true},
		})
		pointers := []string{}
		for _, v := range found {
			pointers = append(pointers, v.Pointer)
		}
		Expect(pointers).To(Equal([]string{
			"/AuthenticationCountLimit", "/CreatedOn", "/Device/Id", "/Device/IsEnabled", "/Flags", "/Id",
		}))
		Expect(found[1].Expected).To(Equal(record.Expected("CreatedOn")))
		Expect(found[2].Expected).To(Equal(loadContract().Device.Expected("Id")))
		Expect(found[3].Expected).To(Equal("true or false, or null"))
	})

	It("gives an absent required member the pointer that it would have", func() {
		request := loadContract().Request(schemas.FindByUserIDs)
		Expect(request.Check(map[string]any{"UserId": "u", "AccessToken": ""})).To(Equal([]schemas.Violation{
			{Pointer: "/ApplicationId", Expected: request.Expected("ApplicationId")},
		}))
	})

	It("reports null as a wrong type", func() {
		Expect(loadContract().Device.Check(nil)).To(BeEmpty())
		Expect(loadContract().Record.Check(nil)).To(HaveLen(1))
		Expect(loadContract().Identifiers.Check(nil)).To(Equal([]schemas.Violation{
			{Pointer: "", Expected: "a JSON array whose elements are GUID strings", WrongType: true},
		}))
	})

	DescribeTable("judges an array of any length part by part, and counts indexes from its beginning",
		func(length int) {
			list, want := make([]any, length), []string{}
			for i := range list {
				list[i] = guid
				if i%3 == 0 || i == length-1 {
					list[i] = json.Number("1e9999")
					want = append(want, "/"+strconv.Itoa(i))
				}
			}
			got := []string{}
			for _, v := range loadContract().Identifiers.Check(list) {
				got = append(got, v.Pointer)
				Expect(v.Expected).To(HavePrefix("a string that is a GUID"))
			}
			Expect(got).To(Equal(want))
		},
		Entry("empty", 0), Entry("one", 1), Entry("one less than a part", schemas.Chunk-1),
		Entry("a part", schemas.Chunk),
		Entry("one more than a part", schemas.Chunk+1), Entry("two parts", 2*schemas.Chunk),
		Entry("many", 40*schemas.Chunk+17),
	)

	It("judges no further than the caller ranges", func() {
		list := slices.Repeat([]any{"x"}, 1_000_000)
		count := 0
		for v := range loadContract().Identifiers.Violations(list) {
			Expect(v.Pointer).To(Equal("/" + strconv.Itoa(count)))
			if count++; count == schemas.Chunk+2 {
				break
			}
		}
		Expect(count).To(Equal(schemas.Chunk + 2))
	})

	It("reports once that a long array is not accepted at all", func() {
		list := slices.Repeat([]any{"x"}, 3*schemas.Chunk)
		Expect(loadContract().Record.Check(list)).To(Equal([]schemas.Violation{
			{Pointer: "", Expected: "a JSON object: an authenticator record", WrongType: true},
		}))
	})

	It("says once of a long array what its schema says of it as a whole, and of each element what it says of that",
		func() {
			schema, err := schemas.Compile(fstest.MapFS{"list.schema.json": {Data: []byte(`{
			"$schema": "http://json-schema.org/draft-07/schema#",
			"$id": "https://authenticator-conformance.example/schemas/list.schema.json",
			"description": "a list", "type": "array", "enum": ["none"], "items": {"description": "an element", "type": "string"}
		}`)}}, "list.schema.json")
			Expect(err).NotTo(HaveOccurred())
			list := slices.Repeat([]any{"x"}, 3*schemas.Chunk)
			list[1], list[schemas.Chunk], list[2*schemas.Chunk+7] = nil, nil, nil
			Expect(schema.Check(list)).To(Equal([]schemas.Violation{
				{Pointer: "", Expected: "a list"}, {Pointer: "/1", Expected: "an element", WrongType: true},
				{Pointer: "/" + strconv.Itoa(schemas.Chunk), Expected: "an element", WrongType: true},
				{Pointer: "/" + strconv.Itoa(2*schemas.Chunk+7), Expected: "an element", WrongType: true},
			}))
		})

	It("orders by the number of an element, and by the name of a member within it", func() {
		content := strings.Replace(below, `"Size": {"description": "a size", "type": "integer"}`,
			`"List": {"description": "a list", "type": "array", "items": {"description": "an object", "type": "object", "properties": {
			"C": {"description": "c", "type": "null"}, "A": {"description": "a", "type": "null"}, "B": {"description": "b", "type": "null"}}}}`, 1)
		want, list := []string{}, []any{}
		for i := range 40 {
			list = append(list, map[string]any{"A": true, "B": true, "C": true})
			for _, name := range []string{"A", "B", "C"} {
				want = append(want, "/Below/List/"+strconv.Itoa(i)+"/"+name)
			}
		}
		for range 10 { // a compiled schema visits its members in random order
			schema, err := compileCase(validFile, content)
			Expect(err).NotTo(HaveOccurred())
			got := []string{}
			for _, v := range schema.Check(map[string]any{"Id": guid, "Below": map[string]any{"List": list}}) {
				got = append(got, v.Pointer)
			}
			Expect(got).To(Equal(want))
		}
	})

	It("judges each costly number, whichever others are in the same object", func() {
		schema, err := compileCase(validFile, below)
		Expect(err).NotTo(HaveOccurred())
		Expect(schema.Check(map[string]any{"Id": guid,
			"List": []any{json.Number("1"), json.Number("1e1000001"), json.Number("2")}})).To(BeEmpty())
		for range 20 { // a record's members are visited in random order
			Expect(loadContract().Record.Check(map[string]any{
				"AuthenticationCountLimit": json.Number("1"), "Flags": json.Number("1e1000001"),
				"ModeType":    json.Number("2"),
				"Description": "x", "UserId": "x", "IsLocked": true,
			})).To(BeEmpty())
		}
	})

	It("allocates memory for one chunk of a long array only, if the caller stops ranging", func() {
		list := slices.Repeat([]any{"x"}, 200_000)
		identifiers := loadContract().Identifiers
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range identifiers.Violations(list) {
			break
		}
		runtime.ReadMemStats(&after)
		Expect(after.TotalAlloc - before.TotalAlloc).To(BeNumerically("<", 16<<20))
	})

	It("ignores undocumented members, however deeply they are nested", func() {
		var deep any = json.Number("1e999999999")
		for range 512 {
			deep = []any{map[string]any{"Id": deep}}
		}
		Expect(loadContract().Record.Check(map[string]any{"Extra": deep})).To(BeEmpty())
		Expect(loadContract().Record.Check(map[string]any{"Description": deep})).To(HaveLen(1))
		Expect(loadContract().Identifiers.Check([]any{deep})).To(HaveLen(1))
	})

	DescribeTable("panics on what is no decoded JSON, which gojsonschema would let pass",
		func(value any) {
			Expect(func() { loadContract().Record.Check(map[string]any{"Flags": value}) }).To(
				PanicWith(ContainSubstring("decoded")))
		},
		Entry("an int", 1), Entry("a float64", 1.5), Entry("raw bytes", []byte("1")), Entry("a typed list", []string{}),
	)
})
