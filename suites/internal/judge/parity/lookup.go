package parity

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Call is the answer to one well-formed request, as parity needs it.
type Call struct {
	Version schemas.Version
	Served  bool   // as J1 requires; if not, Value and Body do not count
	Value   any    // decoded; nil if Body is decoded for each comparison
	Body    []byte // needed only if Value is nil
}

// Lookup is the calls for one user and operation to the versions of a pair, in the order of time. Calls without an
// answer are left out.
type Lookup struct {
	Operation schemas.Operation
	Pair      schemas.Pair
	Calls     []Call
}

// last returns the last call to a version; false if there is none.
func (l Lookup) last(v schemas.Version) (Call, bool) {
	for _, call := range slices.Backward(l.Calls) {
		if call.Version == v {
			return call, true
		}
	}
	return Call{}, false
}

// equal returns an earlier call with the body of a call; -1 if there is none.
func (l Lookup) equal(i int) int {
	return slices.IndexFunc(l.Calls[:i], func(earlier Call) bool {
		return earlier.Served && l.Calls[i].Body != nil && bytes.Equal(earlier.Body, l.Calls[i].Body)
	})
}

// size returns the number of bytes of the different bodies that have to be decoded.
func (l Lookup) size() (size int) {
	for i, call := range l.Calls {
		if call.Served && l.equal(i) < 0 {
			size += len(call.Body)
		}
	}
	return size
}

// values returns the decoded answers, refused for each that did not serve. Equal answers are decoded once.
func (l Lookup) values() []any {
	values := make([]any, len(l.Calls))
	for i, call := range l.Calls {
		switch j := l.equal(i); {
		case !call.Served:
			values[i] = refused{}
		case j >= 0:
			values[i] = values[j]
		case call.Value != nil || call.Body == nil:
			values[i] = call.Value
		default:
			value, err := strictjson.Decode(call.Body)
			if err != nil {
				panic("parity: a body that was served can't be decoded again: " + err.Error())
			}
			values[i] = value
		}
	}
	return values
}

// Rule defines what counts as a difference.
type Rule struct {
	ShapeOnly bool     // parity mode `shape`
	Ignored   []string // patterns of places that are not looked at: JSON Pointers in which `*` matches any array index
	// InOne are patterns of the members that the contract of only one version has. They are not compared.
	InOne []string
}

// Conclusion is the result of comparing the calls of one lookup (J14, J15).
type Conclusion struct {
	Comparable  bool         // some part was compared in shape
	Valued      bool         // some value was compared with a value
	Differences []Difference // between the versions
	Changes     []Change     // within the calls of a version, unless they ended different
	Hidden      []string     // the ignored patterns that hid a change or a difference
}

// StandsStill reports whether all calls have the same answer, so that no request must be repeated.
func (c Conclusion) StandsStill() bool { return len(c.Differences)+len(c.Changes) == 0 }

// Change is a place whose value changes within the calls of a version (J15).
type Change struct {
	Place    string // without the index of a record: a place is a member, in whichever record
	Pointer  string
	From, To bool // in which versions of the pair
	Moved    bool // one change of the data explains it
	Ended    bool // equal in both versions, moved or each settled; if not, it is unsteady
	Shape    bool // the shape changes, not only the value
	Was      any  // a value, and the one of the next call, of the version that changes
	Then     any
}

// maxCompared is how many bytes of different bodies are decoded side by side: two of the largest (J20). Decoded they
// can take sixty times as much. Calls with more are not compared: they are unsteady as a whole in both versions.
const maxCompared = 32 << 20

// Conclude compares the calls of a lookup.
func (r Rule) Conclude(l Lookup) Conclusion {
	var out Conclusion
	from, hasFrom := l.last(l.Pair.From)
	to, hasTo := l.last(l.Pair.To)
	if !hasFrom || !hasTo {
		return out
	}
	if l.size() > maxCompared {
		out.Changes = []Change{{From: true, To: true}}
		return out
	}
	c := comparison{Rule: r, Lookup: l, out: &out}
	c.answers(l.values())
	whole := slices.ContainsFunc(out.Changes, func(c Change) bool { return c.Place == "" && !c.Ended })
	out.Comparable = (from.Served || to.Served) && !whole
	out.Valued = out.Valued && out.Comparable
	return out
}

// Identical returns the conclusion for calls whose answers are equal byte for byte. It compares nothing.
func (r Rule) Identical(l Lookup) Conclusion {
	one, _ := l.last(l.Pair.From)
	if _, both := l.last(l.Pair.To); !both {
		return Conclusion{}
	}
	if r.ShapeOnly || !one.Served {
		return Conclusion{Comparable: one.Served}
	}
	if len(r.Ignored)+len(r.InOne) == 0 && (len(one.Body) > 256<<10 || schemas.HoldsGUID(one.Body)) {
		return Conclusion{Comparable: true, Valued: true} // without decoding it
	}
	return r.Conclude(l)
}

// ignores reports whether a place is not looked at, and notes the pattern that hides what differs there.
func (c *comparison) ignores(pointer string, differs bool) bool {
	ignored := slices.ContainsFunc(c.InOne, func(pattern string) bool { return Matches(pattern, pointer) })
	for _, pattern := range c.Ignored {
		if !Matches(pattern, pointer) {
			continue
		}
		if ignored = true; differs && !slices.Contains(c.out.Hidden, pattern) {
			c.out.Hidden = append(c.out.Hidden, pattern)
		}
	}
	return ignored
}

// Matches reports whether a JSON Pointer is at or below a pattern, in which `*` matches any array index.
func Matches(pattern, pointer string) bool {
	wanted, tokens := strings.Split(pattern, "/"), strings.Split(pointer, "/")
	if len(tokens) < len(wanted) {
		return false
	}
	for i, token := range wanted {
		if token == tokens[i] {
			continue
		}
		if _, err := strconv.ParseUint(tokens[i], 10, 64); token != "*" || err != nil {
			return false
		}
	}
	return true
}
