package parity

import (
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
)

// Told is a finding of a row of parity, in the words of every report.
type Told struct {
	Shape   bool   // it belongs to the row of shapes, else to that of values
	Kind    string // a stable word for it
	Pointer string
	// Restless is the version in which the place kept changing while it stood still in the other; "" for a difference.
	Restless    schemas.Version
	Left, Right any
}

// restlessKind is the kind of a place that keeps changing in one version only.
const restlessKind = "volatile in one version"

// Findings lists what is to be told of a conclusion. Where values are not compared, what is restless is a member that comes
// and goes, and so of shape.
func (r Rule) Findings(c Conclusion) []Told {
	list := make([]Told, 0, len(c.Differences)+len(c.Restless))
	for _, d := range c.Differences {
		list = append(list, Told{Shape: d.Kind.Shape(), Kind: string(d.Kind), Pointer: d.Pointer, Left: d.Left, Right: d.Right})
	}
	for _, d := range c.Restless {
		list = append(list, Told{Shape: r.ShapeOnly, Kind: restlessKind, Pointer: d.Pointer, Restless: d.Version, Left: d.Left, Right: d.Right})
	}
	return list
}

// Expected says what would have been accepted. V5 names the exchange of v5; show makes a value fit to be shown.
func (t Told) Expected(v5 string, show func(value any) string) string {
	if t.Restless != "" {
		return "a value that stands still in both versions, or changes in both"
	}
	return "what v5 shows (" + v5 + "): " + shown(t.Left, show)
}

// Actual says what came.
func (t Told) Actual(show func(value any) string) string {
	if t.Restless != "" {
		return "it keeps changing between identical calls to " + string(t.Restless) + " only: " + shown(t.Left, show) + ", then " + shown(t.Right, show)
	}
	return "v6 shows: " + shown(t.Right, show)
}

func shown(value any, show func(any) string) string {
	if _, absent := value.(Absent); absent {
		return "nothing: it is absent or refused"
	}
	return strictjson.TypeOf(value) + " " + show(value)
}
