package sanitize

import (
	"math"
	"slices"
)

// index finds texts of a few lengths in data, whatever the case of their letters. It looks at four bytes at a time: a
// table has, by their hash, how far a text can be from there, so that most bytes are passed over (Wu and Manber, "A
// fast algorithm for multi-pattern searching", 1994).
type index struct {
	lengths []int             // ascending
	names   map[string]string // by folded text
	near    []uint8           // by the hash of a block: where it ends last in the beginnings of texts; 0 if in none
}

const (
	blockSize = 4 // bytes that are looked at
	hashBits  = 16
)

func newIndex() *index { return &index{names: map[string]string{}, near: make([]uint8, 1<<hashBits)} }

// add adds a text of at least minValue bytes, with what find returns for it.
func (x *index) add(text, name string) {
	folded := fold([]byte(text))
	x.names[string(folded)] = name
	at, found := slices.BinarySearch(x.lengths, len(folded))
	if !found {
		x.lengths = slices.Insert(x.lengths, at, len(folded))
	}
	if found || at > 0 {
		x.enter(folded)
		return
	}
	clear(x.near) // the beginnings are shorter now
	for text := range x.names {
		x.enter([]byte(text))
	}
}

// enter enters the beginning of a text, which is as long as the shortest text.
func (x *index) enter(folded []byte) {
	for end := blockSize; end <= min(x.lengths[0], math.MaxUint8); end++ {
		near := &x.near[hash(folded[end-blockSize:])]
		*near = max(*near, uint8(end))
	}
}

// hash returns the hash of the first bytes of data, folded.
func hash(data []byte) uint32 {
	block := uint32(folded[data[0]])<<24 | uint32(folded[data[1]])<<16 | uint32(folded[data[2]])<<8 |
		uint32(folded[data[3]])
	return block * 2654435761 >> (32 - hashBits)
}

// find returns the name of the first text in data, or "".
func (x *index) find(data []byte) string {
	if len(x.lengths) == 0 {
		return ""
	}
	beginning, text := min(x.lengths[0], math.MaxUint8), []byte{}
	for at := 0; at+beginning <= len(data); {
		near := int(x.near[hash(data[at+beginning-blockSize:])])
		if near < beginning { // a text can begin only where this block is in its beginning, or after it
			at += beginning - max(near, blockSize-1)
			continue
		}
		for _, length := range x.lengths {
			if at+length > len(data) {
				break
			}
			text = appendFolded(text[:0], data[at:at+length])
			if name := x.names[string(text)]; name != "" {
				return name
			}
		}
		at++
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

func fold(data []byte) []byte { return appendFolded(make([]byte, 0, len(data)), data) }

func appendFolded(to, data []byte) []byte {
	for _, b := range data {
		to = append(to, folded[b])
	}
	return to
}
