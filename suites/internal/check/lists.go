package check

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// ListOrder reports, for each version that answered a list of two or more, whether the elements keep their order. It
// compares call with call, and the versions of each pair (§4.3). It takes all answers for one user and operation, in
// the order sent.
func ListOrder(pairs []schemas.Pair, answers []*Answer) map[schemas.Version]string {
	first := map[schemas.Version][]string{}
	changed := map[schemas.Version]bool{}
	for _, a := range answers {
		v, order := a.Exchange.Probe.Version, a.order()
		if len(order) < 2 {
			continue
		}
		if first[v] == nil {
			first[v] = order
		} else if !slices.Equal(first[v], order) && sameElements(first[v], order) {
			changed[v] = true
		}
	}
	observed := map[schemas.Version]string{}
	for v, order := range first {
		observed[v] = "the same at each call"
		if changed[v] {
			observed[v] = "changes between identical calls"
			continue
		}
		for _, p := range pairs {
			from := first[p.From]
			if v == p.To && !changed[p.From] && !slices.Equal(from, order) && sameElements(from, order) {
				observed[v] = "the same at each call, another than " + string(p.From) + "'s"
			}
		}
	}
	return observed
}

// IdentifierOverlap reports, for each record of a user, whether its Id is in that user's identifier list (§4.3).
func IdentifierOverlap(recordIDs []string, list *Answer) []any {
	if len(list.Identifiers) == 0 {
		return nil
	}
	ids := list.order()
	var observed []any
	for _, id := range recordIDs {
		switch {
		case id == "":
		case slices.Contains(ids, strings.ToLower(id)):
			observed = append(observed, "stands in the list")
		default:
			observed = append(observed, "does not stand in the list")
		}
	}
	return observed
}

// order returns the names of the list's elements, in their order.
func (a *Answer) order() []string {
	var order []string
	for _, element := range a.Identifiers {
		id, _ := element.(string)
		order = append(order, strings.ToLower(id))
	}
	for _, id := range a.RecordIDs() {
		order = append(order, strings.ToLower(id))
	}
	return order
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
