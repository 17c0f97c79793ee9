package redact

import "slices"

// shortest is how many bytes a secret has at least to be searched for in every reading of a text.
const shortest = 4

// The least length of a run that counts as a trace: a quarter of the secret, within these bounds. Under six characters
// ordinary words would be eaten ("admin" of a token that begins with it). A quarter lets no half go and no third, while
// a long passphrase may share a word with a message. Twelve characters of a key are more than should ever be shown.
const (
	leastRun = 6
	mostRun  = 12
	runParts = 4
)

// runLength gives the least length of a trace of a secret of so many bytes; those of four or five bytes count whole.
func runLength(size int) int {
	part := (size + runParts - 1) / runParts
	return min(max(part, leastRun), mostRun, size)
}

// index holds every run of every secret, folded, by length. A small table of what the runs begin with keeps most
// positions of a text from being looked up at all.
type index struct {
	lengths []int // ascending
	runs    []map[string]struct{}
	starts  []uint16 // by hash of the first four bytes: bit i for a run of lengths[i]
}

const hashBits = 14

func hash(four uint32) uint32 { return four * 2654435761 >> (32 - hashBits) }

// newIndex takes secrets of at least shortest bytes.
func newIndex(secrets []string) index {
	x := index{starts: make([]uint16, 1<<hashBits)}
	for _, secret := range secrets {
		x.add(secret, runLength(len(secret)))
		for _, core := range cores(secret) {
			x.add(core, min(mostRun, len(core))) // of letters at random a shorter run may come by chance
		}
	}
	for i, runs := range x.runs {
		for run := range runs {
			x.starts[hash(first4(run))] |= 1 << i
		}
	}
	return x
}

// add takes in the runs of a secret that have a length.
func (x *index) add(secret string, length int) {
	folded := make([]byte, len(secret))
	foldInto(folded, []byte(secret))
	runs := x.place(length)
	for i := range len(folded) - length + 1 {
		runs[string(folded[i:i+length])] = struct{}{}
	}
}

// place finds or makes the place for runs of this length.
func (x *index) place(length int) map[string]struct{} {
	at, found := slices.BinarySearch(x.lengths, length)
	if !found {
		x.lengths = slices.Insert(x.lengths, at, length)
		x.runs = slices.Insert(x.runs, at, map[string]struct{}{})
	}
	return x.runs[at]
}

func first4(run string) uint32 {
	return uint32(run[0])<<24 | uint32(run[1])<<16 | uint32(run[2])<<8 | uint32(run[3])
}

// search reports each run of a secret in a folded text, until found says that it has enough.
func (x *index) search(folded []byte, found func(start, end int) (enough bool)) {
	four := uint32(0)
	for i, b := range folded {
		four = four<<8 | uint32(b)
		if i < shortest-1 {
			continue
		}
		which := x.starts[hash(four)]
		for at := 0; which != 0; at, which = at+1, which>>1 {
			if which&1 == 0 {
				continue
			}
			start := i - (shortest - 1)
			end := start + x.lengths[at]
			if end > len(folded) {
				break
			}
			if _, ok := x.runs[at][string(folded[start:end])]; ok && found(start, end) {
				return
			}
		}
	}
}

// foldInto writes text in lower case, with a space for each plus sign, which is a space where a form is sent.
func foldInto(folded, text []byte) {
	for i, b := range text {
		if b == '+' {
			b = ' '
		}
		folded[i] = lowerByte(b)
	}
}

// lower is the text in lower case. Only ASCII letters have another case here, so that every byte keeps its offset.
func lower(text string) string {
	folded := []byte(text)
	for i, b := range folded {
		folded[i] = lowerByte(b)
	}
	return string(folded)
}

func lowerByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
