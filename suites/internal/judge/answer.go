package judge

import (
	"errors"
	"fmt"
	"strconv"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/strictjson"
)

// Answer is an exchange's body, read once.
type Answer struct {
	Exchange    *exchange.Exchange
	Value       any // the body, where it is exactly one JSON text, decoded; numbers are json.Number
	Records     []Record
	List        bool  // the records came in an array (§4.3)
	Identifiers []any // of findByUserIds; not nil where an array came

	telling    bool      // it was served, and holds what a refusal must not hold
	broken     []Finding // why J1 does not hold
	brokenMore int       // how many more of them were counted
}

// Record is an authenticator record with its place in the body.
type Record struct {
	Pointer string
	Value   map[string]any
}

// Telling tells whether an answer that was served holds what a refusal must not hold: a record, or identifiers (J13). A
// user is fit for the probes of J13 only where the well-formed request brings such an answer: otherwise a target that
// enforces nothing would look as if it refused.
func (a *Answer) Telling() bool { return a.telling }

// LetGo drops what was decoded, of an answer that has been judged. Its body can be decoded again.
func (a *Answer) LetGo() { a.Value, a.Records, a.Identifiers = nil, nil, nil }

// Served tells whether the request was answered as J1 wants it.
func (a *Answer) Served() bool { return len(a.broken) == 0 }

// read decodes an answer and finds out its shape (J1, J11).
func (j *Judge) read(ex *exchange.Exchange) *Answer {
	a := &Answer{Exchange: ex}
	expected := accepted(ex.Probe.Operation)
	if ex.Fault != nil {
		a.breaks(Finding{Kind: string(ex.Fault.Kind), Expected: expected, Actual: ex.Fault.Detail})
		return a
	}
	if !ex.Success() {
		a.breaks(Finding{Kind: "status", Expected: expected, Actual: j.status(ex)})
		return a
	}
	value, err := strictjson.Decode(ex.Body)
	if err != nil {
		a.breaks(j.notJSON(ex, err, expected))
		return a
	}
	a.Value = value
	if ex.Probe.Operation == schemas.GetUserAuth {
		j.readRecords(a, expected)
		return a
	}
	list, ok := value.([]any)
	if !ok {
		a.breaks(Finding{Kind: "shape", Expected: expected, Actual: j.secrets.ShowJSON(value, shown)})
		return a
	}
	a.Identifiers = list
	return a
}

func (j *Judge) readRecords(a *Answer, expected string) {
	switch value := a.Value.(type) {
	case map[string]any:
		if !j.isRecord(value) {
			break
		}
		a.Records = []Record{{Value: value}}
		return
	case []any:
		a.List = true
		for i, element := range value {
			record, ok := element.(map[string]any)
			pointer := "/" + strconv.Itoa(i)
			if ok && j.isRecord(record) {
				a.Records = append(a.Records, Record{Pointer: pointer, Value: record})
				continue
			}
			a.breaks(Finding{Kind: "shape", Pointer: pointer, Actual: j.secrets.ShowJSON(element, shown),
				Expected: "in an array, nothing but authenticator records: objects with at least one member that §2.1 documents"})
		}
		return
	}
	a.breaks(Finding{Kind: "shape", Expected: expected, Actual: j.secrets.ShowJSON(a.Value, shown)})
}

// breaks notes why J1 does not hold; of many reasons the first are kept and all are counted.
func (a *Answer) breaks(f Finding) {
	f.Probe = a.Exchange.Probe
	if len(a.broken) < MostFindings {
		a.broken = append(a.broken, f)
	} else {
		a.brokenMore++
	}
}

// isRecord tells whether an object has at least one documented member (J1).
func (j *Judge) isRecord(object map[string]any) bool {
	for _, member := range j.record.names {
		if _, ok := object[member]; ok {
			return true
		}
	}
	return false
}

// accepted says all that J1 takes for an answer.
func accepted(op schemas.Operation) string {
	if op == schemas.GetUserAuth {
		return "status 2xx and a body that is exactly one JSON text: an authenticator record (§2.1), or an array of records"
	}
	return "status 2xx and a body that is exactly one JSON text: an array of GUID strings (§2.3)"
}

func (j *Judge) status(ex *exchange.Exchange) string {
	text := fmt.Sprintf("status %d", ex.Status)
	if location := ex.Header.Get("Location"); location != "" {
		text += ", a redirect to " + j.secrets.Show(location, shown) + " (redirects are not followed)"
	}
	if len(ex.Body) == 0 {
		return text + ", empty body"
	}
	return text + ", body " + j.secrets.ShowBody(string(ex.Body), shown)
}

func (j *Judge) notJSON(ex *exchange.Exchange, err error, expected string) Finding {
	f := Finding{Kind: "syntax", Expected: expected, Actual: j.secrets.Show(err.Error(), 2*shown)}
	var strict *strictjson.Error
	if errors.As(err, &strict) {
		f.Kind = strict.Rule
		f.Pointer = j.secrets.Show(strict.Pointer, shown)
	}
	if len(ex.Body) > 0 {
		f.Actual += "; the body begins " + j.secrets.ShowBody(string(ex.Body), shown)
	}
	return f
}
