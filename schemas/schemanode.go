package schemas

// schemaNode is one place of a message as the schemas see it, every $ref resolved. Acceptance reads all of it. For
// violations, which gojsonschema finds, it has the words and the order of members.
type schemaNode struct {
	expected string
	value    string        // that is sent for a field of a request, unless the settings say it
	names    []string      // the documented members, in the document's order
	members  []*schemaNode // as in names
	items    *schemaNode   // any element; nil where the schema says nothing of elements

	kinds  kinds        // of the values of its types; none where acceptance does not know a keyword
	forms  []*automaton // that a string must have
	opaque bool         // acceptance does not know a keyword here
}

// kinds is a set of the kinds of JSON values, a bit for each: how a value begins (jsontext.Kind).
type kinds uint64

func bitOf[T ~byte | ~rune](kind T) kinds { return 1 << (kind % 64) }

// kindsOf gives the kinds of the types that a schema names. It leaves out the type number, which is the kind of an
// integer: acceptance accepts no number there.
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

// memberFrom finds a documented member, and the index behind it. The search begins at the index `next`: services keep
// one order, so the member behind the last one is nearly always the right one.
func memberFrom[T string | []byte](n *schemaNode, name T, next int) (member *schemaNode, behind int) {
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

// at finds a node below by the tokens of a pointer; nil if the schema says nothing of it.
func (n *schemaNode) at(tokens []string) *schemaNode {
	for _, token := range tokens {
		below := n.member(token)
		if below == nil {
			below = n.items
		}
		if below == nil {
			return nil
		}
		n = below
	}
	return n
}
