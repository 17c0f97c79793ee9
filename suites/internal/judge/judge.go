// Package judge says what an exchange shows: which requirements it witnesses, which it breaks, and what the target did
// where the document is silent. Its functions are pure: the same exchange is judged alike whenever and wherever, so
// recorded evidence can be judged again and tests need no network.
package judge

import (
	"cmp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/strictjson"
)

// MostFindings is how many findings of one row are kept; all are counted (J20).
const MostFindings = 50

// shown is how many characters of a value stand in a finding.
const shown = 200

// Judge holds the contract to judge by and the secrets that no finding may show. It is safe for concurrent use.
type Judge struct {
	contract *schemas.Contract
	secrets  *redact.Secrets
	record   members
	device   members
}

// members are the documented members of an object, in the document's order, and by their names freed of case, hyphens
// and underscores.
type members struct {
	names   []string
	section string   // of the document, as ids of requirements begin
	rows    []string // the requirements' ids, by name
	known   map[string]bool
	folded  map[string]string
}

func membersOf(schema *schemas.Schema, section string) members {
	m := members{names: schema.Members(), section: section, known: map[string]bool{}, folded: map[string]string{}}
	for _, name := range m.names {
		m.rows = append(m.rows, section+name)
		m.known[name] = true
		m.folded[fold(name)] = name
	}
	return m
}

