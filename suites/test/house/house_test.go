// Package house_test holds which room of the repository may import which.
package house_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/testkit"
)

func TestHouse(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "House")
}

const module = "authenticator-conformance/"

// rooms are in the order in which data flows: a room imports itself and those before it.
var rooms = []string{"schemas", "suites/internal/judge", "suites/internal/settings", "suites/internal/ask",
	"suites/internal/sanitize", "suites/internal/report", "suites/sweep", "suites/internal/command",
	"suites/conformance", "suites/cmd"}

// roomOf returns the number of a package's room; -1 for the fixtures and what is for tests only.
func roomOf(path string) int {
	path = strings.TrimPrefix(path, module)
	return slices.IndexFunc(rooms, func(room string) bool { return path == room || strings.HasPrefix(path, room+"/") })
}

// imports returns what each package of the program imports of the project.
func imports() map[string][]string {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir = "../../.."
	found := map[string][]string{}
	for line := range strings.Lines(string(testkit.Must(list.Output()))) {
		words := strings.Fields(line)
		found[words[0]] = slices.DeleteFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, module) })
	}
	return found
}

var _ = Describe("The rooms of the house", func() {
	It("import only what comes before them", func() {
		used := map[int]bool{}
		for path, imported := range imports() {
			from := roomOf(path)
			if from < 0 {
				continue
			}
			used[from] = true
			for _, other := range imported {
				Expect(roomOf(other)).To(BeNumerically("<=", from), "%s imports %s", path, other)
				if rooms[from] != "suites/cmd" { // the program serves the reference and its mutants
					Expect(roomOf(other)).NotTo(Equal(-1), "%s imports %s", path, other)
				}
			}
		}
		Expect(used).To(HaveLen(len(rooms)), "every room has packages")
	})

	It("make reports of what a run ended with, not of a run that can still send something", func() {
		for path, imported := range imports() {
			if !strings.HasPrefix(path, module+"suites/internal/report") {
				continue
			}
			for _, other := range imported {
				if room, inAsk := strings.CutPrefix(other, module+"suites/internal/ask/"); inAsk {
					Expect(room).To(BeElementOf("advice", "bounded", "requests", "result"), "%s imports %s", path,
						other)
				}
			}
		}
	})
})
