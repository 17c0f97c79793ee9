package check

import (
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// IsServed checks the answer to a well-formed request for an enrolled user (J1). An array without records is neither
// witness nor finding; it only gets a note.
func IsServed(a *Answer) Outcome {
	switch {
	case !a.Exchange.Probe.User.Enrolled:
		return Outcome{}
	case !a.Served():
		return a.faults
	case a.List && a.Count == 0:
		return Outcome{Notes: []any{EmptyArray{a.Exchange.Probe.User.UserID}}}
	}
	return witness
}

// DisclosesNothing checks the answer to a request that must be refused. The form of the refusal is open (J13). A
// refusal is a witness only if the controls before and after it were served (J23).
func DisclosesNothing(a *Answer) Outcome {
	control, disclosed := a.Exchange.Control, a.Value
	if !a.discloses {
		if control == nil || !control.Served {
			out := Outcome{Uncontrolled: 1}
			out.addNote(uncontrolled(a.Exchange))
			return out
		}
		name := a.servedName()
		switch {
		case name == "" && a.isUnread():
			return Outcome{Uncontrolled: 1, Notes: []any{Unread{a.Exchange.Status, a.Exchange.Fault.Plain}}}
		case name == "":
			return witness
		}
		disclosed = name
	}
	p := a.Exchange.Probe
	return finding(Finding{
		Probe: p, Kind: string(p.Kind), Expected: Refusal{p}, Actual: Disclosed{a.Exchange.Status, disclosed},
	})
}

// servedName returns a GUID of a record or an identifier that the control was served, and that stands in the refusal:
// the same data in another form, such as an envelope or a page. What the request itself has is no such GUID. It returns
// "" if there is none.
func (a *Answer) servedName() string {
	control, user := a.Exchange.Control.Answer, a.Exchange.Probe.User
	sent := strings.ToLower(user.ID + " " + user.UserID)
	if len(control.Body) > maxRefusal {
		return ""
	}
	var names []string // nil until the refusal has a GUID
	for guid := range schemas.EachGUID(unpacked(a.Exchange.Body)) {
		if names == nil {
			names = append([]string{""}, a.reader.Read(control).Names()...)
		}
		name := strings.ToLower(guid)
		if slices.Contains(names, name) && !strings.Contains(sent, name) {
			return name
		}
	}
	return ""
}

// isUnread reports whether the request got 2xx with a body that can't be decoded, so that it may have the record.
func (a *Answer) isUnread() bool {
	ex := a.Exchange
	return ex.Success() && len(ex.Body) == 0 && ex.Fault != nil && ex.Fault.Kind == exchange.Encoding
}

// Unread is the note about a request that should be refused, and got 2xx with a body that can't be decoded.
type Unread struct {
	Status int
	Why    string
}

// Uncontrolled is the note about a refusal that shows nothing, as a control beside it was not served (J23).
type Uncontrolled struct {
	Control string        // the id of the control; "" if none is known
	Status  int           // of its answer; 0 if it was not answered
	Line    exchange.Sent // what the answer says
	Why     string        // why it was not answered; "" if it was
}

func uncontrolled(ex *exchange.Exchange) Uncontrolled {
	if ex.Control == nil || ex.Control.Answer == nil {
		return Uncontrolled{}
	}
	answer := ex.Control.Answer
	if answer.Fault != nil {
		return Uncontrolled{Control: answer.Probe.ID, Why: answer.Fault.Plain}
	}
	return Uncontrolled{Control: answer.Probe.ID, Status: answer.Status, Line: answer.Says()}
}

// EachMatchesSchema checks the elements of an identifier list against the schema (§2.3, J10). Each GUID string is a
// witness; any other element is a finding. An empty list is neither.
//
// Equal strings are judged once, as are all elements of another type. So a hostile list of millions of elements is
// cheap to check.
func EachMatchesSchema(a *Answer) Outcome {
	var out Outcome
	known := map[[2]string]string{} // what is expected in place of an element, by type and text; "" if it is right
	for i, element := range a.Identifiers {
		text, isText := element.(string)
		if isText && a.reader.identifiers.AcceptsText("", text) {
			out.Witnesses++
			continue
		}
		key := [2]string{strictjson.TypeOf(element), text}
		expected, judged := known[key]
		if !judged {
			for _, violation := range a.reader.identifiers.Check([]any{element}) {
				expected = violation.Expected
			}
			if len(known) < maxKnown {
				known[key] = expected
			}
		}
		if expected == "" {
			out.Witnesses++
			continue
		}
		out.Find(Finding{
			Probe: a.Exchange.Probe, Kind: kindOf(element, !isText), Pointer: "/" + strconv.Itoa(i), Expected: expected,
			Actual: element, Off: a.reader.identifiers.Off("/0", element),
		})
	}
	return out
}

// maxKnown is how many elements of a list are remembered.
const maxKnown = 10_000
