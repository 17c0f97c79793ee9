package testkit

import (
	"embed"
	"io/fs"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/spec"
)

//go:embed edition
var edition embed.FS

// WithSeventh is an edition of the contract with a made-up v7: one more field in the record, one in the device, and a
// field of a request that is no longer required.
func WithSeventh() *schemas.Contract {
	GinkgoHelper()
	part := func(name string) string { return string(Must(edition.ReadFile("edition/" + name))) }
	memberOf := func(name string) func(string) string {
		return func(schema string) string {
			return strings.Replace(schema, `"properties": {`, `"properties": {`+part(name), 1)
		}
	}
	return EditionWith(map[string]func(string) string{
		"versions.yaml":             func(string) string { return part("versions.yaml") },
		"authenticator.schema.json": memberOf("record.json"),
		"device.schema.json":        memberOf("device.json"),
		"requirements.yaml": func(rows string) string {
			const fewer = "- id: 4.2/ApplicationId/required\n"
			return strings.Replace(rows, fewer, fewer+"  until: v6\n", 1) + part("rows.yaml")
		},
	})
}

// EditionWith is the embedded contract with changed files.
func EditionWith(change map[string]func(string) string) *schemas.Contract {
	GinkgoHelper()
	files := fstest.MapFS{}
	for _, name := range Must(fs.Glob(schemas.Files(), "*")) {
		content := Must(fs.ReadFile(schemas.Files(), name))
		if change[name] != nil {
			content = []byte(change[name](string(content)))
		}
		files[name] = &fstest.MapFile{Data: content}
	}
	return Must(schemas.LoadFiles(files))
}

// SuiteOf returns the requirements of an edition.
func SuiteOf(contract *schemas.Contract) *spec.Suite {
	GinkgoHelper()
	return Must(conformance.Specification(contract, func(s *spec.Suite) {
		if _, has := contract.Requirement("2.1/Colour"); has {
			s.Section("2.1", "Authenticator record")
			s.Requirement("2.1/Colour").Send(spec.GetUserAuth,
				spec.WellFormed).EachRecord(check.Member("Colour", check.MatchesSchema))
			s.Section("2.2", "Device object")
			s.Requirement("2.2/Battery").Send(spec.GetUserAuth,
				spec.WellFormed).EachDevice(check.Member("Battery", check.MatchesSchema))
		}
	}))
}
