package check

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
)

// Answer is an exchange with its body decoded once.
type Answer struct {
	Exchange    *exchange.Exchange
	Value       any   // the decoded body, if it is exactly one JSON text; numbers are json.Number
	List        bool  // getUserAuth answered an array (§4.3)
	Identifiers []any // the array that findByUserIds answered; nil if it answered none
	Count       int   // of the records or identifiers; Drop keeps it

	reader  *Reader
	records []record
	names   []string // nil unless the values were freed
	kept    *guids   // nil unless the values were freed
	// it contains what a refusal must not: a record or identifiers, or a GUID of the user's own (J13)
	discloses bool
	ownOnly   bool    // all that it discloses is a GUID of the user's own
	shape     string  // the body's shape in words; set only if empty results or refusals are observed
	faults    Outcome // why the request was not served (J1)
}

// record is an authenticator record in an answer.
type record struct {
	index   int // in the list; -1 if the record is the answer
	members map[string]any
}

// pointer returns the JSON Pointer from the root of the body.
func (r record) pointer() string {
	if r.index < 0 {
		return ""
	}
	return "/" + strconv.Itoa(r.index)
}

// Read decodes the answer to a well-formed request (J1, J11).
func (r *Reader) Read(ex *exchange.Exchange) *Answer {
	a := &Answer{Exchange: ex, reader: r}
	a.read()
	a.discloses = r.discloses(a.Value)
	if !ex.Probe.User.Enrolled {
		a.shape = noJSON
		if value, err := strictjson.Decode(ex.Body); err == nil {
			a.shape = r.shapeOf(value)
		}
		if !a.discloses {
			a.records = nil // an answer for "nothing enrolled" may use a documented name, such as Description
		}
	}
	a.Count = len(a.records) + len(a.Identifiers)
	return a
}

// ReadRefusal reads the answer to a request that must be refused, or is only observed. It looks for disclosed data
// leniently: neither broken JSON, another form nor an end that did not come must hide a record that the target served,
// or a GUID that is the user's own (J13). Value is an excerpt of what is disclosed.
func (r *Reader) ReadRefusal(ex *exchange.Exchange) *Answer {
	read := r.refusals.read(ex.Body, r.readRefusal)
	a := &Answer{Exchange: ex, Value: read.value, discloses: read.discloses, shape: read.shape}
	if own := ownIn(ex); !a.discloses && own != "" {
		a.Value, a.discloses, a.ownOnly = own, true, true
	}
	return a
}

// readRefusal reads the body of such an answer.
func (r *Reader) readRefusal(body []byte) refusalBody {
	read := refusalBody{shape: noJSON}
	value, err := strictjson.Decode(body)
	if err != nil {
		value, _ = strictjson.First(unpacked(body))
	} else {
		read.shape = r.shapeOf(value)
	}
	if read.discloses = r.discloses(value) || holds(value, r.isDisclosedRecord); read.discloses {
		read.value = ExcerptOf(value)
	}
	return read
}

// ownIn returns a GUID in the body or a header of an answer, in whatever form, that is the user's own; "" if there is
// none.
func ownIn(ex *exchange.Exchange) string {
	if len(ex.Own) == 0 {
		return ""
	}
	texts := [][]byte{unpacked(ex.Body)}
	for _, name := range slices.Sorted(maps.Keys(ex.Header)) {
		texts = append(texts, []byte(strings.Join(ex.Header[name], "\n")))
	}
	for _, text := range texts {
		for guid := range schemas.EachGUID(text) {
			if guid = strings.ToLower(guid); ex.Own[guid] {
				return guid
			}
		}
	}
	return ""
}

// unpacked returns what is packed by gzip, without a header that says so, as far as it can be read. Any other body is
// returned as it is.
func unpacked(body []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	text, _ := io.ReadAll(io.LimitReader(reader, maxUnpacked))
	return text
}

const maxUnpacked = 16 << 20

// Again returns the answer for another exchange with the same user, operation, status and body. It decodes nothing.
func (a *Answer) Again(ex *exchange.Exchange) *Answer {
	again := *a
	again.Exchange, again.faults = ex, a.faults.Again(ex.Probe)
	return &again
}

// Served reports whether the request was answered as J1 requires.
func (a *Answer) Served() bool { return a.faults.Count == 0 }

// Fault returns the first reason why the request was not served; false if it was.
func (a *Answer) Fault() (Finding, bool) {
	if a.Served() {
		return Finding{}, false
	}
	return a.faults.Findings[0], true
}

// Discloses reports whether the answer contains what a refusal must not: a record or identifiers, or a GUID of the
// user's own (J13).
func (a *Answer) Discloses() bool { return a.discloses }

// DisclosesOnlyOwn reports whether all that a refusal must not contain in it is a GUID of the user's own.
func (a *Answer) DisclosesOnlyOwn() bool { return a.ownOnly }

// DisclosesData reports whether a request was served with a record or identifiers. A user is eligible for requests that
// must be refused only if every well-formed request gets such an answer (J13). For any other user, a target that
// enforces nothing would seem to refuse.
func (a *Answer) DisclosesData() bool { return a.discloses && a.Served() }

