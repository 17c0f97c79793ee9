package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/onsi/gomega/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
)

// MatchAuthenticatorSchema matches the JSON of one authenticator record (§2.1), its device (§2.2) included. JSON is a
// string, []byte or json.RawMessage that holds exactly one JSON text. Members that are null, absent or not documented
// match: the document leaves them open. getUserAuth may answer a list (§4.3): decode it into a []json.RawMessage, and
// match that with HaveEach(MatchAuthenticatorSchema()).
func MatchAuthenticatorSchema() types.GomegaMatcher {
	return &schemaMatcher{"an authenticator record (§2.1)", embedded().Contract.Record, "MatchAuthenticatorSchema"}
}

// MatchDeviceSchema matches the JSON of one device (§2.2) as MatchAuthenticatorSchema does that of a record. The
// device of a record may be null, so null matches.
func MatchDeviceSchema() types.GomegaMatcher {
	return &schemaMatcher{"a device (§2.2)", embedded().Contract.Device, "MatchDeviceSchema"}
}

// MatchGUIDArraySchema matches the JSON of the identifier list (§2.3), an array of GUID strings, in the forms that
// MatchAuthenticatorSchema takes. An empty array matches.
func MatchGUIDArraySchema() types.GomegaMatcher {
	return &schemaMatcher{"an array of GUID strings (§2.3)", embedded().Contract.Identifiers, ""}
}

// schemaMatcher matches JSON against one schema of the contract.
type schemaMatcher struct {
	name   string
	schema *schemas.Schema
	each   string // the matcher's own name, to advise for an array; "" if one is expected
}

// Limits on what a failure message shows.
const (
	maxViolations = 1000
	maxOfValue    = 200  // characters
	maxOfText     = 2000 // characters
)

// Match reports whether the JSON keeps the schema. An error means that actual is not of a type that can hold JSON text.
func (s *schemaMatcher) Match(actual any) (bool, error) {
	violations, _, err := s.judge(actual)
	return err == nil && len(violations) == 0, err
}

// judge returns the first violations, redacted and cut for display, and the number of all.
func (s *schemaMatcher) judge(actual any) (first []string, count int, err error) {
	text, err := jsonText(actual)
	if err != nil {
		return nil, 0, err
	}
	value, err := strictjson.Decode(text)
	if broken, ok := errors.AsType[*strictjson.Error](err); ok {
		return []string{describe(broken.Pointer, "exactly one JSON text", broken.Error())}, 1, nil
	}
	note := func(pointer, expected string) {
		if count++; count <= maxViolations {
			first = append(first, describe(pointer, expected, s.shown(value, pointer)))
		}
	}
	list, isList := value.([]any)
	if !isList || s.each != "" {
		for _, v := range s.schema.Check(value) {
			note(v.Pointer, v.Expected)
		}
		return first, count, nil
	}
	for i, element := range list { // one at a time, as millions of violations at once take too much memory
		for _, v := range s.schema.Check([]any{element}) {
			note("/"+strconv.Itoa(i), v.Expected)
		}
	}
	return first, count, nil
}

// describe describes a violation: where it is, what would have been accepted, and what is there.
func describe(pointer, expected, actual string) string {
	where := "as a whole"
	if pointer != "" {
		where = "at " + none.Text(pointer, maxOfValue)
	}
	return fmt.Sprintf("  %s\n    expected  %s\n    actual    %s\n", where, expected, actual)
}

// jsonText returns the JSON text of the value that a test passes.
func jsonText(actual any) ([]byte, error) {
	switch text := actual.(type) {
	case string:
		return []byte(text), nil
	case []byte:
		return text, nil
	case json.RawMessage:
		return text, nil
	}
	return nil, fmt.Errorf("expected JSON as a string, []byte or json.RawMessage, got a value of type %T", actual)
}

// shown returns the value at a pointer, redacted and cut for display.
func (s *schemaMatcher) shown(value any, pointer string) string {
	at, _ := strictjson.Lookup(value, pointer) // a violation is of a value
	text := none.JSON(at, maxOfValue)
	if _, array := at.([]any); array && pointer == "" {
		text += "; this is an array: match each of its elements, with HaveEach(" + s.each + "()) on a []json.RawMessage"
	}
	return text
}

// FailureMessage lists the violations.
func (s *schemaMatcher) FailureMessage(actual any) string {
	violations, count, err := s.judge(actual)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("Expected\n    %s\nto match the schema of %s, but found %s:\n%s", s.text(actual), s.name,
		wording.Count(count, "violation"), strings.Join(violations, ""))
	if more := count - len(violations); more > 0 {
		text += fmt.Sprintf("  and %s more\n", wording.Number(more))
	}
	return strings.TrimRight(text, "\n")
}

// NegatedFailureMessage is for a text that matches the schema although the test expects that it does not.
func (s *schemaMatcher) NegatedFailureMessage(actual any) string {
	return fmt.Sprintf("Expected\n    %s\nnot to match the schema of %s, but it does", s.text(actual), s.name)
}

// text returns the JSON text, redacted and cut for display.
func (s *schemaMatcher) text(actual any) string {
	text, err := jsonText(actual)
	if err != nil {
		return err.Error()
	}
	return none.Text(string(text), maxOfText)
}
