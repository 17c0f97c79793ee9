package openapi

import (
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
)

func TestConvertRefuses(t *testing.T) {
	for name, test := range map[string]struct{ schema, fault string }{
		"a keyword that it does not know": {`{"dependencies": {}}`, `the keyword "dependencies"`},
		"one deep within":                 {`{"properties": {"A": {"items": {"format": "uuid"}}}}`, `the keyword "format"`},
		"keywords beside $ref":            {`{"$ref": "#/definitions/a", "type": "string"}`, "beside $ref"},
		"a definition that is not there":  {`{"allOf": [{"$ref": "#/definitions/a"}]}`, `no definition "a"`},
		"a file that is not there":        {`{"$ref": "other.schema.json"}`, "other.schema.json can't be read"},
		"a reference to something else":   {`{"$ref": "#/properties/a"}`, "refers to neither"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newConverter(fstest.MapFS{"case.schema.json": {Data: []byte(test.schema)}})
			_, err := c.component("case.schema.json", "")
			g.Expect(err).To(MatchError(ContainSubstring(test.fault)))
		})
	}
}

func TestConvertKeepsMeaning(t *testing.T) {
	g := NewWithT(t)
	schema := `{"$schema": "x", "$id": "y", "type": ["object", "null"],
		"properties": {"Next": {"$ref": "#/definitions/a-b"}, "Items": {"type": "array", "items": {"$ref": "#"}}},
		"definitions": {"a-b": {"oneOf": [{"$ref": "#/definitions/a-b"}, {"enum": [1.50, "2019-03-06T21:00:21Z", null]}]}}}`
	c := newConverter(fstest.MapFS{"the-case.schema.json": {Data: []byte(schema)}})
	ref, err := c.component("the-case.schema.json", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ref.Ref).To(Equal("#/components/schemas/TheCase"))
	for name, want := range map[string]string{
		"TheCase": `{"type":["object","null"],"properties":{"Next":{"$ref":"#/components/schemas/AB"},` +
			`"Items":{"type":"array","items":{"$ref":"#/components/schemas/TheCase"}}}}`,
		"AB": `{"oneOf":[{"$ref":"#/components/schemas/AB"},{"enum":[1.50,"2019-03-06T21:00:21Z",null]}]}`,
	} {
		g.Expect(string(appendJSON(nil, c.schemas[name]))).To(Equal(want))
	}
	g.Expect(c.schemas).To(HaveLen(2))
}
