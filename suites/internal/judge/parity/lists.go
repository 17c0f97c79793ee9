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
	indexes, named := make([]map[string]int, len(lists)), true // of each list, by Id
	var order []string                                         // of all Ids
	made := each(lists, func(i int, list []any) any {
		ids, unique := ids(list)
		named, indexes[i] = named && unique, make(map[string]int, len(ids))
		for j, id := range ids {
			indexes[i][id] = j
		}
		order = append(order, ids...)
		return elements{keyOf(ids), list}
	})
	if !named {
		c.recordsByPosition(lists)
		return
	}
	c.judge(position{"/0", ofList}, made, c.differInRecords)
	compared := map[string]bool{}
	for _, id := range order {
		if compared[id] {
			continue
		}
		compared[id] = true
		at := 0
		records := each(lists, func(i int, list []any) any {
			if j, has := indexes[i][id]; has {
				return list[j]
			}
			return none{}
		})
		// The pointer of a finding is that of the last call to the earlier version that has the record.
		for i := range lists {
			if j, has := indexes[i][id]; has && c.Calls[i].Version == c.Pair.From {
				at = j
			}
		}
		c.values(ofRecord(at), records)
	}
}

// ids returns the Id of each record of a list. It returns false if one is missing, not a string, or not unique.
func ids(list []any) ([]string, bool) {
	seen := make(map[string]bool, len(list))
	found := make([]string, 0, len(list))
	for _, element := range list {
		id, ok := idOf(element)
		if !ok || seen[id] {
			return nil, false
		}
		seen[id] = true
		found = append(found, id)
	}
	return found, true
}

// idOf returns a key of the Id of a record, the same for a GUID in any form; false if it is missing or not a string.
func idOf(element any) (string, bool) {
	record, _ := element.(map[string]any)
	id, ok := record["Id"].(string)
	if digits, isGUID := guidDigits(id); isGUID {
		id = digits
	}
	return strings.ToLower(id), ok
}

// keyOf returns a key that is the same for the same elements in any order.
func keyOf(keys []string) string {
	digest := sha256.New()
	for _, key := range slices.Sorted(slices.Values(keys)) {
		sum := sha256.Sum256([]byte(key))
		_, _ = digest.Write(sum[:]) // never fails
	}
	return string(digest.Sum(nil))
}

// differInRecords adds the records that only one of two lists has.
func (c *comparison) differInRecords(_ position, left, right any) {
	l, r := left.(elements).list, right.(elements).list
	_, missing, added := matchUp(l, r, indexesOf(l), indexesOf(r), idOf)
	c.differInElements(l, r, missing, added, nil)
}

func (c *comparison) recordsByPosition(lists []any) {
	longest := 0
	made := each(lists, func(_ int, list []any) any {
		longest = max(longest, len(list))
		return elements{strconv.Itoa(len(list)), list}
	})
	c.judge(position{"/0", ofList}, made, func(_ position, left, right any) {
		l, r := left.(elements).list, right.(elements).list
		both := min(len(l), len(r))
		c.differInElements(l, r, indexesOf(l)[both:], indexesOf(r)[both:], nil)
	})
	for i := range longest {
		c.values(ofRecord(i), elementsAt(lists, i))
	}
}

// identifiers compares lists of identifiers without regard to order. How a list is made up is one value.
func (c *comparison) identifiers(lists []any) {
	c.judge(position{"/0", ofList}, each(lists, func(_ int, list []any) any {
		keys := make([]string, len(list))
		for i, element := range list {
			keys[i] = strictjson.Canonical(element)
		}
		return elements{keyOf(keys), list}
	}), c.differInIdentifiers)
}

// differInIdentifiers adds the identifiers that only one of two lists has, or has more often. Two that are left and are
// the same GUID in different forms are one difference of representation, not one missing and one added.
func (c *comparison) differInIdentifiers(_ position, l, r any) {
	left, right := l.(elements).list, r.(elements).list
	same, onlyLeft, onlyRight := matchUp(left, right, indexesOf(left), indexesOf(right), canonicalKey)
	shared := map[string]bool{} // what both have, of which one has more
	for _, pair := range same {
		k, _ := canonicalKey(left[pair[0]])
		shared[k] = true
	}
	rewritten, onlyLeft, onlyRight := matchUp(left, right, onlyLeft, onlyRight, guidKey)
	for _, pair := range rewritten {
		c.differ(Difference{ofRecord(pair[0]).pointer, Representation, left[pair[0]], right[pair[1]]})
	}
	c.differInElements(left, right, onlyLeft, onlyRight, shared)
}

// differInElements adds the elements of two lists, by their indexes, that only one has, or has more often: of these
// both have others that are the same.
func (c *comparison) differInElements(left, right []any, missing, added []int, shared map[string]bool) {
	absent := func(list, other []any, element any) Absent {
		k, _ := canonicalKey(element)
		return Absent{len(list), len(other), shared[k]}
	}
	for _, i := range missing {
		c.differ(Difference{ofRecord(i).pointer, ElementMissing, left[i], absent(right, left, left[i])})
	}
	for _, i := range added {
		c.differ(Difference{ofRecord(i).pointer, ElementAdded, absent(left, right, right[i]), right[i]})
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
		k, _ := key(left[i])
		if list := free[k]; len(list) > 0 {
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
	if len(text) > len("urn:uuid:")+digits+4 {
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
