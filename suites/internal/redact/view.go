package redact

import "sort"

// view is one reading of a text: the bytes it comes down to, and from where in the text they were read.
type view struct {
	data   []byte
	parent *view // nil for the text itself

	// Where escapes were undone: the pieces of data, in order, with one more at the end of both texts.
	pieces []piece

	// Where a run was decoded: the offset in the parent of its first digit, and how many bits a digit has.
	base int
	bits int
}

// piece is where a part of a view begins, in the view and in its parent. It is as long in both where the bytes were
// taken over, and otherwise an escape that was undone. Texts have few escapes, and offsets of each byte would take
// several times the memory of the text.
type piece struct{ at, from uint32 }

// piece gives the place in pieces of the one that has this byte.
func (v *view) piece(offset int) int {
	return sort.Search(len(v.pieces), func(i int) bool { return int(v.pieces[i].at) > offset }) - 1
}

// takenOver reports whether a piece is the same in the parent.
func (v *view) takenOver(i int) bool {
	here, next := v.pieces[i], v.pieces[i+1]
	return next.at-here.at == next.from-here.from
}

// span gives the part of the text that the bytes from start to before end came from.
func (v *view) span(start, end int) (int, int) {
	for ; v.parent != nil; v = v.parent {
		if v.bits > 0 {
			start, end = v.base+start*8/v.bits, v.base+(end*8+v.bits-1)/v.bits
			continue
		}
		first, last := v.piece(start), v.piece(end-1)
		if v.takenOver(last) {
			end += int(v.pieces[last].from) - int(v.pieces[last].at)
		} else {
			end = int(v.pieces[last+1].from)
		}
		if v.takenOver(first) {
			start += int(v.pieces[first].from) - int(v.pieces[first].at)
		} else {
			start = int(v.pieces[first].from)
		}
	}
	return start, end
}

// changed reports whether the bytes from start to before end, more of them than an escape stands for, read otherwise
// than in the parent.
func (v *view) changed(start, end int) bool {
	return v.pieces == nil || int(v.pieces[v.piece(start)+1].at) < end
}
