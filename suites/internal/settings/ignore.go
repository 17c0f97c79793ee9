package settings

import (
	"errors"
	"fmt"
	"strings"

	"authenticator-conformance/suites/internal/input"
)

// setIgnore reads the places that the parity comparison leaves out.
func (r *resolver) setIgnore(g rawValue) error {
	list, err := g.parseEntries(column{memberPointer, kindText, false}, column{memberReason, kindText, false},
		column{memberUntil, kindDate, true})
	faults, expired := []error{err}, 0
	for _, e := range list {
		i := Ignore{Pointer: e.texts[memberPointer], Reason: e.texts[memberReason], Where: e.where}
		var err error
		if until, ok := e.texts[memberUntil]; ok {
			if i.Until, err = date(until); err != nil {
				err = e.fault(memberUntil, ": %v", err)
			}
		}
		if fault := pointerFault(i.Pointer); fault != "" {
			err = e.fault(memberPointer, ": %s is not a JSON Pointer (RFC 6901): %s", input.Quote(i.Pointer), fault)
		}
		for _, other := range r.settings.Ignore {
			if other.Pointer == i.Pointer {
				err = fmt.Errorf("%s: leaves out %s again, as %s does: remove one", i.Where, input.Quote(i.Pointer),
					other.Where)
			}
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if !i.Active(r.now) {
			expired++
		}
		r.settings.Ignore = append(r.settings.Ignore, i)
	}
	r.show(nameIgnore, countEntries(len(r.settings.Ignore), expired), g.source)
	return errors.Join(faults...)
}

// pointerFault returns what is wrong with a JSON Pointer (RFC 6901), or "". An empty pointer is an error.
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
