package check

import (
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Root is what one setting of a service may cause at many members: names in another case, nulls that are left out, one
// other form of all dates. Its text has no value, so that it is the same for all members and users.
type Root struct {
	Text    string // "" if the cause has none
	Members []Name // where it shows
}

// Name is the name of a member of a record, such as "CreatedOn" or "Device.Id". If it stands for the documented name of
// the member, that is set, too.
type Name struct{ Seen, Documented string }

func (n Name) String() string {
	if n.Documented == "" {
		return n.Seen
	}
	return n.Seen + " for " + n.Documented
}

// EachElement is the member that stands for the elements of a list of identifiers.
const EachElement = "each element"

// OtherCase is the text of the root of names in another case.
const OtherCase = "names in another case"

// Roots returns the root of each cause of an outcome, in the order of its causes, and last that of its notes.
func (o *Outcome) Roots() []Root {
	if len(o.Causes)+len(o.Notes) == 0 {
		return nil
	}
	list := make([]Root, 0, len(o.Causes)+1)
	missing := o.membersOf(parity.MemberMissing)
	added := o.membersOf(parity.MemberAdded)
	for _, c := range o.Causes {
		root := rootOf(c.Example)
		seen, other := member(c.Pointer), ""
		switch parity.Kind(c.Kind) {
		case parity.MemberMissing:
			other = added[schemas.FoldName(c.Pointer)]
		case parity.MemberAdded:
			if other = missing[schemas.FoldName(c.Pointer)]; other != "" {
				seen, other = other, seen
			}
		}
		if other != "" {
			root = Root{OtherCase, []Name{{other, seen}}}
		}
		if root.Text != "" && root.Members == nil {
			root.Members = []Name{{Seen: seen}}
		}
		list = append(list, root)
	}
	var notes Root
	for _, note := range o.Notes {
		if near, ok := note.(NearMiss); ok {
			notes.Text, notes.Members = OtherCase, append(notes.Members, Name(near))
		}
	}
	return append(list, notes)
}

// RootOf returns the root of the cause of a finding.
func (o *Outcome) RootOf(f Finding) Root {
	roots := o.Roots()
	for i, c := range o.Causes {
		if c.Key == f.Key() {
			return roots[i]
		}
	}
	return Root{}
}

// rootOf returns the root of a finding, without members if they are that of its pointer.
func rootOf(f Finding) Root {
	switch {
	case len(f.NearMisses) > 0:
		root := Root{Text: OtherCase}
		for _, near := range f.NearMisses {
			root.Members = append(root.Members, Name(near))
		}
		return root
	case f.Off != "":
		return Root{Text: f.Off}
	}
	expected, _ := f.Expected.(Shown)
	actual, _ := f.Actual.(Shown)
	switch parity.Kind(f.Kind) {
	case parity.NullAgainst:
		nulls, leaves := expected.Version, actual.Version
		if ExcerptOf(expected.Value).Type == "" {
			nulls, leaves = leaves, nulls
		}
		return Root{Text: string(leaves) + " leaves out what " + string(nulls) + " writes as null"}
	case parity.Representation:
		return Root{Text: "the same instant or GUID is written in different ways"}
	}
	return Root{}
}

// membersOf returns the members at which an outcome has causes of a kind, by their folded pointers.
func (o *Outcome) membersOf(kind parity.Kind) map[string]string {
	found := map[string]string{}
	for _, c := range o.Causes {
		if c.Kind == string(kind) {
			found[schemas.FoldName(c.Pointer)] = member(c.Pointer)
		}
	}
	return found
}

// member names the member of a record at a pointer: "Device.Id".
func member(pointer string) string {
	tokens, _ := strictjson.Tokens(strings.TrimPrefix(pointer, "/*"))
	if len(tokens) == 0 {
		return EachElement
	}
	return strings.Join(tokens, ".")
}

func (n NearMiss) String() string { return Name(n).String() }
