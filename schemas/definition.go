package schemas

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// definition is a JSON Schema as its file writes it. Once a treeBuilder has resolved it, each $ref in it is replaced by
// what it refers to, and Properties has the members of all alternatives. AcceptsAnswer uses all of it. For violations,
// which gojsonschema finds, it provides the descriptions and the order of members.
type definition struct {
	Ref         *string       `json:"$ref,omitzero"`
	Description string        `json:"description,omitzero"`
	Default     string        `json:"default,omitzero"`
	Type        types         `json:"type,omitzero"`
	Properties  definitions   `json:"properties,omitzero"`
	Required    []string      `json:"required,omitzero"`
	Items       *definition   `json:"items,omitzero"`
	Pattern     *string       `json:"pattern,omitzero"`
	AllOf       []*definition `json:"allOf,omitzero"`
	OneOf       []*definition `json:"oneOf,omitzero"`
	Definitions definitions   `json:"definitions,omitzero"`

	// These only describe a schema.
	Schema string `json:"$schema,omitzero"`
	Title  string `json:"title,omitzero"`

	Since Version `json:"since,omitzero"` // as span, which only the union of all versions keeps
	Until Version `json:"until,omitzero"`

	Other map[string]jsontext.Value `json:",embed"` // the keywords that acceptance does not know

	// Set when it is resolved.
	resolved bool
	formats  []*regexp.Regexp // patterns that a string must match
	opaque   bool             // acceptance does not know a keyword here
}

// parse reads a schema file. It refuses a keyword above in another form, and a member that occurs twice.
func parse(content []byte) (*definition, error) {
	root := &definition{}
	return root, json.Unmarshal(content, root)
}

// definitions are named schemas in the order of the file, which a map would lose.
type definitions struct {
	names   []string
	schemas []*definition // as in names
}

func (d *definitions) add(name string, schema *definition) {
	d.names, d.schemas = append(d.names, name), append(d.schemas, schema)
}

// get finds a schema by its name; nil if there is none.
func (d *definitions) get(name string) *definition {
	if i := slices.Index(d.names, name); i >= 0 {
		return d.schemas[i]
	}
	return nil
}

// UnmarshalJSONFrom reads an object.
func (d *definitions) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return errors.New("expected an object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != '}' {
		var name string
		var member *definition
		if err := json.UnmarshalDecode(decoder, &name); err != nil {
			return err
		}
		if decoder.PeekKind() == 'n' {
			return fmt.Errorf("%s is null; expected a value", name)
		}
		if err := json.UnmarshalDecode(decoder, &member); err != nil {
			return err
		}
		d.add(name, member)
	}
	_, err := decoder.ReadToken()
	return err
}

// MarshalJSONTo writes the schemas in their order.
func (d *definitions) MarshalJSONTo(encoder *jsontext.Encoder) error {
	if err := encoder.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for i, name := range d.names {
		if err := errors.Join(encoder.WriteToken(jsontext.String(name)),
			json.MarshalEncode(encoder, d.schemas[i])); err != nil {
			return err
		}
	}
	return encoder.WriteToken(jsontext.EndObject)
}

// types are the names of the types that a schema allows.
type types []string

// UnmarshalJSONFrom reads one name or a list of names.
func (t *types) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() == '[' {
		return json.UnmarshalDecode(decoder, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.UnmarshalDecode(decoder, &(*t)[0])
}
