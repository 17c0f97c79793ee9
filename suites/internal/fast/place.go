package fast

// place is what the contract allows at one spot of an answer. The zero place allows nothing.
type place struct {
	null, boolean, integer, fraction, text bool

	forms  []form  // what a text has to keep, all of them
	owner  bool    // a text has to be the identifier of the asked user (J12)
	object *object // nil where no object is allowed
	items  *place  // of the elements of an array; nil where no array is allowed
}

// form reports whether a text without escapes keeps a form, a pattern of the schemas.
type form func(text []byte) bool

// object is what the contract says of the members of an object.
type object struct {
	members []member       // in the document's order
	index   map[string]int // of members, by name
	some    bool           // one documented member at least has to be there (J1)
}

// member is a documented member.
type member struct {
	quoted string // its name as an answer writes it, quotation marks included
	place  place
}

// mostMembers is how many members of an object the scan can keep account of.
const mostMembers = 64

// anything is the place of undocumented members, which may hold any value (J9).
func anything() *place {
	p := &place{null: true, boolean: true, integer: true, fraction: true, text: true, object: &object{}}
	p.items = p
	return p
}
