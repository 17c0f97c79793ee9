package parity

import (
	"crypto/sha256"
	"encoding/hex"
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

// ids returns a key of the Id of each record of a list, the same for a GUID in any form. It returns false if an Id is
// missing, not a string, or not unique.
func ids(list []any) ([]string, bool) {
	seen := make(map[string]bool, len(list))
	found := make([]string, 0, len(list))
	for _, element := range list {
		record, _ := element.(map[string]any)
		id, ok := record["Id"].(string)
		if digits, isGUID := guidDigits(id); isGUID {
			id = digits
		}
		if id = strings.ToLower(id); !ok || seen[id] {
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
		c.differ(Difference{ofRecord(i).pointer, ElementMissing, l[i], absentIn(r, l, false)})
	}
	for _, i := range added {
		c.differ(Difference{ofRecord(i).pointer, ElementAdded, absentIn(l, r, false), r[i]})
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
				c.differ(Difference{ofRecord(i).pointer, ElementMissing, l[i], absentIn(r, l, false)})
			}
			for i := len(l); i < len(r); i++ {
				c.differ(Difference{ofRecord(i).pointer, ElementAdded, absentIn(l, r, false), r[i]})
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

// absentIn stands for an element that a list does not have, or has fewer times than the other one.
func absentIn(list, other []any, fewer bool) Absent { return Absent{len(list), len(other), fewer} }

// differInIdentifiers adds the identifiers that only one of two lists has, or has more often. Two that are left and are
// the same GUID in different forms are one difference of representation, not one missing and one added.
func (c *comparison) differInIdentifiers(_ position, l, r any) {
	left, right := l.(elements).list, r.(elements).list
	same, onlyLeft, onlyRight := matchUp(left, right, indexesOf(left), indexesOf(right), canonicalKey)
	known := map[string]bool{} // what both have, of which one has more
	for _, pair := range same {
		k, _ := canonicalKey(left[pair[0]])
		known[k] = true
	}
	rewritten, onlyLeft, onlyRight := matchUp(left, right, onlyLeft, onlyRight, guidKey)
	absent := func(list, other []any, element any) Absent {
		k, _ := canonicalKey(element)
		return absentIn(list, other, known[k])
	}
	for _, pair := range rewritten {
		c.differ(Difference{ofRecord(pair[0]).pointer, Representation, left[pair[0]], right[pair[1]]})
	}
	for _, i := range onlyLeft {
		c.differ(Difference{ofRecord(i).pointer, ElementMissing, left[i], absent(right, left, left[i])})
	}
	for _, j := range onlyRight {
		c.differ(Difference{ofRecord(j).pointer, ElementAdded, absent(left, right, right[j]), right[j]})
	}
}

// matchUp matches the elements of two lists at some indexes by a key, each with one other. It returns the pairs, and
// the indexes that are left.
func matchUp(left, right []any, inLeft, inRight []int, key func(any) (string, bool)) (pairs [][2]int,
	onlyLeft, onlyRight []int) {
	free := map[string][]int{}
	for _, j := range inRight {
		if k, ok := key(right[j]); ok {
			free[k] = append(free[k], j)
		}
	}
	matched := make([]bool, len(right))
	for _, i := range inLeft {
		k, ok := key(left[i])
		if list := free[k]; ok && len(list) > 0 {
			pairs, matched[list[0]], free[k] = append(pairs, [2]int{i, list[0]}), true, list[1:]
		} else {
			onlyLeft = append(onlyLeft, i)
		}
	}
	for _, j := range inRight {
		if !matched[j] {
			onlyRight = append(onlyRight, j)
		}
	}
	return pairs, onlyLeft, onlyRight
}

func indexesOf(list []any) []int {
	indexes := make([]int, len(list))
	for i := range indexes {
		indexes[i] = i
	}
	return indexes
}

func canonicalKey(element any) (string, bool) { return strictjson.Canonical(element), true }

// guidKey returns the digits of a text that is a GUID in whatever form; false for anything else.
func guidKey(element any) (string, bool) {
	text, _ := element.(string)
	return guidDigits(text)
}

// guidDigits returns the digits of a GUID in whatever form, in lower case: in braces or parentheses, behind urn:uuid:,
// without hyphens. They are the same if the bytes of its first three groups stand the other way round, as some systems
// write them.
func guidDigits(text string) (string, bool) {
	const digits = 32
	if len(text) < digits || len(text) > len("urn:uuid:")+digits+4 {
		return "", false
	}
	text = strings.TrimPrefix(strings.ToLower(text), "urn:uuid:")
	for _, around := range []string{"{}", "()"} {
		if inner, ok := strings.CutPrefix(text, around[:1]); ok {
			text = strings.TrimSuffix(inner, around[1:])
		}
	}
	text = strings.ReplaceAll(text, "-", "")
	bytes, err := hex.DecodeString(text)
	if err != nil || len(bytes) != digits/2 {
		return "", false
	}
	slices.Reverse(bytes[:4])
	slices.Reverse(bytes[4:6])
	slices.Reverse(bytes[6:8])
	return min(text, hex.EncodeToString(bytes)), true
}
