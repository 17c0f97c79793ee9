package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

func TestOpenAPI(t *testing.T) { testkit.Specs(t, "OpenAPI") }

// file is the document. Its schemas are files beside it.
const file = "file:///openapi.yaml"

// readDocument returns openapi.yaml as a decoder of JSON would.
func readDocument() any {
	GinkgoHelper()
	var value any
	Expect(yaml.Load(testkit.Read(filepath.Join("..", "..", "..", "..", "schemas", "openapi.yaml")),
		&value)).To(Succeed())
	return testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(testkit.Must(json.Marshal(value)))))
}

// lookUp is the value at a place of the document.
func lookUp(value any, path ...string) any {
	GinkgoHelper()
	for _, name := range path {
		object, _ := value.(map[string]any)
		Expect(object).To(HaveKey(name), strings.Join(path, " "))
		value = object[name]
	}
	return value
}

var _ = Describe("openapi.yaml", func() {
	It("takes and refuses the example messages as the contract does, but for an empty token (J13)", func() {
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		Expect(compiler.AddResource(file, readDocument())).To(Succeed())
		for _, name := range testkit.Must(fs.Glob(schemas.Files(), "*.schema.json")) {
			schema := testkit.Must(jsonschema.UnmarshalJSON(testkit.Must(schemas.Files().Open(name))))
			Expect(compiler.AddResource("file:///"+name, schema)).To(Succeed())
		}
		const inContent = "/content/application~1json/schema"
		judged := map[string]int{}
		for _, m := range testkit.Must(messages.All()) {
			place, sent := map[string]string{
				"authenticator.schema.json":            "responses/getUserAuth" + inContent + "/oneOf/0",
				"guid-array.schema.json":               "responses/findByUserIds" + inContent,
				"get-user-auth-request.schema.json":    "requestBodies/getUserAuth" + inContent,
				"find-by-user-ids-request.schema.json": "requestBodies/findByUserIds" + inContent,
			}[m.Schema]
			if !sent {
				continue // a device, which is a member of records
			}
			schema := testkit.Must(compiler.Compile(file + "#/components/" + place))
			value := testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(m.Body)))
			valid := m.Valid && !strings.HasSuffix(m.Name, "-AccessToken-empty")
			Expect(schema.Validate(value) == nil).To(Equal(valid), m.Name)
			judged[fmt.Sprint(m.Schema, valid)]++
		}
		Expect(judged).To(HaveLen(8), "each schema needs both kinds")
	})

	It("shows what the reference answers, and no token", func() {
		record := testkit.Must(fixtures.Records())[0]
		example := func(place ...string) any {
			GinkgoHelper()
			path := append([]string{"components"}, place...)
			return lookUp(readDocument(), append(path, "content", "application/json", "examples",
				"reference", "value")...)
		}
		Expect(testkit.Must(json.Marshal(example("responses", "getUserAuth")))).To(MatchJSON(record.Authenticator))
		Expect(testkit.Must(json.Marshal(example("responses", "findByUserIds")))).To(
			MatchJSON(testkit.Must(json.Marshal(record.Identifiers))))
		request := map[string]any{"UserId": record.UserID, "AccessToken": "$AUTHN_ACCESS_TOKEN",
			"ApplicationId": fixtures.ApplicationID}
		Expect(example("requestBodies", "findByUserIds")).To(Equal(request))
		request["Id"] = record.ID
		Expect(example("requestBodies", "getUserAuth")).To(Equal(request))
	})
})
