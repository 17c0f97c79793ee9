package parity

import (
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// records compares two lists of records. If every record in both lists has a unique Id, it matches records by Id and
// reports the others as missing or added. Otherwise it compares by position.
func (c *comparison) records(left, right []any) {
	leftIDs, lok := ids(left)
	rightIDs, rok := ids(right)
	if !lok || !rok {
		c.byPosition(left, right)
		return
	}
	index := make(map[string]int, len(rightIDs))
	for i, id := range rightIDs {
		index[id] = i
	}
	for i, id := range leftIDs {
		j, both := index[id]
		if !both {
			c.add(byID(i, id), ElementMissing, left[i], Absent{})
			continue
		}
		delete(index, id)
		c.values(byID(i, id), left[i], right[j])
	}
	for j, id := range rightIDs {
		if _, extra := index[id]; extra {
			c.add(byID(j, id), ElementAdded, Absent{}, right[j])
		}
	}
}

func (c *comparison) byPosition(left, right []any) {
	for i := range min(len(left), len(right)) {
		c.values(position{}.index(i), left[i], right[i])
	}
	for i := len(right); i < len(left); i++ {
		c.add(position{}.index(i), ElementMissing, left[i], Absent{})
	}
	for i := len(left); i < len(right); i++ {
		c.add(position{}.index(i), ElementAdded, Absent{}, right[i])
	}
}

// byID returns the position of an element that is identified by its Id, not by its index.
func byID(i int, id string) position {
	return position{"/" + strconv.Itoa(i), strictjson.Pointer("", "Id="+id)}
}

// ids returns the Ids of a list's records in lower case, as the case of a GUID is free. It returns false if an Id is
// missing, not a string, or not unique.
func ids(list []any) ([]string, bool) {
	seen := make(map[string]bool, len(list))
	found := make([]string, 0, len(list))
	for _, element := range list {
		record, _ := element.(map[string]any)
		id, ok := record["Id"].(string)
		id = strings.ToLower(id)
		if !ok || seen[id] {
			return nil, false
		}
		seen[id] = true
		found = append(found, id)
	}
	return found, true
}

// multiset compares two lists of identifiers without regard to order. If two leftover identifiers differ only in case,
// that is one difference of representation, not one missing and one added.
func (c *comparison) multiset(left, right []any) {
	unmatched := map[string][]int{} // indexes in right, by key
	for j, element := range right {
		k := strictjson.Canonical(element)
		unmatched[k] = append(unmatched[k], j)
	}
	matched := make([]bool, len(right))
	var onlyLeft []int
	for i, element := range left {
		k := strictjson.Canonical(element)
		if candidates := unmatched[k]; len(candidates) > 0 {
			matched[candidates[0]], unmatched[k] = true, candidates[1:]
			if c.compared != nil {
				c.compared(byID(i, foldedKey(element)))
			}
		} else {
			onlyLeft = append(onlyLeft, i)
		}
	}
	clear(unmatched)
	for j, element := range right {
		if k := foldedKey(element); !matched[j] {
			unmatched[k] = append(unmatched[k], j)
		}
	}
	for _, i := range onlyLeft {
		k := foldedKey(left[i])
		if candidates := unmatched[k]; len(candidates) > 0 && isEquivalentText(left[i], right[candidates[0]]) {
			c.add(byID(i, k), Representation, left[i], right[candidates[0]])
			matched[candidates[0]], unmatched[k] = true, candidates[1:]
			continue
		}
		c.add(byID(i, k), ElementMissing, left[i], Absent{})
	}
	for j, element := range right {
		if !matched[j] {
			c.add(byID(j, foldedKey(element)), ElementAdded, Absent{}, element)
		}
	}
}

func isEquivalentText(left, right any) bool {
	l, _ := left.(string)
	r, _ := right.(string)
	return isEquivalent(l, r)
}

// foldedKey returns a key for an element of a list that is the same for equal GUIDs in either case.
func foldedKey(value any) string { return strings.ToLower(strictjson.Canonical(value)) }
