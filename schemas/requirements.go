package schemas

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Kind is how a requirement can be judged.
type Kind string

// The kinds: Documented rows get a verdict, Open ones an observation, Excluded ones can't be observed from outside.
const (
	Documented Kind = "documented"
	Open       Kind = "open"
	Excluded   Kind = "excluded"
)

// Risk is what a probe may cause on a live service. Its values are the labels that filter probes.
type Risk string

// The risks, mildest first: a well-formed request; one that a right service refuses; one with a bad token, which may
// count towards a lockout of the administrator.
const (
	Read        Risk = "read"
	Negative    Risk = "negative"
	AuthFailure Risk = "auth-failure"
)

// Requirement is one row of the catalogue.
type Requirement struct {
	// ID is unique, such as "2.1/CreatedOn", "open/7/null-field" or "excluded/6/events".
	ID string
	// Section of the document, such as "2.1"; it is part of the id.
	Section string
	// Kind is part of the id too.
	Kind Kind
	// Operations are those that the row is about, in the document's order; never empty unless the row is Excluded.
	Operations []Operation
	// Parity rows are judged between v5 and v6, once, not per version (§9.3).
	Parity bool
	// Setting is the setting that must be "fail" for the row to exist; "" if the row always exists.
	Setting string
	// Risk is the highest risk of the probes that the row needs; "" for an Excluded row, which needs none.
	Risk Risk
	// Statement is one sentence: what a right service does, or what is observed.
	Statement string
	// Compare reports whether v5 and v6 are compared on an Open row. It is false for what may differ between two
	// identical calls, and for rows of the other kinds.
	Compare bool
	// Reason is why an Excluded row can't be observed from outside the service; "" for other rows.
	Reason string
}

// requirementID splits an id into its kind ("" for documented) and its section.
var requirementID = regexp.MustCompile(`^(?:(open|excluded)/)?([0-9](?:\.[0-9])?)/[A-Za-z-]+(?:/[a-z]+)?$`)

// row is a requirement as requirements.yaml writes it.
type row struct {
	ID         string      `yaml:"id"`
	Operations []Operation `yaml:"operations"`
	Risk       Risk        `yaml:"risk"`
	Statement  string      `yaml:"statement"`
	Parity     bool        `yaml:"parity"`
	Setting    string      `yaml:"setting"`
	Compare    *bool       `yaml:"compare"`
	Reason     string      `yaml:"reason"`
}

func readCatalogue(files fs.FS) ([]Requirement, error) {
	content, err := fs.ReadFile(files, catalogueFile)
	if err != nil {
		return nil, fmt.Errorf("the catalogue %s can't be read: %w", catalogueFile, err)
	}
	var nodes []yaml.Node
	if err := yaml.Load(content, &nodes); err != nil {
		return nil, fmt.Errorf("%s: expected a YAML list of rows: %w", catalogueFile, err)
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: expected a list of at least one row; it is empty", catalogueFile)
	}
	lines := map[string]int{}
	requirements := make([]Requirement, 0, len(nodes))
	for _, node := range nodes {
		// Row by row, since a row that is null would vanish from a list of rows.
		var r row
		if err := node.Load(&r, yaml.WithKnownFields()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", catalogueFile, node.Line, err)
		}
		requirement, err := r.requirement()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", catalogueFile, node.Line, err)
		}
		if first, duplicate := lines[r.ID]; duplicate {
			return nil, fmt.Errorf("%s:%d: the id %q is already used at line %d; expected each id once",
				catalogueFile, node.Line, r.ID, first)
		}
		lines[r.ID] = node.Line
		requirements = append(requirements, requirement)
	}
	return requirements, nil
}

// requirement reads kind and section from the id. It refuses a row whose members do not fit its kind.
func (r row) requirement() (Requirement, error) {
	parts := requirementID.FindStringSubmatch(r.ID)
	if parts == nil {
		return Requirement{}, fmt.Errorf(
			"the id %q is not of the form SECTION/NAME, open/SECTION/NAME or excluded/SECTION/NAME", r.ID)
	}
	out := Requirement{
		ID: r.ID, Section: parts[2], Kind: Documented, Operations: r.Operations, Parity: r.Parity,
		Setting: r.Setting, Risk: r.Risk, Statement: r.Statement, Reason: r.Reason,
	}
	if parts[1] != "" {
		out.Kind = Kind(parts[1])
	}
	if r.Statement == "" || !strings.HasSuffix(r.Statement, ".") {
		return out, fmt.Errorf("%s: expected a statement that is a sentence with a full stop, got %q", r.ID,
			r.Statement)
	}
	if r.Compare != nil && out.Kind != Open {
		return out, fmt.Errorf("%s: expected compare in open rows only", r.ID)
	}
	out.Compare = out.Kind == Open && (r.Compare == nil || *r.Compare)
	if out.Kind == Excluded {
		return out, r.excludedFault()
	}
	return out, r.probedFault()
}

// excludedFault returns an error if an excluded row lacks a reason or has anything that only probed rows need.
func (r row) excludedFault() error {
	if !strings.HasSuffix(r.Reason, ".") {
		return fmt.Errorf("%s: expected a reason that is a sentence with a full stop, got %q", r.ID, r.Reason)
	}
	if r.Risk != "" || len(r.Operations) > 0 || r.Parity || r.Setting != "" {
		return fmt.Errorf(
			"%s: expected an excluded row with id, statement and reason only, because nothing is sent for it", r.ID)
	}
	return nil
}

// probedFault returns an error if a row that needs probes lacks a member or has one too many.
func (r row) probedFault() error {
	if r.Reason != "" {
		return fmt.Errorf("%s: only an excluded row has a reason", r.ID)
	}
	switch r.Risk {
	case Read, Negative, AuthFailure:
	default:
		return fmt.Errorf("%s: expected a risk of %s, %s or %s, got %q", r.ID, Read, Negative, AuthFailure, r.Risk)
	}
	if len(r.Operations) == 0 {
		return fmt.Errorf("%s: expected at least one operation in operations", r.ID)
	}
	next := 0
	for _, op := range r.Operations {
		position := slices.Index(Operations(), op)
		if position < next {
			return fmt.Errorf("%s: operations has %q; expected operations of the document, each once and in its order",
				r.ID, op)
		}
		next = position + 1
	}
	return nil
}
