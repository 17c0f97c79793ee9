package schemas_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("Integers", func() {
	judged := func(number string) bool {
		return len(loadContract().Record.Check(map[string]any{"Flags": json.Number(number)})) == 0
	}

	DescribeTable("are numbers whose value is whole, however long or large, at a bounded cost",
		func(number string, whole bool) {
			Expect(judged(number)).To(Equal(whole))
			Expect(schemas.IsWhole(number)).To(Equal(whole))
		},
		Entry("zero", "0", true),
		Entry("negative zero", "-0", true),
		Entry("zero with any exponent", "0.000e-999999999999999999999999", true),
		Entry("a zero fraction", "1.0", true),
		Entry("a fraction", "1.5", false),
		Entry("an exponent", "1e2", true),
		Entry("a capital exponent with a sign", "-1E+2", true),
		Entry("a negative exponent", "1e-1", false),
		Entry("a negative exponent taken up by zeros", "100e-2", true),
		Entry("a negative exponent beyond the zeros", "100e-3", false),
		Entry("a fraction taken up by an exponent", "1.25e2", true),
		Entry("a fraction beyond the exponent", "1.25e1", false),
		Entry("zeros after the fraction's digits", "1.2500e2", true),
		Entry("zeros before the fraction's digits", "0.00125e5", true),
		Entry("an exponent past what gojsonschema takes", "1e1000001", true),
		Entry("an exponent below what gojsonschema takes", "1e-1000001", false),
		Entry("an exponent past 64 bits", "1e99999999999999999999", true),
		Entry("an exponent below 64 bits", "1e-99999999999999999999", false),
		Entry("an exponent with leading zeros", "15e-0000000000000000000000000001", false),
		Entry("many digits", strings.Repeat("9", 1_000_000), true),
		Entry("many digits and a fraction", strings.Repeat("9", 1_000_000)+".5", false),
		Entry("many zeros in the fraction", "1."+strings.Repeat("0", 1_000_000), true),
		Entry("a digit after many zeros in the fraction", "1."+strings.Repeat("0", 1_000_000)+"1", false),
		Entry("many zeros taken back", "1"+strings.Repeat("0", 100_000)+"e-100000", true),
		Entry("many zeros taken back and one more", "1"+strings.Repeat("0", 100_000)+"e-100001", false),
		Entry("a difference that float64 loses", "9007199254740993.5", false),
	)

	It("never change the value that was given", func() {
		device := map[string]any{"Comment": json.Number("1e-5000")}
		record := map[string]any{"Flags": json.Number("1e-5000"), "Device": device, "Extra": json.Number("1e-5000")}
		Expect(loadContract().Record.Check(record)).To(HaveLen(2))
		Expect(record["Flags"]).To(Equal(json.Number("1e-5000")))
		Expect(device["Comment"]).To(Equal(json.Number("1e-5000")))
		list := []any{"00000000-0000-0000-0000-000000000000", json.Number("1e5000")}
		Expect(loadContract().Identifiers.Check(list)).To(HaveLen(1))
		Expect(list[1]).To(Equal(json.Number("1e5000")))
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
