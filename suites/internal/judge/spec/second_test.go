package spec_test

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"sync"

	other "github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/internal/testkit/plainjson"
)

// second is another judge of well-formed requests, which shares no code with the one under test: another decoder,
// another JSON Schema library over the same schema files, and by hand the few things that no schema says (J1, J8, J10
// to J12).
type second struct{ record, device, identifiers *other.Schema }

// rowOf is what it says of one requirement: how many witnesses, and the pointers of the findings in their order.
type row struct {
	witnesses int
	findings  []string
}

// judgement is what it says of an exchange.
type judgement struct {
	kinds []string // of which the finding of the served row is, where nothing can be read
	rows  map[string]*row
	open  bool // the design leaves open whether there is anything to judge
}

func (j *judgement) rowOf(id string) *row {
	if j.rows[id] == nil {
		j.rows[id] = &row{}
	}
	return j.rows[id]
}

func (j *judgement) addFinding(id, pointer string, right bool) {
	if r := j.rowOf(id); right {
		r.witnesses++
	} else {
		r.findings = append(r.findings, pointer)
	}
}

// secondJudge has read the schemas with another library, which knows none of our formats: the patterns beside them do.
var secondJudge = sync.OnceValue(func() *second {
	compiler := other.NewCompiler()
	for _, file := range mustHave(fs.Glob(schemas.Files(), "*.schema.json")) {
		document := mustHave(other.UnmarshalJSON(mustHave(schemas.Files().Open(file))))
		if err := compiler.AddResource(file, document); err != nil {
			panic(err)
		}
	}
	c := testkit.Contract()
	return &second{compiler.MustCompile(c.Record.File()), compiler.MustCompile(c.Device.File()),
		compiler.MustCompile(c.Identifiers.File())}
})

// judgeAnswer says what an answer to a well-formed request shows.
func (s *second) judgeAnswer(ex *exchange.Exchange) *judgement {
	o := &judgement{rows: map[string]*row{}}
	value, err := plainjson.Decode(ex.Body)
	switch {
	case ex.Status < 200 || ex.Status > 299:
		o.kinds = []string{"status"}
	case errors.Is(err, plainjson.ErrBound):
		o.kinds = []string{"depth", "number-digits", "number-exponent"}
	case errors.Is(err, plainjson.ErrDuplicate):
		o.kinds = []string{"duplicate-member"}
	case err != nil:
		o.kinds = []string{"empty", "byte-order-mark", "utf-8", "syntax", "surrogate", "trailing"}
	case ex.Probe.Operation == schemas.GetUserAuth:
		s.judgeRecords(o, value, ex.Probe.User.UserID)
		if !ex.Probe.User.Enrolled && !s.disclosesRecord(value) {
			// Whether a record that shows too little is one that came back, nobody says where identifiers stand beside
			// it.
			o.rows, o.open = map[string]*row{}, s.disclosesData(value)
		}
	default:
		s.judgeIdentifiers(o, value)
	}
	served := "4/" + string(ex.Probe.Operation) + "/served"
	if o.kinds != nil {
		o.addFinding(served, "", false)
	}
	if !ex.Probe.User.Enrolled {
		delete(o.rows, served)
	}
	return o
}

func (s *second) judgeRecords(o *judgement, value any, asked string) {
	elements, isList := value.([]any)
	if !isList {
		elements = []any{value}
	}
	for i, element := range elements {
		at := ""
		if isList {
			at = "/" + strconv.Itoa(i)
		}
		if object, ok := element.(map[string]any); ok && s.countKnown(object, false) > 0 {
			s.judgeRecord(o, at, object, asked)
			continue
		}
		o.addFinding(recordServed, at, false)
	}
	if len(elements) > 0 && len(o.rowOf(recordServed).findings) == 0 {
		o.addFinding(recordServed, "", true)
	}
}

func (s *second) judgeRecord(o *judgement, at string, record map[string]any, asked string) {
	wrong := violationPlaces(s.record, record)
	fields := func(section, base string, object map[string]any, schema *other.Schema) {
		for member := range schema.Properties {
			if object[member] != nil {
				o.addFinding(section+member, at+base+"/"+member, !wrong[base+"/"+member])
			}
		}
	}
	fields("2.1/", "", record, s.record)
	if device, ok := record["Device"].(map[string]any); ok {
		fields("2.2/", "/Device", device, s.device)
	}
	if recordUserID, ok := record["UserId"].(string); ok {
		same := recordUserID == asked ||
			regexp.MustCompile(`(?i)^`+regexp.QuoteMeta(asked)+`$`).MatchString(recordUserID)
		o.addFinding("4.1/user", at+"/UserId", same)
	}
}

func (s *second) judgeIdentifiers(o *judgement, value any) {
	list, ok := value.([]any)
	o.addFinding(listServed, "", ok)
	wrong := violationPlaces(s.identifiers, value)
	for i := range list {
		at := "/" + strconv.Itoa(i)
		o.addFinding("2.3/identifiers", at, !wrong[at])
	}
}

// countKnown counts the documented members of an object, null or not; or those that tell something, which are not null
// and not Id or UserId.
func (s *second) countKnown(value any, telling bool) (count int) {
	object, _ := value.(map[string]any)
	for member := range s.record.Properties {
		content, present := object[member]
		if present && (!telling || content != nil && member != "Id" && member != "UserId") {
			count++
		}
	}
	return count
}

// disclosesRecord reports whether a value is J13's idea of a record, alone or in an array: three members that tell
// something.
func (s *second) disclosesRecord(value any) bool {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	return slices.ContainsFunc(list, func(element any) bool { return s.countKnown(element, true) >= 3 })
}

// disclosesData is J13's idea of what a refusal must not hold: a record, or an array in which GUIDs stand.
func (s *second) disclosesData(value any) bool {
	if list, ok := value.([]any); ok && len(violationPlaces(s.identifiers, list)) < len(list) {
		return true
	}
	return s.disclosesRecord(value)
}

// violationPlaces are the pointers at which a value breaks a schema.
func violationPlaces(schema *other.Schema, value any) map[string]bool {
	found := map[string]bool{}
	var collect func(*other.ValidationError)
	collect = func(e *other.ValidationError) {
		if len(e.Causes) == 0 {
			pointer := ""
			for _, token := range e.InstanceLocation {
				pointer += "/" + token // the schemas name no member that would have to be escaped
			}
			found[pointer] = true
		}
		for _, cause := range e.Causes {
			collect(cause)
		}
	}
	var invalid *other.ValidationError
	if errors.As(schema.Validate(value), &invalid) {
		collect(invalid)
	}
	return found
}
