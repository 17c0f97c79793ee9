package schemas_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
)

func TestSchemas(t *testing.T) { RegisterFailHandler(Fail); RunSpecs(t, "Contract") }

// These stand for their namesakes of testkit, which this package can't import.

var updateGolden = flag.Bool("update-golden", false, "write golden files instead of comparing them")

func expectGolden(path, text string) {
	GinkgoHelper()
	if *updateGolden {
		Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
	}
	Expect(text).To(Equal(string(Must(os.ReadFile(path)))), "of %s; if the change is meant: make golden", path)
}

func Must[T any](value T, err error) T {
	if err != nil {
		panic(err) // as specs are made of it
	}
	return value
}

// readCases reads a file of cases: their names, with their texts and booleans.
func readCases(name string) map[string][]any {
	var cases map[string][]any
	if err := yaml.Load(Must(os.ReadFile(filepath.Join("testdata", name+".yaml"))), &cases); err != nil {
		panic(name + ": " + err.Error())
	}
	return cases
}

func readEntries(name string) (entries []TableEntry) {
	cases := readCases(name)
	for _, c := range slices.Sorted(maps.Keys(cases)) {
		entries = append(entries, Entry(c, cases[c]...))
	}
	return entries
}

// contract is that of the embedded files, loaded once.
var contract = sync.OnceValue(func() *schemas.Contract { return Must(schemas.Load()) })

// filesWith returns the embedded files with changes: each is a file, a text in it ("" for all of it), and what stands
// in its place.
func filesWith(changes ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range Must(fs.Glob(schemas.Files(), "*")) {
		files[name] = &fstest.MapFile{Data: Must(fs.ReadFile(schemas.Files(), name))}
	}
	for c := range slices.Chunk(changes, 3) {
		content := string(files[c[0]].Data)
		old := c[1]
		if old == "" {
			old = content
		}
		Expect(content).To(ContainSubstring(old))
		files[c[0]] = &fstest.MapFile{Data: []byte(strings.Replace(content, old, c[2], 1))}
	}
	return files
}

// loadWith loads the contract with changes, as filesWith takes them.
func loadWith(changes ...string) *schemas.Contract {
	return Must(schemas.LoadFiles(filesWith(changes...)))
}

// decodeText reads a JSON text, with numbers kept.
func decodeText(text string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

// checkText returns the violations of a JSON text.
func checkText(schema *schemas.Schema, text string) []schemas.Violation {
	return schema.Check(decodeText(text))
}

// pointersOf returns the pointers of violations, in their order.
func pointersOf(violations []schemas.Violation) []string {
	pointers := []string{}
	for _, v := range violations {
		pointers = append(pointers, v.Pointer)
	}
	return pointers
}
