package stats_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	other "github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep/record"
)

// twoSchemas is a schema of what the suite writes, as it and another library read it. The other knows none of our
// formats: the patterns beside them must do.
type twoSchemas struct {
	ours   *schemas.Schema
	theirs *other.Schema
}

func compileSchema(name string) twoSchemas {
	GinkgoHelper()
	compiler := other.NewCompiler()
	for _, name := range testkit.Must(fs.Glob(schemas.Files(), "*.schema.json")) {
		document := testkit.Must(other.UnmarshalJSON(bytes.NewReader(testkit.Must(fs.ReadFile(schemas.Files(), name)))))
		Expect(compiler.AddResource(name, document)).To(Succeed())
	}
	return twoSchemas{schemas.OutputSchema(name), testkit.Must(compiler.Compile(name + ".schema.json"))}
}

// violationsOf are the places at which a JSON text breaks the schema, after both libraries said whether it does.
func (t twoSchemas) violationsOf(text string) []schemas.Violation {
	GinkgoHelper()
	found := t.ours.Check(decodeObject(text))
	value := testkit.Must(other.UnmarshalJSON(strings.NewReader(text)))
	Expect(t.theirs.Validate(value) == nil).To(Equal(len(found) == 0), text)
	return found
}

var _ = Describe("The schema of sweep.json", func() {
	It("Describes and requires each member, as another library reads it too", func() {
		schema := compileSchema("sweep")
		text := fewUsers()
		Expect(schema.violationsOf(text)).To(BeEmpty())
		anyName := []string{"/suite/libraries/", "/suite/files/", "/why/", "/tally/served/", "/getUserAuth/v",
			"/findByUserIds/v"}
		optional := []string{"/identity/target/", "/slots/0/outcomes/"}
		has := func(place string) func(string) bool {
			return func(part string) bool { return strings.Contains(place, part) }
		}
		tried := 0
		for _, place := range memberPointers("", decodeObject(text)) {
			if slices.ContainsFunc(anyName, has(place)) {
				continue
			}
			found := schema.violationsOf(changedSummary(text, place[1:], []any{[]any{}}))
			Expect(found).NotTo(BeEmpty(), place)
			Expect(found[0].Pointer).To(HavePrefix(place))
			Expect(found[0].Expected).NotTo(BeEmpty(), place)
			found = schema.violationsOf(changedSummary(text, place[1:], gone))
			if !slices.ContainsFunc(optional, has(place)) {
				Expect(found).To(HaveLen(1), place)
				Expect(found[0].Pointer).To(Equal(place))
			}
			schema.violationsOf(changedSummary(text, place[1:], []any{nil, 0.5, "x"}[tried%3]))
			tried++
		}
		Expect(tried).To(BeNumerically(">", 100))
	})
})

var _ = Describe("The schema of findings.ndjson", func() {
	It("Takes every line that a sweep leaves, and none without a member, as another library reads it too", func() {
		schema, folder := compileSchema("findings"), GinkgoT().TempDir()
		out := testkit.Must(record.Open(folder, nil, record.Header{Format: stats.Format, Suite: "0.1.0",
			Sweep: "a-sweep", Started: started, Identity: concludedSummary(countUsers()).Identity}, nil))
		defer out.Close()
		for _, f := range []stats.Finding{differenceFinding(0, "/Flags"), differenceFinding(1, "", setWaived),
			violationFinding(2, "/Id"), openFinding(3, schemas.FindByUserIDs),
			violationFinding(4, "/0/Model", func(f *stats.Finding) { f.Version, f.Count = schemas.V5, 90 })} {
			Expect(out.Add(&f)).To(Succeed())
		}
		testkit.Must(out.Finish(5, true))
		lines := strings.Split(string(bytes.TrimSpace(testkit.Read(filepath.Join(folder, stats.FindingsFile)))), "\n")
		Expect(lines).To(HaveLen(7))
		for _, line := range lines {
			Expect(schema.violationsOf(line)).To(BeEmpty(), line)
			for name := range decodeObject(line) {
				for _, odd := range []any{gone, []any{}} {
					found := schema.violationsOf(changedSummary(line, name, odd))
					Expect(found).NotTo(BeEmpty(), "%s: %v as %s", line, odd, name)
				}
			}
		}
		finding := string(testkit.Must(json.Marshal(differenceFinding(1, "/Flags"))))
		for _, text := range []string{finding, `{}`, `{"line":"footer"}`,
			strings.Replace(lines[1], `"finding"`, `"footer"`, 1)} {
			Expect(schema.violationsOf(text)).NotTo(BeEmpty(), text)
		}
	})
})