// ServesSomething reports whether the answer has something about the user: data that a refusal must not contain (J13),
// or a record that is served by J1. Reports count the users with such an answer as served (J22).
func (a *Answer) ServesSomething() bool {
	return a.discloses || a.Served() && a.Exchange.Probe.Operation == schemas.GetUserAuth && a.Count > 0
}

// Drop frees the decoded values. The body can be decoded again. It keeps the names of up to a hundred thousand records
// or identifiers, which take little more memory than the body, and what Lists needs.
func (a *Answer) Drop() {
	a.kept = a.guids()
	if a.Count <= 100_000 {
		a.names = a.Names()
	}
	a.Value, a.records, a.Identifiers = nil, nil, nil
}

// Names lists the Id of each record, or the identifiers, in lower case and in their order; "" for one that is no text.
func (a *Answer) Names() []string {
	if a.names != nil {
		return a.names
	}
	names := make([]string, 0, len(a.Identifiers)+len(a.records))
	for _, element := range a.Identifiers {
		id, _ := element.(string)
		names = append(names, strings.ToLower(id))
	}
	for _, r := range a.records {
		id, _ := r.members["Id"].(string)
		names = append(names, strings.ToLower(id))
	}
	return names
}

func (a *Answer) read() {
	ex := a.Exchange
	switch {
	case ex.Fault != nil:
		a.addFault(Finding{Kind: string(ex.Fault.Kind), Actual: *ex.Fault})
		return
	case !ex.Success():
		a.addFault(Finding{Kind: "status",
			Actual: Status{ex.Status, ex.Header.Get("Location"), ex.Says(), ex.Cookies(), bodyOf(ex)}})
		return
	}
	value, err := strictjson.Decode(ex.Body)
	if err != nil {
		a.unreadable(err, err.Error())
		return
	}
	a.Value = value
	if ex.Probe.Operation == schemas.GetUserAuth {
		a.readRecords()
		return
	}
	list, ok := value.([]any)
	if !ok {
		a.addFault(Finding{Kind: "shape", Actual: value, Off: envelopeAround(value, hasIdentifiers)})
		return
	}
	a.Identifiers = list
}

func (a *Answer) readRecords() {
	list, isList := a.Value.([]any)
	if a.List = isList; !isList {
		a.readRecord(-1, a.Value, nil)
	}
	a.records = slices.Grow(a.records, len(list))
	for i, element := range list {
		a.readRecord(i, element, OnlyRecords{})
	}
}

// readRecord reads what should be a record. expected is what the place expects; nil is an answer that serves.
func (a *Answer) readRecord(index int, value, expected any) {
	members, _ := value.(map[string]any)
	switch r, element := a.reader, (record{index, members}); {
	case r.isRecord(members):
		a.records = append(a.records, element)
	case a.faults.Count >= MaxFindings:
		a.addFault(Finding{}) // it is counted only
	default:
		a.addFault(Finding{Kind: "shape", Pointer: element.pointer(), Expected: expected, Actual: value,
			Off:        envelopeAround(value, r.isDisclosedRecord),
			NearMisses: r.record.nearMisses(r.record.undocumented(members))})
	}
}

// addFault adds a reason why the request was not served. Of many elements that are no records it only counts the last.
func (a *Answer) addFault(f Finding) {
	if last := len(a.faults.Causes) - 1; a.faults.Count >= MaxFindings {
		a.faults.Count++
		a.faults.Causes[last].Count++
		return
	}
	f.Probe = a.Exchange.Probe
	if f.Expected == nil {
		f.Expected = Service{a.Exchange.Probe.Operation}
	}
	a.faults.Find(f)
}

func (a *Answer) unreadable(err error, why string) {
	f := Finding{Kind: "syntax", Actual: Unreadable{Why: why, Body: bodyOf(a.Exchange)}}
	var strict *strictjson.Error
	if errors.As(err, &strict) {
		f.Kind, f.Pointer = strict.Rule, strict.Pointer
	}
	a.addFault(f)
}

// isRecord reports whether an object has at least one documented member (J1).
func (r *Reader) isRecord(object map[string]any) bool {
	return slices.ContainsFunc(r.record.names, func(name string) bool {
		_, documented := object[name]
		return documented
	})
}

// Envelope is what is off in an object around a record or identifiers: a gateway, or a filter of the service, wraps
// each answer.
const Envelope = "an envelope around what was expected"

// envelopeAround returns Envelope if a value is an object in which an object of that kind stands; else "".
func envelopeAround(value any, is func(map[string]any) bool) string {
	if _, isObject := value.(map[string]any); isObject && holds(value, is) {
		return Envelope
	}
	return ""
}

// hasIdentifiers reports whether a member of an object is a list that begins with a GUID.
func hasIdentifiers(object map[string]any) bool {
	for _, member := range object {
		if list, _ := member.([]any); len(list) > 0 {
			if text, _ := list[0].(string); schemas.HoldsGUID([]byte(text)) {
				return true
			}
		}
	}
	return false
}
