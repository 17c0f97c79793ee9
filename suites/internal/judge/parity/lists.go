package parity

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/strictjson"
)

// records compares lists of records. If every record in all of them has a unique Id, they are matched by Id. Otherwise
// they are compared by position. How a list is made up is one value.
func (c *comparison) records(lists []any) {
	if lists == nil {
		return
	}
	made, indexes, order, named := c.recordsByID(lists)
	if !named {
		c.recordsByPosition(lists)
		return
	}
	if !c.ShapeOnly {
		c.judge(position{"/0", ofList}, made, c.differInRecords)
	}
	for _, id := range order {
		records, at := make([]any, len(lists)), 0
		for i, value := range lists {
			records[i] = none{}
			if j, has := indexes[i][id]; has {
				records[i] = value.([]any)[j]
			}
		}
		// The pointer of a finding is that of the last call to the earlier version that has the record.
		for _, v := range []bool{true, false} {
			for i := range lists {
				if j, has := indexes[i][id]; has && (c.Calls[i].Version == c.Pair.To) == v {
					at = j
				}
			}
		}
		c.values(ofRecord(at), records)
	}
}

// recordsByID returns how each list is made up, the index of each Id in it, and all Ids in their order. It returns
// false if an Id is missing, no string, or not unique.
func (c *comparison) recordsByID(lists []any) (made []any, indexes []map[string]int, order []string, named bool) {
	made, indexes = make([]any, len(lists)), make([]map[string]int, len(lists))
	known := map[string]bool{}
	for i, value := range lists {
		made[i] = none{}
		list, is := value.([]any)
		if !is {
			continue
		}
		ids, unique := ids(list)
		if !unique {
			return nil, nil, nil, false
		}
		indexes[i] = make(map[string]int, len(ids))
		for j, id := range ids {
			indexes[i][id] = j
			if !known[id] {
				known[id] = true
				order = append(order, id)
			}
		}
		made[i] = elements{keyOf(ids), list}
	}
	return made, indexes, order, true
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

// keyOf returns a key that is the same for the same elements in any order.
func keyOf(keys []string) string {
	slices.Sort(keys)
	digest := sha256.New()
	for _, key := range keys {
		sum := sha256.Sum256([]byte(key))
		_, _ = digest.Write(sum[:]) // never fails
	}
	return string(digest.Sum(nil))
}

// differInRecords adds the records that only one of two lists has.
func (c *comparison) differInRecords(_ position, left, right any) {
	l, r := left.(elements).list, right.(elements).list
	leftIDs, _ := ids(l)
	rightIDs, _ := ids(r)
	missing, added := without(leftIDs, rightIDs), without(rightIDs, leftIDs)
	for _, i := range missing {
		c.differ(Difference{ofRecord(i).pointer, ElementMissing, l[i], Absent{}})
	}
	for _, i := range added {
		c.differ(Difference{ofRecord(i).pointer, ElementAdded, Absent{}, r[i]})
	}
}

// without returns the indexes of the Ids that are not among others.
func without(ids, others []string) (list []int) {
	known := make(map[string]bool, len(others))
	for _, id := range others {
		known[id] = true
	}
	for i, id := range ids {
		if !known[id] {
			list = append(list, i)
		}
	}
	return list
}

func (c *comparison) recordsByPosition(lists []any) {
	longest, made := 0, make([]any, len(lists))
	for i, value := range lists {
		made[i] = none{}
		if list, is := value.([]any); is {
			longest = max(longest, len(list))
			made[i] = elements{strconv.Itoa(len(list)), list}
		}
	}
	if !c.ShapeOnly {
		c.judge(position{"/0", ofList}, made, func(_ position, left, right any) {
			l, r := left.(elements).list, right.(elements).list
			for i := len(r); i < len(l); i++ {
				c.differ(Difference{ofRecord(i).pointer, ElementMissing, l[i], Absent{}})
			}
			for i := len(l); i < len(r); i++ {
				c.differ(Difference{ofRecord(i).pointer, ElementAdded, Absent{}, r[i]})
			}
		})
	}
	for i := range longest {
		c.values(ofRecord(i), elementsAt(lists, i))
	}
}

// identifiers compares lists of identifiers without regard to order. How a list is made up is one value.
func (c *comparison) identifiers(lists []any) {
	if lists == nil || c.ShapeOnly {
		return
	}
	made := make([]any, len(lists))
	for i, value := range lists {
		made[i] = none{}
		if list, is := value.([]any); is {
			keys := make([]string, len(list))
			for j, element := range list {
				keys[j] = strictjson.Canonical(element)
			}
			made[i] = elements{keyOf(keys), list}
		}
	}
	c.judge(position{"/0", ofList}, made, c.differInIdentifiers)
}

// differInIdentifiers adds the identifiers that only one of two lists has. If two leftover ones differ only in case,
// that is one difference of representation, not one missing and one added.
func (c *comparison) differInIdentifiers(_ position, l, r any) {
	left, right := l.(elements).list, r.(elements).list
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
		k, d := foldedKey(left[i]), Difference{ofRecord(i).pointer, ElementMissing, left[i], Absent{}}
		if candidates := unmatched[k]; len(candidates) > 0 && isEquivalentText(left[i], right[candidates[0]]) {
			d.Kind, d.Right = Representation, right[candidates[0]]
			matched[candidates[0]], unmatched[k] = true, candidates[1:]
		}
		c.differ(d)
	}
	for j, element := range right {
		if !matched[j] {
			c.differ(Difference{ofRecord(j).pointer, ElementAdded, Absent{}, element})
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