// others lists the undocumented members of an object by name: of many only the first are kept, and those must be the same
// whenever it is judged.
func (m members) others(object map[string]any) []string {
	var names []string
	for name := range object {
		if !m.known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// New makes a judge.
func New(contract *schemas.Contract, secrets *redact.Secrets) *Judge {
	return &Judge{contract: contract, secrets: secrets, record: membersOf(contract.Record, "2.1/"), device: membersOf(contract.Device, "2.2/")}
}

// Finding is one breach of a requirement.
type Finding struct {
	Probe    exchange.Probe
	Kind     string // a stable word for the way it broke, by which findings of two runs are compared
	Pointer  string // RFC 6901, from the root of the body
	Expected string // all that would have been accepted
	Actual   string // what came, made safe to show
	Against  string // the id of the exchange that it is held against, of a row of parity
}

// Outcome is what exchanges say of one requirement.
type Outcome struct {
	Witnesses int
	Count     int       // of findings
	Findings  []Finding // the first MostFindings of them
	Causes    []Cause   // the findings again, grouped
	Notes     []string
}

// Cause is all findings of one kind at one place, whoever they came from. By its Kind and Pointer the findings of two
// runs are compared: neither user, nor host, nor text is part of it.
type Cause struct {
	Kind    string
	Pointer string // with `*` for each array index
	Count   int
	Example Finding
}

// mostCauses bounds the causes of a row; what goes beyond it is counted under one last cause.
const mostCauses = 200

// Find adds a finding.
func (o *Outcome) Find(f Finding) {
	o.Count++
	if len(o.Findings) < MostFindings {
		o.Findings = append(o.Findings, f)
	}
	o.cause(Cause{Kind: f.Kind, Pointer: strictjson.General(f.Pointer), Count: 1, Example: f})
}

// FindShown adds a finding of which the rest is only made where it is kept: a hostile answer may break a row a million
// times.
func (o *Outcome) FindShown(kind, pointer string, show func() Finding) {
	if len(o.Findings) >= MostFindings {
		general := Cause{Kind: kind, Pointer: strictjson.General(pointer)}
		if i := slices.IndexFunc(o.Causes, general.same); i >= 0 {
			o.Count++
			o.Causes[i].Count++
			return
		}
	}
	f := show()
	f.Kind, f.Pointer = kind, pointer
	o.Find(f)
}

func (o *Outcome) cause(c Cause) {
	if len(o.Causes) >= mostCauses && !slices.ContainsFunc(o.Causes, c.same) {
		c.Kind, c.Pointer = "more causes than are told apart", ""
	}
	if i := slices.IndexFunc(o.Causes, c.same); i >= 0 {
		o.Causes[i].Count += c.Count
		return
	}
	o.Causes = append(o.Causes, c)
}

func (c Cause) same(other Cause) bool { return c.Kind == other.Kind && c.Pointer == other.Pointer }

// Merge adds another outcome.
func (o *Outcome) Merge(other *Outcome) {
	o.Witnesses += other.Witnesses
	o.Count += other.Count
	room := max(0, MostFindings-len(o.Findings))
	o.Findings = append(o.Findings, other.Findings[:min(room, len(other.Findings))]...)
	for _, c := range other.Causes {
		o.cause(c)
	}
	for _, note := range other.Notes {
		o.note(note)
	}
}

// mostNotes bounds how many notes a row keeps.
const mostNotes = 20

func (o *Outcome) note(text string) {
	if len(o.Notes) < mostNotes && !slices.Contains(o.Notes, text) {
		o.Notes = append(o.Notes, text)
	}
}

// Outcomes are by requirement id.
type Outcomes map[string]*Outcome

func (o Outcomes) row(id string) *Outcome {
	if o[id] == nil {
		o[id] = &Outcome{}
	}
	return o[id]
}

func (o Outcomes) witness(id string) { o.row(id).Witnesses++ }

func (o Outcomes) find(id, kind, pointer string, show func() Finding) {
	o.row(id).FindShown(kind, pointer, show)
}

func (o Outcomes) note(id, text string) { o.row(id).note(text) }

// Fact is what the target did at an open point, in words that can be compared between versions.
type Fact struct {
	ID   string // of the open requirement
	Text string
}

// Compare orders facts by id and text.
func (f Fact) Compare(other Fact) int {
	return cmp.Or(strings.Compare(f.ID, other.ID), strings.Compare(f.Text, other.Text))
}

// Facts counts how often each fact was seen: an answer may hold a million records.
type Facts map[Fact]int

// mostFacts bounds how many different facts of one exchange are kept.
const mostFacts = 5000

func (f Facts) add(id, text string, times int) {
	fact := Fact{ID: id, Text: text}
	if _, known := f[fact]; known || len(f) < mostFacts {
		f[fact] += times
	}
}

// Judgement is all that one exchange says.
type Judgement struct {
	Answer *Answer
	Rows   Outcomes
	Facts  Facts
	Told   Facts // what the body tells beside: the same for every answer with that body, so it is made once
}

func (j *Judgement) fact(id, text string) { j.Facts.add(id, text, 1) }

// WellFormed judges the answer to a well-formed request (J1 to J12). Of a user marked as not enrolled only a record or a
// list of identifiers that comes back all the same is judged; anything else is the observation open/4.3/empty-result.
func (j *Judge) WellFormed(ex *exchange.Exchange) *Judgement {
	answer := j.read(ex)
	tells := j.tells(answer.Value)
	answer.telling = answer.Served() && tells
	result := &Judgement{Answer: answer, Rows: make(Outcomes, 2*len(j.record.names)), Facts: Facts{}}
	if ex.Probe.User.Enrolled {
		j.served(result)
	}
	if !ex.Probe.User.Enrolled && !tells {
		answer.Records = nil // an answer that says "nothing" may well use a documented name, such as Description
	}
	for _, record := range answer.Records {
		j.judgeRecord(result, record)
	}
	if answer.Identifiers != nil {
		j.identifiers(result, answer.Identifiers)
	}
	for _, record := range answer.Records {
		j.observeRecord(result, record.Value)
	}
	result.Told, result.Facts = result.Facts, Facts{}
	j.observe(result)
	return result
}

// Again judges an exchange whose body and status equal those of an earlier one for the same user and operation, in
// either version: what was found is found again, and nothing is read twice.
func (j *Judge) Again(earlier *Judgement, ex *exchange.Exchange) *Judgement {
	answer := *earlier.Answer
	answer.Exchange = ex
	result := &Judgement{Answer: &answer, Rows: make(Outcomes, len(earlier.Rows)), Facts: Facts{}, Told: earlier.Told}
	rows := make([]Outcome, 0, len(earlier.Rows)) // all in one piece: there are many
	for id, row := range earlier.Rows {
		rows = append(rows, *row)
		again := &rows[len(rows)-1]
		again.Findings, again.Causes = slices.Clone(row.Findings), slices.Clone(row.Causes)
		for i := range again.Findings {
			again.Findings[i].Probe = ex.Probe
		}
		for i := range again.Causes {
			again.Causes[i].Example.Probe = ex.Probe
		}
		result.Rows[id] = again
	}
	j.observe(result)
	return result
}

// served is J1: one witness, or what was wrong. An array without any record, for a user who has authenticators, breaks
// nothing that the document shows (§4.3) and shows nothing either: it is noted, and witnesses nothing.
func (j *Judge) served(result *Judgement) {
	ex := result.Answer.Exchange
	id := "4/" + string(ex.Probe.Operation) + "/served"
	switch {
	case result.Answer.Served() && result.Answer.List && len(result.Answer.Records) == 0:
		result.Rows.note(id, "an empty array came for user "+j.secrets.ShowJSON(ex.Probe.User.UserID, 80)+", who is not marked enrolled: false")
		return
	case result.Answer.Served():
		result.Rows.witness(id)
		return
	}
	for _, broken := range result.Answer.broken {
		result.Rows.row(id).Find(broken)
	}
	// Those that were not kept are of the same cause as the last: elements of an array that are no records.
	if more := result.Answer.brokenMore; more > 0 {
		row := result.Rows.row(id)
		row.Count += more
		row.Causes[len(row.Causes)-1].Count += more
	}
}
