package schemas_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

// pointersOf returns the JSON Pointers of a text's violations.
func pointersOf(schema *schemas.Schema, text string) []string {
	GinkgoHelper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	Expect(decoder.Decode(&value)).To(Succeed())
	pointers := []string{}
	for _, v := range schema.Check(value) {
		pointers = append(pointers, v.Pointer)
	}
	return pointers
}

var _ = Describe("The schemas of what the suite writes", func() {
	DescribeTable("are compiled by themselves and allow members that they do not name",
		func(load func() (*schemas.Schema, error), members ...string) {
			schema, err := load()
			Expect(err).NotTo(HaveOccurred())
			Expect(schema.Members()).To(ContainElements(members))
			Expect(pointersOf(schema, `{}`)).To(ContainElement("/verdict"))
			Expect(pointersOf(schema, `{"verdict": "passed", "addition": true}`)).To(ContainElement("/verdict"))
			found := pointersOf(schema, `{"verdict": "pass", "addition": true}`)
			Expect(found).NotTo(ContainElement("/verdict"))
			Expect(found).NotTo(ContainElement("/addition"))
		},
		Entry("the report", schemas.ReportSchema, "verdict", "complete", "requirements", "observations", "counts"),
		Entry("the summary of a sweep", schemas.SweepSchema, "verdict", "complete", "population", "tally", "traffic"),
	)

	It("allow members that they do not name in a baseline too", func() {
		schema, err := schemas.BaselineSchema()
		Expect(err).NotTo(HaveOccurred())
		Expect(pointersOf(schema, `{"addition": true}`)).To(
			ConsistOf("/format", "/contract", "/run", "/finished", "/requirements", "/observations"))
	})

	const (
		digest   = `"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`
		identity = `{"contract": ` + digest + `, "suite": "0.1.0", "target": {"v5": "a", "v6": "b"}, "rules": ` +
			digest +
			`, "sample": 0, "seed": 18446744073709551615,
			"shard": {"index": 1, "of": 1}}`
		header  = `{"line": "header", "format": "1.0", "suite": "0.1.0", "sweep": "s", "started": "2026-06-15T12:00:00.123456789Z", "identity": ` + identity + `}`
		finding = `{"line": "finding", "user": {"index": 3, "id": "i", "userId": "u"}, "operation": "getUserAuth", "version": "v5=v6", "requirement": "",
			"kind": "value", "pointer": "/Flags", "count": 1, "expected": "", "actual": "", "exchange": "u3.2", "waived": false}`
		footer = `{"line": "footer", "users": 5, "findings": 1, "complete": true, "digest": ` + digest + `}`
	)

	DescribeTable("accept each kind of line of findings.ndjson",
		func(line string) {
			schema, err := schemas.FindingsSchema()
			Expect(err).NotTo(HaveOccurred())
			Expect(pointersOf(schema, line)).To(BeEmpty())
			Expect(pointersOf(schema, strings.Replace(line, `{`, `{"addition": {}, `, 1))).To(BeEmpty())
		},
		Entry("the header", header),
		Entry("a finding", finding),
		Entry("the footer", footer),
	)

	DescribeTable("refuse a line that is none of them",
		func(line, old, replacement, pointer string) {
			Expect(strings.Count(line, old)).To(Equal(1), "the case has to replace one part")
			schema, err := schemas.FindingsSchema()
			Expect(err).NotTo(HaveOccurred())
			Expect(pointersOf(schema, strings.Replace(line, old, replacement, 1))).To(ContainElement(pointer))
		},
		Entry("without its kind", finding, `"line": "finding", `, ``, "/line"),
		Entry("of another kind", footer, `"footer"`, `"end"`, "/line"),
		Entry("of the kind of another", footer, `"footer"`, `"header"`, ""),
		Entry("a header without a member", header, `"sweep": "s", `, ``, "/sweep"),
		Entry("a header of another format", header, `"1.0"`, `"2.0"`, "/format"),
		Entry("a header with a time that is none", header, `2026-06-15T`, `2026-06-31T`, "/started"),
		Entry("a header whose identity lacks a member", header, `"rules": `+digest+`, `, ``, "/identity/rules"),
		Entry("a header whose seed is no integer", header, `18446744073709551615`, `1.5`, "/identity/seed"),
		Entry("a header of a contract without a digest", header, `"contract": `+digest, `"contract": ""`,
			"/identity/contract"),
		Entry("a header whose shard has no number", header, `"index": 1, `, ``, "/identity/shard/index"),
		Entry("a header whose target is a text", header, `{"v5": "a", "v6": "b"}`, `"a"`, "/identity/target"),
		Entry("a finding without a member", finding, `, "waived": false`, ``, "/waived"),
		Entry("a finding of another operation", finding, `"getUserAuth"`, `"getUser"`, "/operation"),
		Entry("a finding of another version", finding, `"v5=v6"`, `"7"`, "/version"),
		Entry("a finding without a user", finding, `{"index": 3, "id": "i", "userId": "u"}`, `null`, "/user"),
		Entry("a finding whose user has no place", finding, `"index": 3, `, ``, "/user/index"),
		Entry("a finding with a count that is a text", finding, `"count": 1`, `"count": "1"`, "/count"),
		Entry("a footer without a digest", footer, digest, `""`, "/digest"),
		Entry("a footer without a boolean complete", footer, `true`, `null`, "/complete"),
		Entry("an array", footer, footer, `[`+footer+`]`, ""),
	)
})
