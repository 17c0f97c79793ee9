package proof_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/testkit"
)

// golden is one file of verdicts. For each service, sorted by name, it has a line with its name and verdicts, and
// indented what else was found.
type golden struct {
	path   string
	read   func() (map[string][]string, error)
	mu     sync.Mutex
	actual map[string][]string
}

func newGolden(kind string) *golden {
	g := &golden{path: filepath.Join("..", "..", "..", "fixtures", kind, "verdicts.txt"), actual: map[string][]string{}}
	g.read = sync.OnceValues(func() (map[string][]string, error) { return readVerdicts(g.path) })
	return g
}

// expectLines compares the verdicts of one service with the file. With -update-golden it only stores them.
func (g *golden) expectLines(service string, lines []string) {
	GinkgoHelper()
	g.mu.Lock()
	g.actual[service] = lines
	g.mu.Unlock()
	if *testkit.UpdateGolden {
		return
	}
	expected := testkit.Must(g.read())
	Expect(diffLines(expected[service], lines)).To(BeEmpty(),
		"%s: the verdicts differ from %s (- expected, + actual). If the change is intended, run make golden", service,
		g.path)
}

// expectNoOther checks that the file has no service that does not exist. With -update-golden it writes the file. Call
// it after the last check.
func (g *golden) expectNoOther() {
	GinkgoHelper()
	if *testkit.UpdateGolden {
		Expect(os.WriteFile(g.path, verdictsText(g.actual), 0o644)).To(Succeed())
		return
	}
	expected := testkit.Must(g.read())
	for name := range expected {
		Expect(g.actual).To(HaveKey(name), "%s has verdicts of a service that does not exist; run make golden", g.path)
	}
}

func readVerdicts(path string) (map[string][]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	verdicts, name := map[string][]string{}, ""
	for line := range strings.Lines(strings.ReplaceAll(string(content), "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		text, indented := strings.CutPrefix(line, "  ")
		if !indented {
			name, text, _ = strings.Cut(line, ": ")
		}
		verdicts[name] = append(verdicts[name], text)
	}
	return verdicts, nil
}

func verdictsText(verdicts map[string][]string) []byte {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		b.WriteString(name + ": " + strings.Join(verdicts[name], "\n  ") + "\n")
	}
	return []byte(b.String())
}

// diffLines lists missing lines with a minus and new lines with a plus.
func diffLines(expected, actual []string) string {
	var b strings.Builder
	for _, line := range expected {
		if !slices.Contains(actual, line) {
			b.WriteString("\n- " + line)
		}
	}
	for _, line := range actual {
		if !slices.Contains(expected, line) {
			b.WriteString("\n+ " + line)
		}
	}
	if b.Len() == 0 && !slices.Equal(expected, actual) {
		return "\nthe same lines in another order"
	}
	return b.String()
}
