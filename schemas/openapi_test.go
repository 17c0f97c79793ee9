package schemas_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
)

// openAPI is what the specs below read of openapi.yaml.
type openAPI struct {
	Paths map[string]map[string]struct {
		OperationID string `yaml:"operationId"`
		Tags        []schemas.Version
		RequestBody struct {
			Ref string `yaml:"$ref"`
		} `yaml:"requestBody"`
		Responses map[string]struct {
			Ref string `yaml:"$ref"`
		}
	}
	Components struct {
		RequestBodies map[string]struct {
			Required bool
			Content  content
		} `yaml:"requestBodies"`
		Responses map[string]struct{ Content content }
	}
}

type content map[string]struct {
	Schema   shape
	Examples map[string]struct{ Value any }
}

type shape struct {
	Ref        string  `yaml:"$ref"`
	AllOf      []shape `yaml:"allOf"`
	OneOf      []shape `yaml:"oneOf"`
	Items      *shape
	Properties map[string]struct {
		MinLength int `yaml:"minLength"`
	}
}

var _ = Describe("openapi.yaml", func() {
	var document openAPI
	BeforeEach(func() {
		document = openAPI{}
		Expect(yaml.Load(Must(os.ReadFile("openapi.yaml")), &document)).To(Succeed())
	})

	It("has each operation of each version, and nothing else", func() {
		for _, v := range schemas.Versions() {
			for _, op := range schemas.Operations() {
				methods := document.Paths[schemas.Path(v, op)]
				delete(document.Paths, schemas.Path(v, op))
				Expect(methods).To(And(HaveLen(1), HaveKey("post")), "%s of %s", op, v)
				post := methods["post"]
				Expect(post.OperationID).To(Equal(string(op) + strings.ToUpper(string(v))))
				Expect(post.Tags).To(HaveExactElements(v))
				Expect(post.RequestBody.Ref).To(Equal("#/components/requestBodies/" + string(op)))
				Expect(post.Responses).To(And(HaveLen(2), HaveKey("default")))
				Expect(post.Responses["2XX"].Ref).To(Equal("#/components/responses/" + string(op)))
			}
		}
		Expect(document.Paths).To(BeEmpty())
	})

	It("takes the shapes from the schemas beside it, and requires in a request what the contract requires", func() {
		const record = "authenticator.schema.json"
		Expect(document.Components.Responses["getUserAuth"].Content["application/json"].Schema).To(
			Equal(shape{OneOf: []shape{{Ref: record}, {Items: &shape{Ref: record}}}}))
		Expect(document.Components.Responses["findByUserIds"].Content["application/json"].Schema).To(
			Equal(shape{Ref: "guid-array.schema.json"}))
		Expect(document.Components.Responses["refusal"].Content).To(BeEmpty())
		for _, op := range schemas.Operations() {
			body := document.Components.RequestBodies[string(op)]
			sent := body.Content["application/json"]
			Expect(body.Required).To(BeTrue())
			Expect(sent.Schema.AllOf).To(HaveLen(2))
			var file struct{ Required []string }
			Expect(json.Unmarshal(Must(os.ReadFile(sent.Schema.AllOf[0].Ref)), &file)).To(Succeed())
			var required []string
			for _, r := range contract().Requirements {
				if ok, _ := path.Match("4.*/*/required", r.ID); ok && r.Operations[0] == op {
					required = append(required, strings.Split(r.ID, "/")[1])
				}
			}
			Expect(file.Required).To(ConsistOf(required))
			Expect(contract().Request(op).Members()).To(ConsistOf(required))
			Expect(sent.Schema.AllOf[1].Properties).To(And(HaveLen(1), HaveKey("AccessToken")))
			Expect(sent.Schema.AllOf[1].Properties["AccessToken"].MinLength).To(Equal(1),
				"an empty token is refused (J13)")
			example, _ := sent.Examples["reference"].Value.(map[string]any)
			Expect(example).To(HaveLen(len(required)))
			Expect(example).To(HaveKey("AccessToken"))
		}
	})
})
