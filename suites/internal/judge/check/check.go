// Package check contains the checks that requirements use: pure functions from answers to witnesses, findings and
// observations. They send nothing and know no secrets. Findings contain values; the reports turn them into sentences.
package check

import (
	"slices"

	"authenticator-conformance/schemas"
)

// Reader decodes the answers of a version by its schemas, for checks. It is safe for concurrent use.
type Reader struct {
	identifiers *schemas.Schema
	schema      *schemas.Schema // of a record, with its device
	record      members
	device      members
	refusals    refusalBodies
}

// NewReader returns a reader for the answers of a version.
func NewReader(of *schemas.Shapes) *Reader {
	return &Reader{
		identifiers: of.Identifiers, schema: of.Record,
		record: membersOf(of.Record), device: membersOf(of.Device),
	}
}

// members are the documented members of an object, in the document's order. byKey finds them by name without case,
// hyphens and underscores.
type members struct {
	names []string
	byKey map[string]string
}

func membersOf(schema *schemas.Schema) members {
	m := members{names: schema.Members(), byKey: map[string]string{}}
	for _, name := range m.names {
		m.byKey[schemas.FoldName(name)] = name
	}
	return m
}

// undocumented lists the names of the object's undocumented members. If there are many it keeps the first in sorted
// order, so that equal objects give equal lists.
func (m members) undocumented(object map[string]any) []string {
	var names []string
	for name := range object {
		if !slices.Contains(m.names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// nearMisses lists the undocumented names that nearly match documented ones, in the document's order.
func (m members) nearMisses(undocumented []string) []NearMiss {
	var list []NearMiss
	for _, name := range undocumented {
		if documented, ok := m.byKey[schemas.FoldName(name)]; ok && len(name) < maxOfName {
			list = append(list, NearMiss{Seen: name, Documented: documented})
		}
	}
	slices.SortStableFunc(list, func(a, b NearMiss) int {
		return slices.Index(m.names, a.Documented) - slices.Index(m.names, b.Documented)
	})
	return list[:min(len(list), maxNotes)]
}

// disclosedMembers is how many non-null documented members make an object a record that must not be disclosed (J13). Id
// and UserId do not count, as an error message may repeat them.
const disclosedMembers = 3

// isDisclosedRecord reports whether an object is a record with enough members to count as disclosed (J13).
func (r *Reader) isDisclosedRecord(object map[string]any) bool {
	count := 0
	for _, name := range r.record.names {
		if name != "Id" && name != "UserId" && object[name] != nil {
			count++
		}
	}
	return count >= disclosedMembers
}

// holds reports whether an object of a kind stands at any depth of a value.
func holds(value any, is func(object map[string]any) bool) bool {
	switch value := value.(type) {
	case map[string]any:
		if is(value) {
			return true
		}
		for _, member := range value {
			if holds(member, is) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return holds(element, is) })
	}
	return false
}

// discloses reports whether a value contains what a refusal must not, for either operation. That is a record, alone or
// in an array, or an array with a GUID in it (J13).
func (r *Reader) discloses(value any) bool {
	isRecord := func(value any) bool {
		object, _ := value.(map[string]any)
		return r.isDisclosedRecord(object)
	}
	list, _ := value.([]any)
	return isRecord(value) || slices.ContainsFunc(list, func(element any) bool {
		text, _ := element.(string)
		return schemas.IsGUID(text) || isRecord(element)
	})
}
