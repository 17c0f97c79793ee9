package schemas

import (
	"errors"
	"fmt"

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
	Title  string `json:"title"`

	Since string `json:"since"` // as span, which only the union of all versions keeps
	Until string `json:"until"`

	Other map[string]jsontext.Value `json:",embed"` // the keywords that acceptance does not know
}

// parse reads a schema file. It refuses a keyword above in another form, and a member that occurs twice.
func parse(content []byte) (*definition, error) {
	root := &definition{}
	return root, json.Unmarshal(content, root)
}

// object is a JSON object whose members keep the order of the file, which a map would lose.
type object = ordered[jsontext.Value]

// definitions are named schemas, in the order of the file.
type definitions = ordered[*definition]

type ordered[T any] struct {
	names  []string
	byName map[string]T
}

// UnmarshalJSONFrom reads an object.
func (o *ordered[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return errors.New("expected an object")
	}
	o.byName = map[string]T{}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != '}' {
		var name string
		var member T
		if err := json.UnmarshalDecode(decoder, &name); err != nil {
			return err
		}
		if decoder.PeekKind() == 'n' {
			return fmt.Errorf("%s is null; expected a value", name)
		}
		if err := json.UnmarshalDecode(decoder, &member); err != nil {
			return err
		}
		o.names = append(o.names, name)
		o.byName[name] = member
	}
	_, err := decoder.ReadToken()
	return err
}

// MarshalJSONTo writes the members that are left, in their order.
func (o *ordered[T]) MarshalJSONTo(encoder *jsontext.Encoder) error {
	if err := encoder.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, name := range o.names {
		if member, left := o.byName[name]; left {
			if err := errors.Join(encoder.WriteToken(jsontext.String(name)),
				json.MarshalEncode(encoder, member)); err != nil {
				return err
			}
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
