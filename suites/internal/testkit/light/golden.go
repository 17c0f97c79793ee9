package light

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests
	. "github.com/onsi/gomega"    //lint:ignore ST1001 as in all tests
	"go.yaml.in/yaml/v4"
)

// UpdateGolden says that golden files are written instead of compared (make golden).
var UpdateGolden = flag.Bool("update-golden", false, "write golden files instead of comparing them")

// ExpectGolden expects a text to be that of a golden file.
func ExpectGolden(path, text string) {
	GinkgoHelper()
	if *UpdateGolden {
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
		return
	}
	Expect(text).To(Equal(string(Must(os.ReadFile(path)))), "of %s; if the change is meant: make golden", path)
}

// ExpectNoOtherGolden expects a folder of golden files to have a file for each of the names, and no other.
func ExpectNoOtherGolden(dir string, names ...string) {
	GinkgoHelper()
	var found []string
	for _, file := range Must(os.ReadDir(dir)) {
		found = append(found, strings.TrimSuffix(file.Name(), filepath.Ext(file.Name())))
	}
	Expect(found).To(ConsistOf(names), "of %s; remove what nothing writes any more", dir)
}

// Cases reads a YAML file of cases. It panics if that is wrong, as specs are made of it.
func Cases[Case any](path string) []Case {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var cases []Case
	if err := yaml.Load(text, &cases, yaml.WithKnownFields()); err != nil {
		panic(path + ": " + err.Error())
	}
	return cases
}

// Says expects an error to say what its case in a file of Cases says. With UpdateGolden, the file says it afterwards.
func Says(path, name, says string, err error) {
	GinkgoHelper()
	Expect(err).To(HaveOccurred())
	if !*UpdateGolden {
		Expect(err.Error()).To(Equal(says), "if the change is meant: make golden")
		return
	}
	var root yaml.Node
	Expect(yaml.Load(Must(os.ReadFile(path)), &root)).To(Succeed())
	for _, entry := range root.Content[0].Content {
		members := map[string]*yaml.Node{}
		for i := 0; i+1 < len(entry.Content); i += 2 {
			members[entry.Content[i].Value] = entry.Content[i+1]
		}
		if members["name"].Value == name {
			members["says"].SetString(err.Error())
		}
	}
	text := Must(yaml.Dump(&root, yaml.WithLineWidth(-1)))
	Expect(os.WriteFile(path, text, 0o644)).To(Succeed())
}

// Entries reads the entries of a table from a YAML file in testdata: a mapping of each one's name to its arguments,
// which are strings, booleans, integers, or lists of strings. It panics if the file is wrong, as specs are made of it.
func Entries(name string) (entries []TableEntry) {
	path := filepath.Join("testdata", name+".yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		panic(path + ": " + err.Error())
	}
	members := root.Content[0].Content
	for i := 0; i+1 < len(members); i += 2 {
		var arguments []any
		for _, node := range members[i+1].Content {
			var argument any
			var list []string
			if node.Kind == yaml.SequenceNode {
				err, argument = node.Load(&list), list
			} else {
				err = node.Load(&argument)
			}
			if err != nil {
				panic(path + ": " + err.Error())
			}
			arguments = append(arguments, argument)
		}
		entries = append(entries, Entry(members[i].Value, arguments...))
	}
	return entries
}
