package sanitize

import (
	"encoding/binary"
	"slices"
)

// index finds texts of a few lengths in folded data. A small table of how they start avoids most lookups.
type index struct {
	lengths []int             // ascending
	names   map[string]string // by folded text
	starts  []bool            // true at the hash of the first bytes of each text
}

const (
	// hashed is the least length of a text in bytes. The hash of its first bytes is looked up in a table.
	hashed   = 4
	hashBits = 16
)

func hash(data []byte) uint32 { return binary.BigEndian.Uint32(data) * 2654435761 >> (32 - hashBits) }

func newIndex() *index { return &index{names: map[string]string{}, starts: make([]bool, 1<<hashBits)} }

// add adds a text with what find returns for it.
func (x *index) add(text, name string) {
	folded := fold([]byte(text))
	if at, found := slices.BinarySearch(x.lengths, len(folded)); !found {
		x.lengths = slices.Insert(x.lengths, at, len(folded))
	}
	x.names[string(folded)], x.starts[hash(folded)] = name, true
}

// find returns the name of the first text in folded data, or "".
func (x *index) find(folded []byte) string {
	for rest := folded; len(rest) >= hashed; rest = rest[1:] {
		if !x.starts[hash(rest)] {
			continue
		}
		for _, length := range x.lengths {
			if length > len(rest) {
				break
			}
			if name := x.names[string(rest[:length])]; name != "" {
				return name
			}
		}
	}
	return ""
}

// folded maps each byte to lower case, and the plus sign to a space, as in form data. Every byte keeps its offset.
var folded = func() (table [256]byte) {
	for i := range table {
		if table[i] = byte(i); 'A' <= i && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	table['+'] = ' '
	return table
}()

func fold(data []byte) []byte { return appendFolded(nil, data) }

func appendFolded(to, data []byte) []byte {
	to = slices.Grow(to, len(data))[:len(data)]
	for i, b := range data {
		to[i] = folded[b]
	}
	return to
}
