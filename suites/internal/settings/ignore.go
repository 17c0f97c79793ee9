package settings

import (
	"fmt"
	"slices"
	"strings"
)

// takeIgnore reads the places that parity leaves out.
func takeIgnore(r *resolver, g given) (shown string, faults []error) {
	known := []string{memberPointer, memberReason, memberUntil}
	list, faults := readEntries(g, known, []string{memberPointer, memberReason})
	past := 0
	for _, e := range list {
		i, err := ignored(e)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		same := func(other Ignore) bool { return other.Pointer == i.Pointer }
		if other := slices.IndexFunc(r.settings.Ignore, same); other >= 0 {
			faults = append(faults, fmt.Errorf("%s: leaves out %s once more, as %s does: leave one", i.Where, quote(i.Pointer),
				r.settings.Ignore[other].Where))
			continue
		}
		if !i.Holds(r.now) {
			past++
		}
		r.settings.Ignore = append(r.settings.Ignore, i)
	}
	return counted(len(r.settings.Ignore), past), faults
}

func ignored(e entry) (i Ignore, err error) {
	i = Ignore{Pointer: e.texts[memberPointer], Reason: e.texts[memberReason], Where: e.where}
	if fault := pointerFault(i.Pointer); fault != "" {
		return i, e.fault(memberPointer, "%s is no JSON Pointer (RFC 6901): %s", quote(i.Pointer), fault)
	}
	if until, ok := e.texts[memberUntil]; ok {
		if i.Until, err = date(until); err != nil {
			return i, e.fault(memberUntil, "%v", err)
		}
	}
	return i, nil
}

// pointerFault says what is wrong with a JSON Pointer that is not empty.
func pointerFault(pointer string) string {
	if !strings.HasPrefix(pointer, "/") {
		return "it must begin with /, such as /Device/Comment"
	}
	for at, r := range pointer {
		if r == '~' && !strings.HasPrefix(pointer[at:], "~0") && !strings.HasPrefix(pointer[at:], "~1") {
			return "after ~ must come 0 (for ~) or 1 (for /)"
		}
	}
	return ""
}
