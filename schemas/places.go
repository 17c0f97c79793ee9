package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// place is a spot of a message as the schemas see it, every $ref resolved: what is expected there, and the places
// below. It serves for the words of violations and for the order of members; the judging is gojsonschema's.
type place struct {
	expected string
	value    string            // that is sent for a field of a request, unless the settings say it
	names    []string          // the documented members, in the document's order
	members  map[string]*place // nil where the schema names no members
	items    *place            // any element; nil where the schema says nothing of elements
}

// at finds a place below by the tokens of a pointer; nil where the schema says nothing of it.
func (p *place) at(tokens []string) *place {
	for _, token := range tokens {
		member, ok := p.members[token]
		switch {
		case ok:
			p = member
		case p.items != nil:
			p = p.items
		default:
			return nil
		}
	}
	return p
}

// tame puts stand-ins in the place of costly numbers, wherever the schema looks at them. It never changes the value
// itself: what holds such a number is copied, all else is given back as it stands. It panics on a Go type that decoding
// JSON with numbers kept does not give: gojsonschema would pass over such a value without judging it.
func (p *place) tame(value any) (tamed any, changed bool) {
	switch v := value.(type) {
	case json.Number:
		n := tameNumber(v)
		return n, n != v
	case map[string]any:
		return p.tameObject(v)
	case []any:
		return p.tameArray(v)
	case nil, bool, string:
		return v, false
	}
	panic(fmt.Sprintf("schemas: expected a value decoded from JSON with numbers kept, got one of type %T", value))
}

func (p *place) tameObject(object map[string]any) (any, bool) {
	out, copied := object, false
	for name, member := range p.members {
		value, present := object[name]
		if !present {
			continue
		}
		tamed, changed := member.tame(value)
		if !changed {
			continue
		}
		if !copied {
			out, copied = maps.Clone(object), true
		}
		out[name] = tamed
	}
	return out, copied
}

func (p *place) tameArray(array []any) (any, bool) {
	if p.items == nil {
		return array, false
	}
	out, copied := array, false
	for i, value := range array {
		tamed, changed := p.items.tame(value)
		if !changed {
			continue
		}
		if !copied {
			out, copied = slices.Clone(array), true
		}
		out[i] = tamed
	}
	return out, copied
}
