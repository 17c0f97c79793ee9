package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/redact"
)

var _ = Describe("CleanJSON", func() {
	const token = "9f86d081884c7d659a2feaa0c55ad015"
	s := redact.New(token, "4711081547", `q"uo\te-key`)

	DescribeTable("keeps JSON what it was", func(text, want string) {
		got, faithful := s.CleanJSON(text)
		Expect(got).To(Equal(want))
		Expect(s.Found(got)).To(BeFalse())
		Expect(json.Valid([]byte(got))).To(Equal(json.Valid([]byte(text))))
		Expect(faithful).To(Equal(!strings.Contains(got, "1111")), "a number is no text that could be told apart")
		again, _ := s.CleanJSON(got)
		Expect(again).To(Equal(got))
	},
		Entry("without a secret, as it is written", `{ "a" : 1.50E+1, "b":"\u0041" }`, `{ "a" : 1.50E+1, "b":"\u0041" }`),
		Entry("in a string", `{"a": "x `+token+` y", "b":1}`, `{"a": "x [secret:32] y", "b":1}`),
		Entry("in a string, escaped", `["\u0039f86d081884c7d659a2feaa0c55ad015"]`, `["[secret:32]"]`),
		Entry("that has to be escaped itself", `["q\"uo\\te-key",true]`, `["[secret:11]",true]`),
		Entry("in a name", `{"`+token+`":null}`, `{"[secret:32]":null}`),
		Entry("in a number, that stays one", `{"a":4711081547,"b":-1.25e3}`, `{"a":1111111111,"b":-1.25e3}`),
		Entry("beside markup", `["<b>`+token+`</b>&\u00e9"]`, `["<b>[secret:32]</b>&é"]`),
		Entry("an empty text", ``, ``),
	)

	DescribeTable("cleans what is no JSON like any text", func(text, want string) {
		got, faithful := s.CleanJSON(text)
		Expect(got).To(Equal(want))
		Expect(faithful).To(BeTrue())
	},
		Entry("a page", `<p>`+token+`</p>`, `<p>[secret:32]</p>`),
		Entry("JSON that breaks off", `{"a":"`+token, `{"a":"[secret:32]`),
		Entry("two texts", `{"a":"`+token+`"} x`, `{"a":"[secret:32]"} x`),
		Entry("bytes that are not UTF-8", "[\"\xff"+token+"\"]", "[\"\xff[secret:32]\"]"),
	)
})

var _ = Describe("What a target said by itself", func() {
	DescribeTable("is told from what was hidden", func(text, want string) {
		Expect(redact.SaidInJSON(text)).To(Equal(want))
	},
		Entry("nothing like it", `{ "a": 1.50 }`, `{ "a": 1.50 }`),
		Entry("in a string", `{"a":"x [secret:32] y"}`, `{"a":"x [said-secret:32] y"}`),
		Entry("in a string, escaped", `["\u005bsecret:32]","\u00e9"]`, `["[said-secret:32]","\u00e9"]`),
		Entry("in a name", `{"[secret:32]":1}`, `{"[said-secret:32]":1}`),
		Entry("said to have been said", `["[said-secret:32][said-said-secret:1]"]`, `["[said-said-secret:32][said-said-said-secret:1]"]`),
		Entry("in no JSON", `[secret:32] [secret`, `[said-secret:32] [secret`),
	)

	It("stays another text than what was hidden", func() {
		s := redact.New("9f86d081884c7d659a2feaa0c55ad015")
		seen := map[string]string{}
		for _, text := range []string{"9f86d081884c7d659a2feaa0c55ad015", "[secret:32]", "[said-secret:32]", "[9f86d081884c7d659a2feaa0c55ad015", "[[secret:32]", "[said-9f86d081884c7d659a2feaa0c55ad015"} {
			kept := s.Clean(redact.Said(text))
			Expect(seen).NotTo(HaveKey(kept), "%s and %s", text, seen[kept])
			seen[kept] = text
		}
	})
})

func FuzzCleanJSON(f *testing.F) {
	f.Add(`{"a":["9f86d081884c7d659a2feaa0c55ad015",4711081547,true,null,"\u0039f86d081884c7d65"]}`)
	f.Add(`["OWY4NmQwODE4ODRjN2Q2NTlhMmZlYWEwYzU1YWQwMTU=", 1e4711081547]`)
	s := redact.New("9f86d081884c7d659a2feaa0c55ad015", "4711081547")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := s.CleanJSON(text)
		if s.Found(got) {
			t.Fatalf("%q has a trace", got)
		}
		if !s.Found(text) && got != text {
			t.Fatalf("%q became %q without a trace", text, got)
		}
	})
}
