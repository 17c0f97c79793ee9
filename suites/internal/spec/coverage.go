package spec

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
)

// How many records or elements an answer may have.
const (
	oneRecord = "one record"
	listOf    = "list of "
)

// member returns the member that the rule of a row is about, with the schema that has it; nil if it is about another
// thing. The name is the last part of the row's id. A schema knows nothing of other names.
func (r *Requirement) memberOf(v schemas.Version) (*schemas.Schema, string) {
	of := r.suite.Contract.Of(v)
	name := r.ID[strings.LastIndex(r.ID, "/")+1:]
	switch {
	case r.eachRecord != nil:
		return of.Record, name
	case r.eachDevice != nil:
		return of.Device, name
	}
	return nil, ""
}

// Alternatives lists what the rule of a documented row leaves to the target, and what it has to refuse: coverage says
// which of it a run has seen. It is empty for a row that compares versions.
func (r *Requirement) Alternatives(v schemas.Version) (list []string) {
	if schema, name := r.memberOf(v); schema != nil {
		return schema.Alternatives(name)
	}
	if r.eachList != nil {
		return r.suite.Contract.Of(v).Identifiers.Forms()
	}
	for _, s := range r.sends {
		for _, m := range s.mutations {
			switch {
			case r.eachAnswer == nil:
			case m != WellFormed:
				list = append(list, refusalOf(string(m.Kind), m.Field))
			case s.operation == GetUserAuth:
				list = append(list, oneRecord, listOf+"none", listOf+"one", listOf+"many")
			default:
				list = append(list, listOf+"none", listOf+"one", listOf+"many")
			}
		}
	}
	return list
}

func refusalOf(kind, field string) string { return strings.TrimSpace("refused: " + kind + " " + field) }

// Covers lists which alternatives an answer shows, by row.
type Covers map[string][]string

func (c Covers) add(id string, alternatives ...string) {
	for _, a := range alternatives {
		if !slices.Contains(c[id], a) {
			c[id] = append(c[id], a)
		}
	}
}

// coverObject notes what a record or a device shows of the member of a row that it keeps.
func (j *Judgement) coverObject(r *Requirement, o *check.Object) {
	schema, name := r.memberOf(j.Answer.Exchange.Probe.Version)
	j.Covers.add(r.ID, schema.Shows(name, o.Members)...)
}

// coverList notes which forms the right elements of a list have. A list of millions of elements shows no more than its
// first thousand.
func (j *Judgement) coverList(r *Requirement) {
	schema := r.suite.Contract.Of(j.Answer.Exchange.Probe.Version).Identifiers
	for _, element := range j.Answer.Identifiers[:min(len(j.Answer.Identifiers), 1000)] {
		j.Covers.add(r.ID, schema.FormsOf(element)...)
	}
}

// coverAnswer notes what an answer as a whole shows of a row that it keeps.
func (j *Judgement) coverAnswer(r *Requirement, outcome check.Outcome) {
	p := j.Answer.Exchange.Probe
	switch {
	case outcome.Count > 0 || !j.Answer.Exchange.Answered():
	case !p.WellFormed():
		j.Covers.add(r.ID, refusalOf(string(p.Kind), p.Field))
	case p.Operation == GetUserAuth && !j.Answer.List && j.Answer.Served():
		j.Covers.add(r.ID, oneRecord)
	case j.Answer.Served():
		j.Covers.add(r.ID, listOf+[]string{"none", "one", "many"}[min(j.Answer.Count, 2)])
	}
}
