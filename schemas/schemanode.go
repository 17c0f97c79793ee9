package schemas

// schemaNode is what the schemas require at one place of a message, with every $ref resolved. AcceptsAnswer uses all of
// it. For violations, which gojsonschema finds, it provides the descriptions and the order of members.
type schemaNode struct {
	expected string
	value    string        // what is sent for a request field that the settings do not define
	names    []string      // the documented members, in the document's order
	members  []*schemaNode // as in names
	items    *schemaNode   // any element; nil if the schema does not restrict elements

	kinds   kinds        // of the allowed types; none if acceptance does not know a keyword
	formats []*automaton // formats that a string must match
	opaque  bool         // acceptance does not know a keyword here
}

// kinds is a set of the kinds of JSON values, a bit for each: how a value begins (jsontext.Kind).
type kinds uint64

func bitOf[T ~byte | ~rune](kind T) kinds { return 1 << (kind % 64) }

// kindsOf returns the kinds of the types that a schema names. It leaves out the type number, which has the same kind as
// integer: acceptance accepts no value of type number.
func kindsOf(types *node) (all kinds) {
	if types == nil {
		return 0
	}
	for _, item := range append([]*node{types}, types.items...) {
		name, _ := item.text()
		for _, kind := range map[string]string{
			"null": "n", "boolean": "ft", "integer": "0", "string": `"`, "object": "{", "array": "[",
		}[name] {
			all |= bitOf(kind)
		}
	}
	return all
}

// element is the node of any element of an array.
func (n *schemaNode) element() *schemaNode {
	if n == nil {
		return nil
	}
	return n.items
}

// member finds a documented member; nil if there is none.
func (n *schemaNode) member(name string) *schemaNode {
	member, _ := memberFrom(n, name, 0)
	return member
}

// memberFrom returns a documented member and the index after it. The search starts at the index `next`: services keep
// one order, so the next member is nearly always the right one.
func memberFrom[T string | []byte](n *schemaNode, name T, next int) (member *schemaNode, after int) {
	if n == nil {
		return nil, 0
	}
	for range n.names {
		if next >= len(n.names) {
			next = 0
		}
		next++
		if n.names[next-1] == string(name) {
			return n.members[next-1], next
		}
	}
	return nil, next
}

// nodeAt returns the node at the tokens of a JSON Pointer, or nil if the schema does not define it.
func (n *schemaNode) nodeAt(tokens []string) *schemaNode {
	for _, token := range tokens {
		child := n.member(token)
		if child == nil {
			child = n.items
		}
		if child == nil {
			return nil
		}
		n = child
	}
	return n
}
