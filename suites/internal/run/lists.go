package run

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/settings"
)

// orders observes whether the elements of a list keep their order from call to call, and from v5 to v6 (§4.3): order never
// fails a service, but those who depend on it want to know.
func (b *book) orders(op schemas.Operation, judgements []*judge.Judgement) {
	first := map[schemas.Version][]string{}
	changed := map[schemas.Version]bool{}
	for _, j := range judgements {
		v, order := j.Answer.Exchange.Probe.Version, orderOf(j.Answer)
		if len(order) < 2 {
			continue
		}
		if first[v] == nil {
			first[v] = order
		} else if !slices.Equal(first[v], order) && sameElements(first[v], order) {
			changed[v] = true
		}
	}
	for _, v := range b.run.Settings.Versions {
		switch {
		case first[v] == nil:
			b.run.Ledger.Asked("open/4.3/list-order", op, v)
		case changed[v]:
			b.run.Ledger.Observe("open/4.3/list-order", op, v, "changes between identical calls")
		case v == schemas.V6 && first[schemas.V5] != nil && !changed[schemas.V5] && !slices.Equal(first[schemas.V5], first[v]) && sameElements(first[schemas.V5], first[v]):
			b.run.Ledger.Observe("open/4.3/list-order", op, v, "the same at each call, another than v5's")
		default:
			b.run.Ledger.Observe("open/4.3/list-order", op, v, "the same at each call")
		}
	}
}

// orderOf names the elements of an answer's list in their order.
func orderOf(a *judge.Answer) []string {
	var order []string
	for _, element := range a.Identifiers {
		id, _ := element.(string)
		order = append(order, strings.ToLower(id))
	}
	if a.List {
		order = append(order, idsOf(a)...)
	}
	return order
}

func idsOf(a *judge.Answer) []string {
	var ids []string
	for _, record := range a.Records {
		id, _ := record.Value["Id"].(string)
		ids = append(ids, strings.ToLower(id))
	}
	return ids
}

func sameElements(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// overlaps observes whether the Id of a user's record stands in the user's identifier list (§4.3): the document does not
// say what the identifiers identify.
func (b *book) overlaps(op schemas.Operation, user settings.User, judgements []*judge.Judgement) {
	for _, j := range judgements {
		v := j.Answer.Exchange.Probe.Version
		if op == schemas.GetUserAuth {
			b.records[v] = recordIDs{user, idsOf(j.Answer)}
			continue
		}
		if j.Answer.Exchange.Probe.Round > 1 || b.records[v].user != user || len(j.Answer.Identifiers) == 0 {
			continue
		}
		listed := orderOf(j.Answer)
		for _, id := range b.records[v].ids {
			switch {
			case id == "":
			case slices.Contains(listed, id):
				b.run.Ledger.Observe("open/4.3/identifier-overlap", schemas.GetUserAuth, v, "stands in the list")
			default:
				b.run.Ledger.Observe("open/4.3/identifier-overlap", schemas.GetUserAuth, v, "does not stand in the list")
			}
		}
	}
}
