package schemas_test

import (
	"encoding/json"
	"slices"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("Checking a value", func() {
	guid := "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"

	It("finds every violation, each once, in the order of their pointers", func() {
		record := load().Record
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
		Expect(found[2].Expected).To(Equal(load().Device.Expected("Id")))
		Expect(found[3].Expected).To(Equal("true or false, or null"))
	})

	It("gives an absent required member the pointer that it would have", func() {
		request := load().Request(schemas.FindByUserIDs)
		Expect(request.Check(map[string]any{"UserId": "u", "AccessToken": ""})).To(Equal([]schemas.Violation{
			{Pointer: "/ApplicationId", Expected: request.Expected("ApplicationId")},
		}))
	})

	It("names a null for what it is", func() {
		Expect(load().Device.Check(nil)).To(BeEmpty())
		Expect(load().Record.Check(nil)).To(HaveLen(1))
		Expect(load().Identifiers.Check(nil)).To(Equal([]schemas.Violation{
			{Pointer: "", Expected: "a JSON array whose elements are GUID strings"},
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
			for _, v := range load().Identifiers.Check(list) {
				got = append(got, v.Pointer)
				Expect(v.Expected).To(HavePrefix("a string that is a GUID"))
			}
			Expect(got).To(Equal(want))
		},
		Entry("empty", 0), Entry("one", 1), Entry("one less than a part", schemas.Chunk-1), Entry("a part", schemas.Chunk),
		Entry("one more than a part", schemas.Chunk+1), Entry("two parts", 2*schemas.Chunk),
		Entry("many", 40*schemas.Chunk+17),
	)

	It("goes no further than the caller ranges", func() {
		list := slices.Repeat([]any{"x"}, 1_000_000)
		count := 0
		for v := range load().Identifiers.Violations(list) {
			Expect(v.Pointer).To(Equal("/" + strconv.Itoa(count)))
			if count++; count == schemas.Chunk+2 {
				break
			}
		}
		Expect(count).To(Equal(schemas.Chunk + 2))
	})

	It("says of a long array once that it should be none", func() {
		list := slices.Repeat([]any{"x"}, 3*schemas.Chunk)
		Expect(load().Record.Check(list)).To(Equal([]schemas.Violation{
			{Pointer: "", Expected: "a JSON object: an authenticator record"},
		}))
	})

	It("passes over what the document does not name, however deep it goes", func() {
		var deep any = json.Number("1e999999999")
		for range 512 {
			deep = []any{map[string]any{"Id": deep}}
		}
		Expect(load().Record.Check(map[string]any{"Extra": deep})).To(BeEmpty())
		Expect(load().Record.Check(map[string]any{"Description": deep})).To(HaveLen(1))
		Expect(load().Identifiers.Check([]any{deep})).To(HaveLen(1))
	})

	DescribeTable("panics on what is no decoded JSON, which gojsonschema would let pass",
		func(value any) {
			Expect(func() { load().Record.Check(map[string]any{"Flags": value}) }).To(PanicWith(ContainSubstring("decoded")))
		},
		Entry("an int", 1), Entry("a float64", 1.5), Entry("raw bytes", []byte("1")), Entry("a typed list", []string{}),
	)
})
