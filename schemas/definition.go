package schemas

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// definition is a JSON Schema as its file writes it.
type definition struct {
	Ref         *string       `json:"$ref"`
	Description string        `json:"description"`
	Default     string        `json:"default"`
	Type        types         `json:"type"`
	Properties  definitions   `json:"properties"`
	Items       *definition   `json:"items"`
	Pattern     *string       `json:"pattern"`
	AllOf       []*definition `json:"allOf"`
	OneOf       []*definition `json:"oneOf"`
	Definitions definitions   `json:"definitions"`

	// These only describe a schema.
	Schema string `json:"$schema"`
	ID     string `json:"$id"`
	Title  string `json:"title"`

	Other map[string]jsontext.Value `json:",embed"` // the keywords that acceptance does not know
}

// parse reads a schema file. It refuses a keyword above in another form, and a member that occurs twice.
func parse(content []byte) (*definition, error) {
	root := &definition{}
	return root, json.Unmarshal(content, root)
}

// definitions are named schemas, in the order of the file.
type definitions struct {
	names  []string
	byName map[string]*definition
}

// UnmarshalJSONFrom keeps the order of the members, which a map would lose.
func (d *definitions) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return errors.New("expected an object of schemas")
	}
	d.byName = map[string]*definition{}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != '}' {
		var name string
		var member definition
		if err := json.UnmarshalDecode(decoder, &name); err != nil {
			return err
		}
		if err := json.UnmarshalDecode(decoder, &member); err != nil {
			return err
		}
		d.names = append(d.names, name)
		d.byName[name] = &member
	}
	_, err := decoder.ReadToken()
	return err
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
