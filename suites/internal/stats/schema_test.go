package stats_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	other "github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/strictjson"
)

// compileSchema is a schema of what the suite writes.
func compileSchema(load func() (*schemas.Schema, error)) *schemas.Schema {
	GinkgoHelper()
	schema, err := load()
	Expect(err).NotTo(HaveOccurred())
	return schema
}

// violationsOf are the places at which a JSON text breaks a schema.
func violationsOf(schema *schemas.Schema, text string) []schemas.Violation {
	GinkgoHelper()
	value, err := strictjson.Decode([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	return schema.Check(value)
}

// memberPointers lists the JSON Pointers of all members of a value, of lists those of the first element.
func memberPointers(prefix string, value any) []string {
	var list []string
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			place := strictjson.Pointer(prefix, name)
			list = append(append(list, place), memberPointers(place, member)...)
		}
	case []any:
		if len(value) > 0 {
			list = append(list, memberPointers(prefix+"/0", value[0])...)
		}
	}
	return list
}

var _ = Describe("The schema of sweep.json", func() {
	DescribeTable("takes every kind of summary",
		func(s *stats.Summary) {
			Expect(violationsOf(compileSchema(schemas.SweepSchema), writeSummary(s))).To(BeEmpty())
		},
		everyKindEntries(),
	)

	// Whatever stands in a sweep.json is described: a list in its place breaks the schema, save where any name may
	// stand.
	It("describes each member that is written", func() {
		schema, text := compileSchema(schemas.SweepSchema), whole()
		free := []string{"/suite/libraries/", "/suite/files/", "/why/"}
		tried := 0
		for _, place := range memberPointers("", decodeObject(text)) {
			if containsAny(place, free) {
				continue
			}
			wrong := any([]any{[]any{}})
			found := violationsOf(schema, changedSummary(text, place[1:], wrong))
			Expect(found).NotTo(BeEmpty(), place)
			Expect(found[0].Pointer).To(HavePrefix(place))
			Expect(found[0].Expected).NotTo(BeEmpty(), place)
			tried++
		}
		Expect(tried).To(BeNumerically(">", 100))
	})

	It("requires each member of the format, save those of a slot's outcomes", func() {
		schema, text := compileSchema(schemas.SweepSchema), whole()
		for _, place := range memberPointers("", decodeObject(text)) {
			if containsAny(place, []string{"/suite/libraries/", "/suite/files/", "/why/", "/identity/target/",
				"/slots/0/outcomes/"}) {
				continue
			}
			found := violationsOf(schema, changedSummary(text, place[1:], gone))
			Expect(found).To(HaveLen(1), place)
			Expect(found[0].Pointer).To(Equal(place))
		}
	})
})

var _ = Describe("The schema of findings.ndjson", func() {
	It("takes every line that a sweep leaves", func() {
		folder := GinkgoT().TempDir()
		s := concludedSummary(stats.New(7))
		out, err := checkpoint.Begin(folder, nil, checkpoint.Header{Format: stats.Format, Suite: "0.1.0",
			Sweep: "a-sweep", Started: started, Identity: s.Identity})
		Expect(err).NotTo(HaveOccurred())
		defer out.Close()
		kinds := []stats.Finding{
			differenceFinding(0, "/Flags"), differenceFinding(1, "", setWaived), violationFinding(2,
				"/Id"), openFinding(3,
				schemas.FindByUserIDs),
			violationFinding(4, "/0/Device/Model", func(f *stats.Finding) { f.Version, f.Count = schemas.V5, 90 }),
		}
		for i := range kinds {
			Expect(out.Add(&kinds[i])).To(Succeed())
		}
		_, err = out.Finish(5, true)
		Expect(err).NotTo(HaveOccurred())
		content, err := os.ReadFile(filepath.Join(folder, stats.FindingsFile))
		Expect(err).NotTo(HaveOccurred())
		schema, lines := compileSchema(schemas.FindingsSchema),
			strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		Expect(lines).To(HaveLen(len(kinds) + 2))
		for _, line := range lines {
			Expect(violationsOf(schema, line)).To(BeEmpty(), line)
			for name := range decodeObject(line) {
				Expect(violationsOf(schema, changedSummary(line, name, gone))).NotTo(BeEmpty(), "%s without %s", line,
					name)
				Expect(violationsOf(schema, changedSummary(line, name, []any{}))).NotTo(BeEmpty(),
					"%s with a list as %s", line,
					name)
			}
		}
	})
})

var _ = Describe("The schemas of a sweep's files", func() {
	// The other library knows none of the formats of ours: the patterns beside them must do.
	It("read alike to another library", func() {
		names, err := fs.Glob(schemas.Files(), "*.schema.json")
		Expect(err).NotTo(HaveOccurred())
		compiler, id := other.NewCompiler(), ""
		for _, name := range names {
			content, err := fs.ReadFile(schemas.Files(), name)
			Expect(err).NotTo(HaveOccurred())
			document, err := other.UnmarshalJSON(bytes.NewReader(content))
			Expect(err).NotTo(HaveOccurred())
			id = document.(map[string]any)["$id"].(string)
			Expect(compiler.AddResource(id, document)).To(Succeed())
		}
		second := func(file string) *other.Schema {
			GinkgoHelper()
			schema, err := compiler.Compile(id[:strings.LastIndex(id, "/")+1] + file)
			Expect(err).NotTo(HaveOccurred())
			return schema
		}
		alike := func(theirs *other.Schema, got *schemas.Schema, text string) {
			GinkgoHelper()
			value, err := other.UnmarshalJSON(strings.NewReader(text))
			Expect(err).NotTo(HaveOccurred())
			Expect(theirs.Validate(value) == nil).To(Equal(len(violationsOf(got, text)) == 0), text)
		}
		sweep, got := second("sweep.schema.json"), compileSchema(schemas.SweepSchema)
		for _, s := range everyKind() {
			alike(sweep, got, writeSummary(s))
		}
		text := writeSummary(concludedSummary(countUsers(mixedUsers(12, 51)...),
			func(s *stats.Summary) { s.Suite = report.Suite{Contract: digest} }))
		for _, place := range memberPointers("", decodeObject(text)) {
			for _, odd := range []any{nil, 0.5, "x", gone} {
				alike(sweep, got, changedSummary(text, place[1:], odd))
			}
		}
		finding, err := json.Marshal(differenceFinding(1, "/Flags"))
		Expect(err).NotTo(HaveOccurred())
		line := strings.Replace(string(finding), "{", `{"line":"finding",`, 1)
		findings, got := second("findings.schema.json"), compileSchema(schemas.FindingsSchema)
		Expect(violationsOf(got, line)).To(BeEmpty())
		for _, text := range []string{line, string(finding), strings.Replace(line, "finding", "footer", 1),
			`{"line":"footer"}`, `{}`, `[]`} {
			alike(findings, got, text)
		}
	})
})

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
