package sanitize

import "slices"

// hashed is the least length of a run in bytes. The hash of its first bytes is looked up in a table.
const hashed = 4

// maxRun is how many bytes of a secret count as a trace of it. A shorter part occurs by chance in a date or an
// identifier, and a longer one should never be shown. A shorter secret is a trace only as a whole.
const maxRun = 12

// index has every run of every secret, folded and grouped by length. A small table of how runs start avoids most
// lookups.
type index struct {
	lengths []int // ascending
	runs    []map[string]struct{}
	starts  []uint16 // by hash of the first four bytes: bit i is set for a run of lengths[i]

	// possible is true for bytes that can occur in an encoded secret or in a nested encoding. Random data soon decodes
	// to other bytes.
	possible [256]bool
}

const hashBits = 14

func hash(four uint32) uint32 { return four * 2654435761 >> (32 - hashBits) }

// newIndex returns an index of secrets, each of at least leastValue characters.
func newIndex(secrets []string) index {
	x := index{starts: make([]uint16, 1<<hashBits)}
	for b := ' '; b <= '~'; b++ {
		x.possible[b] = true
	}
	x.possible[0] = true // in UTF-16
	for _, secret := range secrets {
		x.add(secret, maxRun)
		for _, core := range cores(secret) {
			x.add(core, maxRun)
		}
		for _, utf16Text := range utf16Texts(secret) {
			x.add(utf16Text, 2*maxRun)
		}
	}
	for i, runs := range x.runs {
		for run := range runs {
			x.starts[hash(first4(run))] |= 1 << i
		}
	}
	return x
}

// add adds all runs of a secret with the given length, or the whole secret if it is shorter.
func (x *index) add(secret string, length int) {
	length = min(length, len(secret))
	for i := range len(secret) {
		x.possible[secret[i]] = true
	}
	lowered := make([]byte, len(secret))
	lowerInto(lowered, []byte(secret))
	at, found := slices.BinarySearch(x.lengths, length)
	if !found {
		x.lengths = slices.Insert(x.lengths, at, length)
		x.runs = slices.Insert(x.runs, at, map[string]struct{}{})
	}
	for i := range len(lowered) - length + 1 {
		x.runs[at][string(lowered[i:i+length])] = struct{}{}
	}
}

func first4(run string) uint32 {
	return uint32(run[0])<<24 | uint32(run[1])<<16 | uint32(run[2])<<8 | uint32(run[3])
}

// within reports whether data contains a run of a secret.
func (x *index) within(data []byte) bool {
	var lowered [2 * maxRun]byte
	four := uint32(0)
	for i, b := range data {
		four = four<<8 | uint32(lowerTable[b])
		bits := x.starts[hash(four)]
		if i < hashed-1 {
			continue
		}
		for at, start := 0, i-(hashed-1); bits != 0; at, bits = at+1, bits>>1 {
			end := start + x.lengths[at]
			if end > len(data) {
				break
			}
			if bits&1 == 0 {
				continue
			}
			lowerInto(lowered[:], data[start:end])
			if _, ok := x.runs[at][string(lowered[:end-start])]; ok {
				return true
			}
		}
	}
	return false
}

// lowerTable maps each byte to lower case, and the plus sign to a space, as in form data.
var lowerTable = func() (table [256]byte) {
	for i := range table {
		table[i] = lowerByte(byte(i))
	}
	table['+'] = ' '
	return table
}()

func lowerInto(lowered, text []byte) {
	for i, b := range text {
		lowered[i] = lowerTable[b]
	}
}

// lower returns the text in lower case. It changes only ASCII letters, so that every byte keeps its offset.
func lower(text string) string {
	lowered := []byte(text)
	for i, b := range lowered {
		lowered[i] = lowerByte(b)
	}
	return string(lowered)
}

func lowerByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
