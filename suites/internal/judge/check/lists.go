package check

import (
	"slices"

	"authenticator-conformance/schemas"
)

// ListOrder reports, for each version that answered a list of two or more, whether the elements keep their order. It
// compares call with call, and the versions of each pair (§4.3). It takes all answers for one user and operation, in
// the order sent.
func ListOrder(pairs []schemas.Pair, answers []*Answer) map[schemas.Version]string {
	first := map[schemas.Version][]string{}
	changed := map[schemas.Version]bool{}
	for _, a := range answers {
		v, order := a.Exchange.Probe.Version, a.Names()
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

// IdentifierOverlap reports, for each record of a user, whether its Id is in that user's identifier list (§4.3). The
// names of the records are those of their answer.
func IdentifierOverlap(records []string, list *Answer) []any {
	ids := list.Names()
	if len(ids) == 0 {
		return nil
	}
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	var observed []any
	for _, id := range records {
		switch {
		case id == "":
		case listed[id]:
			observed = append(observed, "stands in the list")
		default:
			observed = append(observed, "does not stand in the list")
		}
	}
	return observed
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
