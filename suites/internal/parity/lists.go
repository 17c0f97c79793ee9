package parity

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/strictjson"
)

// records compares two lists of records. Where each list names each of its records by an Id of its own, records with
// the same Id are compared and the others are missing or added; else the lists are compared by position.
func (c *comparison) records(left, right []any) {
	leftIDs, lok := ids(left)
	rightIDs, rok := ids(right)
	if !lok || !rok {
		c.byPosition(left, right)
		return
	}
	at := make(map[string]int, len(rightIDs))
	for i, id := range rightIDs {
		at[id] = i
	}
	for i, id := range leftIDs {
		j, both := at[id]
		if !both {
			c.add(named(i, id), ElementMissing, left[i], Absent{})
			continue
		}
		delete(at, id)
		c.values(named(i, id), left[i], right[j])
	}
	for j, id := range rightIDs {
		if _, extra := at[id]; extra {
			c.add(named(j, id), ElementAdded, Absent{}, right[j])
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

// named is the place of an element that is told by what it is, not by where it stands.
func named(i int, id string) position {
	return position{"/" + strconv.Itoa(i), strictjson.Pointer("", "Id="+id)}
}

// ids are the Ids of a list's records, in lower case, as a GUID may be written in either; false where one is missing,
// is no string, or stands twice.
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

// multiset compares two lists of identifiers without regard to order. What is left over on both sides and is the same
// identifier in other letters is a difference of representation, not a missing and an added one.
func (c *comparison) multiset(left, right []any) {
	count := make(map[string]int, len(right))
	for _, element := range right {
		count[key(element)]++
	}
	var onlyLeft, onlyRight []int
	for i, element := range left {
		if k := key(element); count[k] > 0 {
			count[k]--
		} else {
			onlyLeft = append(onlyLeft, i)
		}
	}
	for j := len(right) - 1; j >= 0; j-- {
		if k := key(right[j]); count[k] > 0 {
			count[k]--
			onlyRight = append(onlyRight, j)
		}
	}
	sort.Ints(onlyRight)
	rest := map[string][]int{}
	for _, j := range onlyRight {
		k := folded(right[j])
		rest[k] = append(rest[k], j)
	}
	paired := map[int]bool{}
	for _, i := range onlyLeft {
		if same := rest[folded(left[i])]; len(same) > 0 && sameValue(left[i], right[same[0]]) {
			c.add(named(i, folded(left[i])), Representation, left[i], right[same[0]])
			paired[same[0]] = true
			rest[folded(left[i])] = same[1:]
			continue
		}
		c.add(named(i, folded(left[i])), ElementMissing, left[i], Absent{})
	}
	for _, j := range onlyRight {
		if !paired[j] {
			c.add(named(j, folded(right[j])), ElementAdded, Absent{}, right[j])
		}
	}
}

func sameValue(left, right any) bool {
	l, lok := left.(string)
	r, rok := right.(string)
	return lok && rok && sameInOtherWords(l, r)
}

// folded names an element of a list so that the same GUID has one name, in whichever case it is written.
func folded(value any) string { return strings.ToLower(key(value)) }

// key is a text that is the same for equal values and another for others: numbers in canonical form, members sorted.
func key(value any) string {
	var b strings.Builder
	writeKey(&b, value)
	return b.String()
}

func writeKey(b *strings.Builder, value any) {
	text := func(s string) { b.WriteString(strconv.Itoa(len(s)) + ":" + s) }
	switch value := value.(type) {
	case string:
		text(value)
	case json.Number:
		b.WriteString("#" + strictjson.ParseDecimal(value).String())
	case []any:
		b.WriteString("[")
		for _, element := range value {
			writeKey(b, element)
			b.WriteString(",")
		}
		b.WriteString("]")
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		b.WriteString("{")
		for _, name := range names {
			text(name)
			writeKey(b, value[name])
			b.WriteString(",")
		}
		b.WriteString("}")
	case bool:
		b.WriteString("?" + strconv.FormatBool(value))
	default:
		b.WriteString("null")
	}
}
