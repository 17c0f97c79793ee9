package sanitize

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// index finds texts of a few lengths in data, whatever the case of their letters. It looks at four bytes at a time: a
// table has, by their hash, how far a text can be from there, so that most bytes are passed over (Wu and Manber, "A
// fast algorithm for multi-pattern searching", 1994).
type index struct {
	lengths []int             // ascending
	names   map[string]string // by folded text
	near    []uint8           // by the hash of a block: where it ends last in the beginnings of texts; 0 if in none
	folded  *[256]byte        // what each byte is equal to
	pairs   *index            // of pairs of hexadecimal digits; nil if there are none
}

const (
	blockSize = 4 // bytes that are looked at
	hashBits  = 16
)

func newIndex() *index { return newIndexOf(&folded) }

func newIndexOf(folded *[256]byte) *index {
	return &index{names: map[string]string{}, near: make([]uint8, 1<<hashBits), folded: folded}
}

// addHexadecimal adds a text in hexadecimal, with any separator between the pairs, and without. So many separators
// are too many texts for one index, so that the pairs have their own.
func (x *index) addHexadecimal(text, name string) {
	x.add(hex.EncodeToString([]byte(text)), name)
	if x.pairs == nil {
		x.pairs = newIndexOf(&foldedSeparators)
	}
	x.pairs.add(fmt.Sprintf("% x", text), name)
}

// longest returns the length of the longest text; 0 if there is none.
func (x *index) longest() int {
	switch {
	case len(x.lengths) == 0:
		return 0
	case x.pairs != nil:
		return max(x.lengths[len(x.lengths)-1], x.pairs.longest())
	}
	return x.lengths[len(x.lengths)-1]
}

// add adds a text of at least minValue bytes, with what find returns for it.
func (x *index) add(text, name string) {
	folded := x.appendFolded(nil, []byte(text))
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
		near := &x.near[x.hash(folded[end-blockSize:])]
		*near = max(*near, uint8(end))
	}
}

// hash returns the hash of the first bytes of data, folded.
func (x *index) hash(data []byte) uint32 {
	folded := x.folded
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
		near := int(x.near[x.hash(data[at+beginning-blockSize:])])
		if near < beginning { // a text can begin only where this block is in its beginning, or after it
			at += beginning - max(near, blockSize-1)
			continue
		}
		for _, length := range x.lengths {
			if at+length > len(data) {
				break
			}
			text = x.appendFolded(text[:0], data[at:at+length])
			if name := x.names[string(text)]; name != "" {
				return name
			}
		}
		at++
	}
	if x.pairs != nil {
		return x.pairs.find(data)
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

// foldedSeparators maps every ASCII character that may separate pairs of hexadecimal digits to a space, too.
var foldedSeparators = func() (table [256]byte) {
	for i := range table {
		if table[i] = folded[i]; i < utf8.RuneSelf && !('a' <= table[i] && table[i] <= 'z' || '0' <= i && i <= '9') {
			table[i] = ' '
		}
	}
	return table
}()

func fold(data []byte) []byte { return appendFolded(make([]byte, 0, len(data)), data, &folded) }

func (x *index) appendFolded(to, data []byte) []byte { return appendFolded(to, data, x.folded) }

func appendFolded(to, data []byte, folded *[256]byte) []byte {
	for _, b := range data {
		to = append(to, folded[b])
	}
	return to
}

// betweenWords are the bytes between words. Words end at white space, JSON punctuation and question marks, because a
// URL's query may contain the secret.
const betweenWords = " \t\r\n{}[]:,?\""

// piecesOf returns where the pieces of a text end: quoted string literals, words, and each byte between them.
func piecesOf(text string) (ends []int) {
	open := false // a quotation mark was not closed: later ones start no literal either
	for start := 0; start < len(text); start = ends[len(ends)-1] {
		end := start + 1
		switch b := text[start]; {
		case b == '"' && !open:
			size := literal(text[start:])
			end, open = start+max(size, 1), size == 0
		case strings.IndexByte(betweenWords, b) < 0:
			if size := strings.IndexAny(text[start:], betweenWords); size >= 0 {
				end = start + size
			} else {
				end = len(text)
			}
		}
		ends = append(ends, end)
	}
	return ends
}

// literal returns the length of the string literal at the start of a text, or 0 if it is not closed.
func literal(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// replace replaces the pieces that have a trace. Several under one trace are replaced together: a secret may have
// spaces, and so have pairs of hexadecimal digits.
func (s *Secrets) replace(text string) string {
	ends := append([]int{0}, piecesOf(text)...) // piece n is between ends n and n+1
	found := func(first, after int) bool { return s.Found(text[ends[first]:ends[after]]) }
	var out strings.Builder
	for first, last := 0, len(ends)-1; ; {
		size := 1
		for ; !found(first, min(first+size, last)); size *= 2 {
			if first+size >= last {
				return out.String() + text[ends[first]:]
			}
		}
		least, most := size/2, min(size, last-first)
		after := first + least + sort.Search(most-least, func(n int) bool { return found(first, first+least+n) })
		begin := after - sort.Search(after-first, func(n int) bool { return found(after-n, after) })
		out.WriteString(text[ends[first]:ends[begin]])
		if traced := text[ends[begin]:ends[after]]; traced[0] == '"' && traced[len(traced)-1] == '"' {
			out.WriteString(`"` + s.redacted + `"`)
		} else {
			out.WriteString(s.redacted)
		}
		first = after
	}
}
