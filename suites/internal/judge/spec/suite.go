package spec

import (
	"errors"
	"fmt"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Suite is the contract's requirements in the order of its sections.
type Suite struct {
	Contract *schemas.Contract
	Sections []*Section

	readers      map[*schemas.Shapes]*check.Reader
	requirements []*Requirement // in the catalogue's order
	byID         map[string]*Requirement
	faults       []error
}

// Section is a section of the document.
type Section struct {
	Number, Title string
	Requirements  []*Requirement
}

// New returns a suite with the sections that the functions write. The error names each disagreement between
// requirements and catalogue, which is a defect of the suite.
func New(contract *schemas.Contract, sections ...func(*Suite)) (*Suite, error) {
	s := &Suite{Contract: contract, byID: map[string]*Requirement{},
		readers: map[*schemas.Shapes]*check.Reader{&contract.Shapes: check.NewReader(&contract.Shapes)}}
	for _, v := range contract.Versions {
		s.readers[contract.Of(v)] = check.NewReader(contract.Of(v))
	}
	for _, r := range contract.Requirements {
		requirement := &Requirement{Requirement: r, suite: s, summary: check.List("none")}
		s.byID[r.ID] = requirement
		s.requirements = append(s.requirements, requirement)
	}
	for _, write := range sections {
		write(s)
	}
	for _, r := range s.requirements {
		s.faults = append(s.faults, r.fault())
	}
	if err := errors.Join(s.faults...); err != nil {
		return nil, fmt.Errorf("defect of the suite: the specs and the catalogue schemas/requirements.yaml "+
			"disagree:\n%w", err)
	}
	return s, nil
}

// Section starts a section of the document.
func (s *Suite) Section(number, title string) {
	s.Sections = append(s.Sections, &Section{Number: number, Title: title})
}

// Requirement starts a documented requirement of the section. Its statement is in the catalogue.
func (s *Suite) Requirement(id string) *Requirement { return s.row(id, schemas.Documented) }

// OpenPoint starts an open point of the section: something that the document leaves open, so that no target can violate
// it.
func (s *Suite) OpenPoint(id string) *Requirement { return s.row(id, schemas.Open) }

func (s *Suite) row(id string, kind schemas.Kind) *Requirement {
	section := s.Sections[len(s.Sections)-1]
	r, ok := s.byID[id]
	switch {
	case !ok:
		s.faults = append(s.faults,
			fmt.Errorf("%s: the specs of section %s have it, but the catalogue does not", id, section.Number))
		return &Requirement{suite: s}
	case r.Kind != kind || r.Section != section.Number:
		s.faults = append(s.faults, fmt.Errorf(
			"%s: the catalogue has it as %s in section %s, but the specs have it as %s in section %s",
			id, r.Kind, r.Section, kind, section.Number))
	case slices.Contains(section.Requirements, r):
		s.faults = append(s.faults, fmt.Errorf("%s: expected one spec in its section, got two", id))
	}
	section.Requirements = append(section.Requirements, r)
	return r
}

// fault returns an error that names where a requirement disagrees with its row of the catalogue.
func (r *Requirement) fault() error {
	if r.Kind == schemas.Excluded {
		return nil
	}
	risks := []schemas.Risk{schemas.Read, schemas.Negative, schemas.AuthFailure} // mildest first
	risk := schemas.Read
	var operations []schemas.Operation
	for _, s := range r.sends {
		operations = append(operations, s.operation)
		for _, m := range s.mutations {
			risk = risks[max(slices.Index(risks, risk), slices.Index(risks, m.Risk()))]
		}
	}
	for _, op := range r.Operations {
		if !slices.Contains(operations, op) {
			return fmt.Errorf("%s: expected its spec to send a request to %s, which the catalogue names", r.ID, op)
		}
	}
	observes := r.Kind == schemas.Open
	checks := 0
	for _, set := range []bool{
		r.eachAnswer != nil, r.eachCall != nil, r.eachList != nil, r.eachRecord != nil, r.eachDevice != nil,
		r.Lists != nil,
		r.Comparison != "", r.OpenPoint != nil, observes && r.observe != nil, observes && r.observeRecords != nil,
		observes && r.Order != nil, observes && r.Overlap != nil,
	} {
		if set {
			checks++
		}
	}
	switch {
	case checks != 1:
		return fmt.Errorf("%s: expected one check in its spec, got %d", r.ID, checks)
	case risk != r.Risk:
		return fmt.Errorf("%s: the catalogue has risk %s, but its spec sends requests of risk %s", r.ID, r.Risk, risk)
	case r.Parity != (r.Comparison != "" || r.OpenPoint != nil):
		return fmt.Errorf("%s: either the catalogue or its spec compares versions, but not both", r.ID)
	}
	return nil
}

// Requirements lists all, in the catalogue's order.
func (s *Suite) Requirements() []*Requirement { return s.requirements }

// reader returns what reads the answers to a probe.
func (s *Suite) reader(p exchange.Probe) *check.Reader { return s.readers[s.Contract.Of(p.Version)] }

// Mutations merges what the wanted requirements send to an operation of a version. Each mutation is listed once, in the
// catalogue's order. A field that the requests of the version do not have is not changed.
func (s *Suite) Mutations(op schemas.Operation, v schemas.Version, wanted func(*Requirement) bool) []exchange.Mutation {
	fields := s.Contract.Of(v).Request(op).Members()
	var list []exchange.Mutation
	for _, r := range s.selected(wanted) {
		for _, m := range r.Sends(op) {
			inRequest := slices.Contains(fields, m.Field) || !slices.Contains(s.Contract.Request(op).Members(), m.Field)
			if inRequest && !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list
}

// Judges reports whether a documented requirement judges the answer to a probe, so that it is not only observed.
func (s *Suite) Judges(p exchange.Probe) bool {
	return slices.ContainsFunc(s.requirements, func(r *Requirement) bool {
		return r.Kind == schemas.Documented && r.eachAnswer != nil && r.Asks(p)
	})
}

// ParityRequirements lists the requirements that compare what v5 and v6 answer to an operation.
func (s *Suite) ParityRequirements(op schemas.Operation) []*Requirement {
	return s.selected(func(r *Requirement) bool { return r.Comparison != "" && slices.Contains(r.Operations, op) })
}

// ParityRequirementID returns the id of the requirement that compares v5 and v6: in shape if shape is true, else in
// value.
func (s *Suite) ParityRequirementID(op schemas.Operation, shape bool) string {
	for _, r := range s.ParityRequirements(op) {
		if (r.Comparison == check.HaveTheSameShape) == shape {
			return r.ID
		}
	}
	return ""
}

// WellFormedOnly returns the part of the suite that a sweep uses: the documented requirements that send only
// well-formed requests.
func (s *Suite) WellFormedOnly() *Suite {
	reduced := *s
	reduced.requirements = s.selected(func(r *Requirement) bool {
		return r.Kind == schemas.Documented && r.Risk == schemas.Read
	})
	return &reduced
}

func (s *Suite) selected(has func(*Requirement) bool) []*Requirement {
	var list []*Requirement
	for _, r := range s.requirements {
		if has(r) {
			list = append(list, r)
		}
	}
	return list
}
