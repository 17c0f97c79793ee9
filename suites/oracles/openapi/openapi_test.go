package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/openapi"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestOpenAPI(t *testing.T) { testkit.Specs(t, "OpenAPI") }

// encodeDocument is the document of both versions, with an ordinary user of the reference.
func encodeDocument(format string, changes ...func(*openapi.Options)) []byte {
	GinkgoHelper()
	record := testkit.Must(fixtures.Records())[0]
	options := openapi.Options{Suite: "1.2.3", Versions: schemas.Versions(), Example: openapi.Example{
		User: settings.User(testkit.Must(fixtures.Users())[0]), ApplicationID: fixtures.ApplicationID,
		Record: record.Authenticator, Identifiers: record.Identifiers,
	}}
	for _, change := range changes {
		change(&options)
	}
	return testkit.Must(testkit.Must(openapi.New(testkit.Suite(), options)).Encode(format))
}

// decodeDocument is the document as a JSON decoder reads it.
func decodeDocument(changes ...func(*openapi.Options)) any {
	GinkgoHelper()
	return testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(encodeDocument(openapi.JSON, changes...))))
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

var _ = Describe("The OpenAPI document", func() {
	It("is as its golden file, and says the same in YAML and in JSON", func() {
		var value any
		digest := regexp.MustCompile("sha256:[0-9a-f]{64}") // of the contract
		testkit.ExpectGolden("testdata/openapi.yaml",
			digest.ReplaceAllString(string(encodeDocument(openapi.YAML)), "sha256:…"))
		Expect(yaml.Load(encodeDocument(openapi.YAML), &value)).To(Succeed())
		Expect(testkit.Must(json.Marshal(value))).To(MatchJSON(encodeDocument(openapi.JSON)))
		d := testkit.Must(openapi.New(testkit.Suite(), openapi.Options{Versions: schemas.Versions()}))
		_, err := d.Encode("xml")
		Expect(err).To(MatchError(ContainSubstring(`no format "xml"`)))
	})

	It("has both operations of both versions, each with the requirements that the schemas do not say", func() {
		paths := lookUp(decodeDocument(), "paths").(map[string]any)
		var expected []string
		for _, v := range schemas.Versions() {
			for _, op := range schemas.Operations() {
				expected = append(expected, schemas.Path(v, op))
				description := lookUp(paths, schemas.Path(v, op), "post", "description")
				for _, r := range testkit.Contract().Requirements {
					concerns := r.Kind == schemas.Documented && !r.Parity && r.Section >= "4" &&
						slices.Contains(r.Operations, op)
					Expect(strings.Contains(description.(string), r.Statement)).To(Equal(concerns), r.ID)
				}
			}
		}
		Expect(slices.Collect(maps.Keys(paths))).To(ConsistOf(expected))
	})

	DescribeTable("has the servers of the settings", func(v5, v6 string, whole, ofPaths []string) {
		d := decodeDocument(func(o *openapi.Options) {
			if v5 != "" {
				o.Servers = map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6}
			}
		}).(map[string]any)
		Expect(urlsOf(d["servers"])).To(Equal(whole))
		for i, v := range schemas.Versions() {
			for _, op := range schemas.Operations() {
				item := lookUp(d, "paths", schemas.Path(v, op)).(map[string]any)
				Expect(urlsOf(item["servers"])).To(Equal(ofPaths[min(i, len(ofPaths)):min(i+1, len(ofPaths))]))
			}
		}
	},
		Entry("none", "", "", []string{"/"}, []string{}),
		Entry("one for both versions", "https://a.example/x", "https://a.example/x", []string{"https://a.example/x"},
			[]string{}),
		Entry("one for each version", "https://a.example", "https://b.example",
			[]string{"https://a.example", "https://b.example"}, []string{"https://a.example", "https://b.example"}),
	)

	It("describes the versions that it is asked for", func() {
		d := decodeDocument(func(o *openapi.Options) { o.Versions = []schemas.Version{schemas.V6} })
		Expect(lookUp(d, "paths")).To(And(HaveLen(2), HaveKey("/api/v6/authenticator/getUserAuth")))
		Expect(lookUp(d, "tags")).To(HaveLen(1))
	})

	It("takes and refuses the example messages as the contract does, but for an empty token (J13)", func() {
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		Expect(compiler.AddResource("file:///openapi.json", decodeDocument())).To(Succeed())
		judged := map[string]int{}
		for _, m := range testkit.Must(messages.All()) {
			name := map[string]string{
				"authenticator.schema.json":            "Authenticator",
				"device.schema.json":                   "Device",
				"guid-array.schema.json":               "GuidArray",
				"get-user-auth-request.schema.json":    "GetUserAuthRequest",
				"find-by-user-ids-request.schema.json": "FindByUserIdsRequest",
			}[m.Schema]
			schema := testkit.Must(compiler.Compile("file:///openapi.json#/components/schemas/" + name))
			value := testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(m.Body)))
			valid := m.Valid && !strings.HasSuffix(m.Name, "-AccessToken-empty")
			Expect(schema.Validate(value) == nil).To(Equal(valid), m.Name)
			judged[fmt.Sprint(name, valid)]++
		}
		Expect(judged).To(HaveLen(10), "each schema needs both kinds")
	})

	It("shows what the reference answers, and no token", func() {
		examples, record := lookUp(decodeDocument(), "components", "examples"), testkit.Must(fixtures.Records())[0]
		Expect(testkit.Must(json.Marshal(lookUp(examples, "getUserAuthAnswer", "value")))).To(
			MatchJSON(record.Authenticator))
		Expect(lookUp(examples, "getUserAuthRequest", "value")).To(Equal(map[string]any{
			"Id": record.ID, "UserId": record.UserID,
			"AccessToken": "$AUTHN_ACCESS_TOKEN", "ApplicationId": fixtures.ApplicationID,
		}))
		Expect(encodeDocument(openapi.JSON)).NotTo(ContainSubstring(fixtures.AccessToken))
	})
})

func urlsOf(servers any) []string {
	urls := []string{}
	list, _ := servers.([]any)
	for _, s := range list {
		urls = append(urls, lookUp(s, "url").(string))
	}
	return urls
}
