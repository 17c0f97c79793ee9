package check

import (
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// IsServed checks the answer to a well-formed request for an enrolled user (J1), beside all answers to the same
// request. An array without records is neither witness nor finding; it only gets a note. A refusal of a user who is
// served at another call decides nothing (J15); a 500 or an answer that can't be read is a finding all the same.
func IsServed(a *Answer, calls []*Answer) Outcome {
	switch {
	case !a.Exchange.Probe.User.Enrolled:
		return Outcome{}
	case a.List && a.Count == 0 && a.Served():
		return Outcome{Notes: []any{EmptyArray{a.Exchange.Probe.User.UserID}}}
	case a.Served():
		return witness
	case slices.ContainsFunc(calls, (*Answer).DisclosesData) && a.refuses():
		return Outcome{Unsteady: 1,
			Notes: []any{RefusedOnce{a.Exchange.Probe.User, a.Exchange.Status, a.Exchange.Cookies()}}}
	}
	return a.faults
}

// RefusedOnce is the note about a user who was refused at one call and served at another, without an interruption.
type RefusedOnce struct {
	User    exchange.User
	Status  int
	Cookies string // the names of the cookies that the answer sets
}

// refuses reports whether an answer is a refusal that is no fault of the service: one by its look, but 5xx.
func (a *Answer) refuses() bool {
	return a.Exchange.Status/100 != 5 && a.reader.LooksRefused(a.Exchange)
}

// DisclosesNothing checks the answer to a request that must be refused. The form of the refusal is open (J13). A
// refusal is a witness only if the controls before and after it were served (J23).
func DisclosesNothing(a *Answer) Outcome {
	control := a.Exchange.Control
	switch {
	case a.discloses:
		p := a.Exchange.Probe
		return finding(Finding{
			Probe: p, Kind: string(p.Kind), Expected: Refusal{p}, Actual: Disclosed{a.Exchange.Status, a.Value},
		})
	case control == nil || !control.Served:
		return Outcome{Uncontrolled: 1, Notes: []any{uncontrolled(a.Exchange)}}
	case a.isUnread():
		return Outcome{Uncontrolled: 1, Notes: []any{Unread{a.Exchange.Status, a.Exchange.Fault.Plain}}}
	}
	return witness
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
