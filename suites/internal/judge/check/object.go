package check

import (
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Object is a record in an answer, or the device within a record.
type Object struct {
	Answer  *Answer
	Pointer string // JSON Pointer from the root of the body
	Members map[string]any

	documented   members
	base         string                       // pointer within the record: "" or "/Device"
	violations   map[string]schemas.Violation // of the whole record, by pointer within it; usually nil
	undocumented []string                     // names of undocumented members, sorted
	nearMisses   []NearMiss
}

// Objects calls a function for each record of the answer, and for its device if it has one (§2.1, §2.2). Each record
// is validated once.
func (a *Answer) Objects(each func(record, device *Object)) {
	for _, r := range a.records {
		record := a.object(r.pointer(), r.members, a.reader.record)
		for _, v := range a.reader.schema.Check(r.members) {
			if record.violations == nil {
				record.violations = map[string]schemas.Violation{}
			}
			record.violations[v.Pointer] = v
		}
		var device *Object
		if members, ok := r.members["Device"].(map[string]any); ok {
			device = a.object(r.pointer()+"/Device", members, a.reader.device)
			device.base, device.violations = "/Device", record.violations
		}
		each(record, device)
	}
}

func (a *Answer) object(pointer string, values map[string]any, documented members) *Object {
	undocumented := documented.undocumented(values)
	return &Object{Answer: a, Pointer: pointer, Members: values, documented: documented, undocumented: undocumented,
		nearMisses: documented.nearMisses(undocumented)}
}

// Value is a documented member that is present and not null.
type Value struct {
	*Object
	Name string
	JSON any
}

// Pointer returns the value's JSON Pointer from the root of the body.
func (v Value) Pointer() string { return strictjson.Pointer(v.Object.Pointer, v.Name) }

// Member applies a check to a member of an object. A null or absent member is open: neither witness nor finding (J8).
// Names are case-sensitive; a near miss gets a note.
func Member(name string, check func(Value) Outcome) func(*Object) Outcome {
	return func(o *Object) Outcome {
		var out Outcome
		if value := o.Members[name]; value != nil {
			out = check(Value{o, name, value})
		}
		for _, near := range o.nearMisses {
			if near.Documented == name {
				out.addNote(near)
			}
		}
		return out
	}
}

// maxOfName is how many bytes the name of a near miss may have.
const maxOfName = 1 << 10

// MatchesSchema checks a value against its definition in the JSON Schemas (J3 to J7).
func MatchesSchema(v Value) Outcome {
	broken, ok := v.violations[strictjson.Pointer(v.base, v.Name)]
	if !ok {
		return witness
	}
	return finding(Finding{
		Probe: v.Answer.Exchange.Probe, Kind: kindOf(v.JSON, broken.WrongType), Pointer: v.Pointer(),
		Expected: broken.Expected, Actual: v.JSON,
		Off: v.Answer.reader.schema.Off(strictjson.Pointer(v.base, v.Name), v.JSON),
	})
}

// kindOf returns the kind of a schema violation: a wrong JSON type or, if the type is right, a wrong form.
func kindOf(value any, wrongType bool) string {
	if wrongType {
		return "not of its type: " + strictjson.TypeOf(value)
	}
	return "not in its form"
}

// EqualsTheOneAsked checks that a UserId equals the one in the request (J12). A difference only of case is observed.
func EqualsTheOneAsked(v Value) Outcome {
	shown, isText := v.JSON.(string)
	asked := v.Answer.Exchange.Probe.User.UserID
	switch {
	case !isText:
		return Outcome{} // the schema check reports it
	case strings.EqualFold(shown, asked):
		return witness
	}
	return finding(Finding{
		Probe: v.Answer.Exchange.Probe, Kind: "another user", Pointer: v.Pointer(), Expected: AskedUser{asked},
		Actual: shown, Off: unlike(asked, shown),
	})
}
