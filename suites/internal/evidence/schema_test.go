package evidence_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/suites/internal/exchange"
)

// harSchemas is where `npm ci --prefix .ci` puts the JSON Schemas of HAR 1.2 (package har-schema).
var harSchemas = filepath.Join("..", "..", "..", ".ci", "node_modules", "har-schema", "lib")

// harSchema compiles the schema of an archive, and skips the spec where it is not installed.
func harSchema() *jsonschema.Schema {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(harSchemas, "*.json"))
	Expect(err).NotTo(HaveOccurred())
	if len(files) == 0 {
		const missing = "the schema of HAR is not installed; install it with: npm ci --prefix .ci"
		if os.Getenv("CONFORMANCE_REQUIRE_BROWSER") == "1" {
			Fail(missing)
		}
		Skip(missing)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, file := range files {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(readFile(file)))
		Expect(err).NotTo(HaveOccurred())
		Expect(compiler.AddResource("file:///"+filepath.Base(file), document)).To(Succeed())
	}
	schema, err := compiler.Compile("file:///har.json")
	Expect(err).NotTo(HaveOccurred())
	return schema
}

var _ = Describe("The schema of HAR 1.2", func() {
	check := func(schema *jsonschema.Schema, archive []byte) error {
		GinkgoHelper()
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(archive))
		Expect(err).NotTo(HaveOccurred())
		return schema.Validate(document)
	}

	It("takes an archive with an entry of each sort, and one without any", func() {
		schema := harSchema()
		Expect(check(schema, newFixture().archive())).To(Succeed())
		Expect(check(schema, smallArchive())).To(Succeed())
	})

	It("takes what a target answers, whatever it is", func() {
		schema := harSchema()
		d := newFixture(withHeaders())
		for i, change := range []func(*exchange.Exchange){
			func(ex *exchange.Exchange) { ex.Header = nil },
			func(ex *exchange.Exchange) { ex.Status, ex.Proto = 999, "HTTP/2.0" },
			func(ex *exchange.Exchange) { ex.Duration = 0 },
			func(ex *exchange.Exchange) { ex.Header.Set("Location", "not a URL at all: \xff") },
			func(ex *exchange.Exchange) { ex.Header.Set("Set-Cookie", "a=b") },
			func(ex *exchange.Exchange) { ex.Body = []byte("\xff\x00") },
			func(ex *exchange.Exchange) { ex.Body = bytes.Repeat([]byte("x"), 1<<20+1) },
			func(ex *exchange.Exchange) { ex.Body = []byte("<script>" + token) },
			func(ex *exchange.Exchange) {
				ex.Body, ex.Fault = nil, &exchange.Fault{Kind: exchange.Bound, Detail: "larger than 16 MiB"}
			},
		} {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), "{}")
			change(ex)
			d.keep(ex)
		}
		Expect(check(schema, d.archive())).To(Succeed())
	})

	It("refuses what is no archive", func() {
		schema := harSchema()
		broken := bytes.Replace(smallArchive(), []byte(`"redirectURL":`), []byte(`"redirect":`), 1)
		Expect(check(schema, broken)).NotTo(Succeed())
	})
})
