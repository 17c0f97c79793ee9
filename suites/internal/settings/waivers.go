package settings

import (
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// The members of an entry of waivers and of parity.ignore.
const (
	memberRequirement = "requirement"
	memberVersion     = "version"
	memberVerdict     = "verdict"
	memberReason      = "reason"
	memberUntil       = "until"
	memberPointer     = "pointer"
)

// takeWaivers reads what the target's owner sets aside. Two entries that set the same verdict of the same row aside
// are an error: one of them could be wrong, or past its date, and nobody would see it.
func takeWaivers(r *resolver, g given) (shown string, faults []error) {
	known := []string{memberRequirement, memberVersion, memberVerdict, memberReason, memberUntil}
	list, faults := readEntries(g, known, []string{memberRequirement, memberReason, memberUntil})
	past := 0
	for _, e := range list {
		w, err := r.waiver(e)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if other := slices.IndexFunc(r.settings.Waivers, w.overlaps); other >= 0 {
			faults = append(faults, fmt.Errorf("%s: sets aside %s of %s once more, as %s does: leave one", w.Where, w.Verdict,
				w.Requirement, r.settings.Waivers[other].Where))
			continue
		}
		if !w.Holds(r.now) {
			past++
		}
		r.settings.Waivers = append(r.settings.Waivers, w)
	}
	return counted(len(r.settings.Waivers), past), faults
}

// overlaps tells whether two waivers speak of the same verdict of the same row.
func (w Waiver) overlaps(other Waiver) bool {
	return w.Requirement == other.Requirement && w.Verdict == other.Verdict &&
		(w.Version == other.Version || w.Version == "" || other.Version == "")
}

func (r *resolver) waiver(e entry) (w Waiver, err error) {
	w = Waiver{Requirement: e.texts[memberRequirement], Verdict: WaiveFail, Reason: e.texts[memberReason], Where: e.where}
	requirement, ok := r.contract.Requirement(w.Requirement)
	switch {
	case !ok:
		return w, e.fault(memberRequirement, "%s is no requirement: did you mean %s?", quote(w.Requirement),
			quote(nearest(w.Requirement, r.documented())))
	case requirement.Kind == schemas.Open:
		return w, e.fault(memberRequirement, "%s is an open point, which can't fail: there is nothing to set aside",
			w.Requirement)
	case requirement.Kind == schemas.Excluded:
		return w, e.fault(memberRequirement, "%s is never judged, so that there is nothing to set aside: %s",
			w.Requirement, requirement.Reason)
	}
	if verdict, ok := e.texts[memberVerdict]; ok {
		if w.Verdict, err = oneOf(verdict, WaiveFail, WaiveInconclusive); err != nil {
			return w, e.fault(memberVerdict, "%v", err)
		}
	}
	if version, ok := e.texts[memberVersion]; ok {
		known := versionWords()
		if requirement.Parity {
			known = []string{string(schemas.Parity)}
		}
		if !slices.Contains(known, version) {
			return w, e.fault(memberVersion, "expected %s for %s, got %s; leave the member out to speak of all",
				strings.Join(known, " or "), w.Requirement, quote(version))
		}
		w.Version = schemas.Version(version)
	}
	if w.Until, err = date(e.texts[memberUntil]); err != nil {
		return w, e.fault(memberUntil, "%v", err)
	}
	return w, nil
}

// documented lists the ids that a waiver may name.
func (r *resolver) documented() []string {
	var ids []string
	for _, requirement := range r.contract.Requirements {
		if requirement.Kind == schemas.Documented {
			ids = append(ids, requirement.ID)
		}
	}
	return ids
}
