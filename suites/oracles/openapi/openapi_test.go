package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/openapi"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// newDocument is the document of both versions, with an ordinary user of the reference.
func newDocument(change ...func(*openapi.Options)) *openapi.Document {
	GinkgoHelper()
	contract := testkit.Contract()
	suite, err := conformance.Specification(contract)
	Expect(err).NotTo(HaveOccurred())
	users, err := fixtures.Users()
	Expect(err).NotTo(HaveOccurred())
	records, err := fixtures.Records()
	Expect(err).NotTo(HaveOccurred())
	options := openapi.Options{Suite: "1.2.3", Versions: schemas.Versions(), Example: openapi.Example{
		User: settings.User(users[0]), ApplicationID: fixtures.ApplicationID,
		Record: records[0].Authenticator, Identifiers: records[0].Identifiers,
	}}
	for _, c := range change {
		c(&options)
	}
	d, err := openapi.New(suite, options)
	Expect(err).NotTo(HaveOccurred())
	return d
}

func encodeDocument(d *openapi.Document, format string) []byte {
	GinkgoHelper()
	text, err := d.Encode(format)
	Expect(err).NotTo(HaveOccurred())
	return text
}

// decodeDocument is the document as a JSON decoder reads it.
func decodeDocument(d *openapi.Document) any {
	GinkgoHelper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encodeDocument(d, openapi.JSON)))
	Expect(err).NotTo(HaveOccurred())
	return value
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
	It("says the same in YAML and in JSON", func() {
		var fromYAML, fromJSON any
		d := newDocument()
		Expect(yaml.Load(encodeDocument(d, openapi.YAML), &fromYAML)).To(Succeed())
		Expect(json.Unmarshal(encodeDocument(d, openapi.JSON), &fromJSON)).To(Succeed())
		again, err := json.Marshal(fromYAML)
		Expect(err).NotTo(HaveOccurred())
		Expect(again).To(MatchJSON(encodeDocument(d, openapi.JSON)))
		_, err = d.Encode("xml")
		Expect(err).To(MatchError(ContainSubstring(`no format "xml"`)))
	})

	It("has the members of a record in the document's order", func() {
		text := string(encodeDocument(newDocument(), openapi.JSON))
		_, text, _ = strings.Cut(text, `"Authenticator": {`)
		text, _, _ = strings.Cut(text, `"DateTime": {`)
		last := -1
		for _, name := range []string{
			"AuthenticationCountLimit", "CreatedOn", "ModeTypeName", "UserId", "SerialNumber", "Device", "CreatedBy",
		} {
			found := strings.Index(text, `"`+name+`": {`)
			Expect(found).To(BeNumerically(">", last), name)
			last = found
		}
	})

	It("has both operations of both versions, each with the requirements that the schemas do not say", func() {
		paths := lookUp(decodeDocument(newDocument()), "paths").(map[string]any)
		contract := testkit.Contract()
		var expected []string
		for _, v := range schemas.Versions() {
			for _, op := range schemas.Operations() {
				expected = append(expected, schemas.Path(v, op))
				description := lookUp(paths, schemas.Path(v, op), "post", "description")
				for _, r := range contract.Requirements {
					concerns := r.Kind == schemas.Documented && !r.Parity && r.Section >= "4" &&
						slices.Contains(r.Operations, op)
					Expect(strings.Contains(description.(string), r.Statement)).To(Equal(concerns), r.ID)
				}
			}
		}
		Expect(slices.Collect(maps.Keys(paths))).To(ConsistOf(expected))
	})

	It("says in its requests what is required (J13), and that an empty token is not taken", func() {
		requests := lookUp(decodeDocument(newDocument()), "components", "schemas")
		Expect(lookUp(requests, "GetUserAuthRequest", "required")).To(
			ConsistOf("Id", "UserId", "AccessToken", "ApplicationId"))
		Expect(lookUp(requests, "FindByUserIdsRequest", "required")).To(
			ConsistOf("UserId", "AccessToken", "ApplicationId"))
		for _, name := range []string{"GetUserAuthRequest", "FindByUserIdsRequest"} {
			Expect(lookUp(requests, name, "properties", "AccessToken", "minLength")).To(Equal(json.Number("1")))
			Expect(lookUp(requests, name, "properties", "ApplicationId")).NotTo(HaveKey("minLength"))
		}
	})

	DescribeTable("has the servers of the settings", func(v5, v6 string, whole, ofPaths []any) {
		d := decodeDocument(newDocument(func(o *openapi.Options) {
			if v5 != "" {
				o.Servers = map[schemas.Version]string{schemas.V5: v5, schemas.V6: v6}
			}
		})).(map[string]any)
		Expect(urlsOf(d["servers"])).To(Equal(whole))
		for i, v := range schemas.Versions() {
			for _, op := range schemas.Operations() {
				var expected []any
				if len(ofPaths) > 0 {
					expected = ofPaths[i : i+1]
				}
				item := lookUp(d, "paths", schemas.Path(v, op)).(map[string]any)
				Expect(urlsOf(item["servers"])).To(Equal(expected))
			}
		}
	},
		Entry("none", "", "", []any{"/"}, nil),
		Entry("one for both versions", "https://a.example/x", "https://a.example/x", []any{"https://a.example/x"}, nil),
		Entry("one for each version", "https://a.example", "https://b.example",
			[]any{"https://a.example", "https://b.example"}, []any{"https://a.example", "https://b.example"}),
	)

	It("describes the versions that it is asked for", func() {
		d := decodeDocument(newDocument(func(o *openapi.Options) { o.Versions = []schemas.Version{schemas.V6} }))
		Expect(lookUp(d, "paths")).To(And(HaveLen(2), HaveKey("/api/v6/authenticator/getUserAuth")))
		Expect(lookUp(d, "tags")).To(HaveLen(1))
	})

	It("takes and refuses the example messages as the schemas of the contract do", func() {
		compiler := jsonschema.NewCompiler()
		compiler.DefaultDraft(jsonschema.Draft2020)
		Expect(compiler.AddResource("file:///openapi.json", decodeDocument(newDocument()))).To(Succeed())
		all, err := messages.All()
		Expect(err).NotTo(HaveOccurred())
		judged := map[string]int{}
		for _, m := range all {
			name := map[string]string{
				"authenticator.schema.json":            "Authenticator",
				"device.schema.json":                   "Device",
				"guid-array.schema.json":               "GuidArray",
				"get-user-auth-request.schema.json":    "GetUserAuthRequest",
				"find-by-user-ids-request.schema.json": "FindByUserIdsRequest",
			}[m.Schema]
			schema, err := compiler.Compile("file:///openapi.json#/components/schemas/" + name)
			Expect(err).NotTo(HaveOccurred(), m.Schema)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Body))
			Expect(err).NotTo(HaveOccurred(), m.Name)
			valid := m.Valid && !strings.HasSuffix(m.Name, "-AccessToken-empty") // J13
			Expect(schema.Validate(value) == nil).To(Equal(valid), m.Name)
			judged[fmt.Sprint(name, valid)]++
		}
		Expect(judged).To(HaveLen(10), "each schema needs both kinds")
	})

	It("shows what the reference answers, and no token", func() {
		examples := lookUp(decodeDocument(newDocument()), "components", "examples")
		records, err := fixtures.Records()
		Expect(err).NotTo(HaveOccurred())
		answer, err := json.Marshal(lookUp(examples, "getUserAuthAnswer", "value"))
		Expect(err).NotTo(HaveOccurred())
		Expect(answer).To(MatchJSON(records[0].Authenticator))
		Expect(lookUp(examples, "getUserAuthRequest", "value")).To(Equal(map[string]any{
			"Id": records[0].ID, "UserId": records[0].UserID,
			"AccessToken": "$AUTHN_ACCESS_TOKEN", "ApplicationId": fixtures.ApplicationID,
		}))
		Expect(encodeDocument(newDocument(), openapi.JSON)).NotTo(ContainSubstring(fixtures.AccessToken))
	})
})

func urlsOf(servers any) (urls []any) {
	list, _ := servers.([]any)
	for _, s := range list {
		urls = append(urls, lookUp(s, "url"))
	}
	return urls
}
