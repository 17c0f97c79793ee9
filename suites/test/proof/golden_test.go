package proof_test

import (
	"cmp"
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

// golden is one file of verdicts. It has a line for each service, sorted by name: what it does, the verdicts, and by
// which requirements.
type golden struct {
	path     string
	services []service
	read     func() (map[string]string, error)
	mu       sync.Mutex
	actual   map[string]string
}

func newGolden(kind string, services []service) *golden {
	g := &golden{path: filepath.Join("..", "..", "..", "fixtures", kind, "verdicts.txt"), services: services,
		actual: map[string]string{}}
	g.read = sync.OnceValues(func() (map[string]string, error) { return readVerdicts(g.path) })
	return g
}

// expectLine compares the verdicts on one service with the file. With -update-golden it only stores them.
func (g *golden) expectLine(service, line string) {
	GinkgoHelper()
	g.mu.Lock()
	g.actual[service] = line
	g.mu.Unlock()
	if !*testkit.UpdateGolden {
		Expect(line).To(Equal(testkit.Must(g.read())[service]),
			"of %s in %s. If the change is intended, run make golden",
			service, g.path)
	}
}

// expectNoOther checks that the file has no service that does not exist. With -update-golden it writes the file; of
// services that were not judged it has the lines that it had. Call it after the last check.
func (g *golden) expectNoOther() {
	GinkgoHelper()
	stored, text := testkit.Must(g.read()), map[string]string{}
	for _, s := range g.services {
		text[s.name] = cmp.Or(g.actual[s.name], stored[s.name])
	}
	if *testkit.UpdateGolden {
		maps.DeleteFunc(text, func(_, line string) bool { return line == "" }) // a new service that was not judged
		Expect(os.WriteFile(g.path, verdictsText(text), 0o644)).To(Succeed())
		return
	}
	for name := range stored {
		Expect(text).To(HaveKey(name), "%s has verdicts of a service that does not exist; run make golden", g.path)
	}
}

func readVerdicts(path string) (map[string]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	verdicts := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(content), "\r\n", "\n")) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		verdicts[name] = text
	}
	return verdicts, nil
}

func verdictsText(verdicts map[string]string) []byte {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		b.WriteString(name + ": " + verdicts[name] + "\n")
	}
	return []byte(b.String())
}
