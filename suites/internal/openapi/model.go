package openapi

import "go.yaml.in/yaml/v4"

// The objects of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), with the members that the document uses.
type (
	root struct {
		OpenAPI    string                `yaml:"openapi"`
		Info       info                  `yaml:"info"`
		Servers    []server              `yaml:"servers,omitempty"`
		Security   []map[string][]string `yaml:"security"`
		Tags       []tag                 `yaml:"tags"`
		Paths      map[string]pathItem   `yaml:"paths"`
		Components componentsObject      `yaml:"components"`
	}
	info struct {
		Title       string `yaml:"title"`
		Summary     string `yaml:"summary"`
		Description string `yaml:"description"`
		Version     string `yaml:"version"`
		Contract    string `yaml:"x-contract"` // the digest of the contract
	}
	server struct {
		URL         string `yaml:"url"`
		Description string `yaml:"description,omitempty"`
	}
	tag struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	pathItem struct {
		Servers []server  `yaml:"servers,omitempty"`
		Post    operation `yaml:"post"`
	}
	operation struct {
		OperationID string          `yaml:"operationId"`
		Tags        []string        `yaml:"tags"`
		Summary     string          `yaml:"summary"`
		Description string          `yaml:"description"`
		RequestBody body            `yaml:"requestBody"`
		Responses   map[string]body `yaml:"responses"`
	}
	// body is a request body or a response.
	body struct {
		Description string           `yaml:"description,omitempty"`
		Required    bool             `yaml:"required,omitempty"`
		Content     map[string]media `yaml:"content,omitempty"`
	}
	media struct {
		Schema   schemaOrRef          `yaml:"schema"`
		Examples map[string]reference `yaml:"examples"`
	}
	reference struct {
		Ref string `yaml:"$ref,omitempty"`
	}
	// schemaOrRef is a reference to a component, or a schema with the few keywords that answers use.
	schemaOrRef struct {
		reference   `yaml:",inline"`
		Description string        `yaml:"description,omitempty"`
		Type        string        `yaml:"type,omitempty"`
		Items       *schemaOrRef  `yaml:"items,omitempty"`
		OneOf       []schemaOrRef `yaml:"oneOf,omitempty"`
	}
	componentsObject struct {
		Schemas  map[string]*yaml.Node `yaml:"schemas"`
		Examples map[string]example    `yaml:"examples"`
	}
	example struct {
		Summary string     `yaml:"summary"`
		Value   *yaml.Node `yaml:"value"`
	}
)

// content returns a JSON body with the name of its example.
func content(schema schemaOrRef, example string) map[string]media {
	return map[string]media{mediaType: {
		Schema: schema, Examples: map[string]reference{"reference": {"#/components/examples/" + example}},
	}}
}
