package schemas

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// AcceptsAnswer reports whether a decoded body is certainly right by J1 to J12. It must be a record, or a non-empty
// list of records or GUIDs. Each documented member is right or null, and each UserId is the one asked for. Returns
// false when it is not sure; the full judge then decides. The caller judges the status.
//
// Nearly all answers are right, and this takes a small part of the full judge's time.
func (s *Shapes) AcceptsAnswer(op Operation, userID string, value any) bool {
	isRecord := func(value any) bool { return s.acceptsRecord(userID, value) }
	list, isList := value.([]any)
	switch {
	case isList && len(list) == 0: // no witness (J10)
		return false
	case op == FindByUserIDs:
		return isList && s.Identifiers.root.accepts(value)
	case op == GetUserAuth && isList:
		return !slices.ContainsFunc(list, func(element any) bool { return !isRecord(element) })
	}
	return op == GetUserAuth && isRecord(value)
}

// acceptsRecord reports whether a value is certainly a right record of the user.
func (s *Shapes) acceptsRecord(userID string, value any) bool {
	record, _ := value.(map[string]any)
	user, isText := record["UserId"].(string)
	return (!isText || strings.EqualFold(user, userID)) && s.Record.root.accepts(value) &&
		slices.ContainsFunc(s.Record.root.Properties.names, func(name string) bool {
			_, documented := record[name] // a record has at least one (J1)
			return documented
		})
}

// AcceptsText reports whether a string is certainly right for a documented member of an object or, if member is "", for
// an element of an array. Returns false when it is not sure; Check then decides.
func (s *Schema) AcceptsText(member, text string) bool {
	n := s.root.Items
	if member != "" {
		n = s.root.Properties.get(member)
	}
	return n != nil && n.accepts(text)
}

// accepts reports whether a decoded value is certainly right. An undocumented member may have any value (J9).
func (d *definition) accepts(value any) bool {
	switch v := value.(type) {
	case nil:
		return d.allows("null")
	case bool:
		return d.allows("boolean")
	case json.Number:
		return d.allows("integer") && isWhole(string(v))
	case string:
		return d.allows("string") &&
			!slices.ContainsFunc(d.formats, func(format *regexp.Regexp) bool { return !format.MatchString(v) })
	case []any:
		return d.allows("array") && (d.Items == nil ||
			!slices.ContainsFunc(v, func(element any) bool { return !d.Items.accepts(element) }))
	case map[string]any:
		for i, name := range d.Properties.names {
			if member, present := v[name]; present && !d.Properties.schemas[i].accepts(member) {
				return false
			}
		}
		return d.allows("object")
	}
	return false
}

// allows reports whether values of a type are allowed, and acceptance knows each keyword about them.
func (d *definition) allows(name string) bool { return !d.opaque && slices.Contains(d.Type, name) }
