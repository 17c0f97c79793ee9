package page

import (
	"fmt"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/parity"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/strictjson"
)

// diffOf sets an answer beside the one that it is held against.
func (b *builder) diffOf(earlier, later *evidence.Kept, f report.Finding) *diff {
	left, right := b.bodies(earlier, later, f)
	d := &diff{Left: b.answerOf(earlier), Right: b.answerOf(later)}
	d.Left.Response.Notes = append(d.Left.Response.Notes, left.notes...)
	d.Right.Response.Notes = append(d.Right.Response.Notes, right.notes...)
	d.OtherStatus = d.Left.Response.Status != d.Right.Response.Status
	d.Rows = sideBySide(left.lines, right.lines)
	return d
}

func (b *builder) answerOf(k *evidence.Kept) answer {
	return answer{
		Name:     fmt.Sprintf("%s, %s, %s", b.text(string(k.Probe.Version)), b.text(k.Probe.ID), b.text(k.Probe.Name())),
		Response: b.responseOf(k),
	}
}

type side struct {
	lines []line
	notes []string
}

// bodies lays both bodies out, the later one in the order of the earlier one where both are JSON.
func (b *builder) bodies(earlier, later *evidence.Kept, f report.Finding) (left, right side) {
	l, lok := parse(earlier.Body, earlier.Cut != nil)
	r, rok := parse(later.Body, later.Cut != nil)
	if !lok || !rok {
		left.lines, left.notes = b.body(earlier, f.Pointer)
		right.lines, right.notes = b.body(later, f.Pointer)
		return left, right
	}
	pointAt(l, r, f)
	left, right = side{l.lines(), l.notes(earlier.Cut != nil)}, side{r.lines(), r.notes(later.Cut != nil)}
	return left, right
}

// pointAt marks a finding's place on both sides, and brings the later side into the order of the earlier one. The
// pointer is one into the earlier answer where the place stands there, else into the later one.
func pointAt(earlier, later *node, f report.Finding) {
	tokens, err := strictjson.Tokens(f.Pointer)
	if err != nil || len(tokens) == 0 {
		align(earlier, later)
		return
	}
	if f.Kind == string(parity.ElementAdded) {
		later.at(tokens).mark = true
		earlier.mark = true
		align(earlier, later)
		return
	}
	earlier.at(tokens).mark = true
	first := earlier.child(tokens[0])
	counterparts := align(earlier, later)
	switch partner := counterparts[first]; {
	case counterparts == nil || first == nil:
		later.at(tokens).mark = true
	case partner == nil:
		later.mark = true
	default:
		partner.at(tokens[1:]).mark = true
	}
}
