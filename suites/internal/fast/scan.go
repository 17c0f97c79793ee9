package fast

import "unicode/utf8"

// scan reads one body. Each of its methods that reads something takes the position where that begins and gives the one
// behind it, or unproved. What may follow a value is judged by whoever reads on, so that a number need not look whether
// an exponent comes, nor a literal whether a letter does: nothing but a comma or a closing character is ever taken
// there.
type scan struct {
	body  []byte
	user  string // the identifier of the asked user
	other *place // of undocumented members
}

// unproved is the position behind what could not be proved right. Reading ends there.
const unproved = -1

// at gives a byte of the body; 0, which no rule takes, behind its end.
func (s *scan) at(pos int) byte {
	if pos < len(s.body) {
		return s.body[pos]
	}
	return 0
}

// space passes white space (RFC 8259, section 2).
func (s *scan) space(pos int) int {
	for pos < len(s.body) && s.body[pos] <= ' ' {
		switch s.body[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// value reads a value that the place allows, in arrays and objects of the given depth; of an array it counts the
// elements.
func (s *scan) value(p *place, pos, depth int) (end, count int) {
	switch s.at(pos) {
	case '"':
		return s.text(p, pos), 0
	case '{':
		if p.object == nil || depth == mostDepth {
			return unproved, 0
		}
		return s.object(p.object, pos, depth+1), 0
	case '[':
		if p.items == nil || depth == mostDepth {
			return unproved, 0
		}
		return s.array(p.items, pos, depth+1)
	case 't':
		return s.literal(p.boolean, "true", pos), 0
	case 'f':
		return s.literal(p.boolean, "false", pos), 0
	case 'n':
		return s.literal(p.null, "null", pos), 0
	default:
		return s.number(p, pos), 0
	}
}

func (s *scan) literal(allowed bool, word string, pos int) int {
	if !allowed || !s.begins(word, pos) {
		return unproved
	}
	return pos + len(word)
}

// begins tells whether the text stands at the position.
func (s *scan) begins(text string, pos int) bool {
	return len(s.body)-pos >= len(text) && string(s.body[pos:pos+len(text)]) == text
}

func (s *scan) array(items *place, pos, depth int) (end, count int) {
	if pos = s.space(pos + 1); s.at(pos) == ']' {
		return pos + 1, 0
	}
	for {
		if pos, _ = s.value(items, pos, depth); pos == unproved {
			return unproved, 0
		}
		count++
		switch pos = s.space(pos); s.at(pos) {
		case ',':
			pos = s.space(pos + 1)
		case ']':
			return pos + 1, count
		default:
			return unproved, 0
		}
	}
}

func (s *scan) object(o *object, pos, depth int) int {
	if pos = s.space(pos + 1); s.at(pos) == '}' {
		if o.some {
			return unproved
		}
		return pos + 1
	}
	var seen uint64 // documented members, a bit for each
	var known others
	next := 0
	for {
		i, end := s.name(o, next, pos)
		if end == unproved {
			return unproved
		}
		place := s.other
		if i >= 0 {
			if seen&(1<<i) != 0 {
				return unproved
			}
			seen |= 1 << i
			next = i + 1
			place = &o.members[i].place
		} else if !known.add(s.body, pos, end) {
			return unproved
		}
		if pos = s.space(end); s.at(pos) != ':' {
			return unproved
		}
		if pos, _ = s.value(place, s.space(pos+1), depth); pos == unproved {
			return unproved
		}
		switch pos = s.space(pos); s.at(pos) {
		case ',':
			pos = s.space(pos + 1)
		case '}':
			if o.some && seen == 0 {
				return unproved
			}
			return pos + 1
		default:
			return unproved
		}
	}
}

// name reads a member name without escapes and gives the index of the documented member, -1 for any other. Most
// services keep one order, so that the member behind the last one is looked for first.
func (s *scan) name(o *object, next, pos int) (index, end int) {
	if next < len(o.members) && s.begins(o.members[next].quoted, pos) {
		return next, pos + len(o.members[next].quoted)
	}
	if s.at(pos) != '"' {
		return 0, unproved
	}
	end, plain := s.quoted(pos)
	if end == unproved || !plain {
		return 0, unproved
	}
	if i, ok := o.index[string(s.body[pos+1:end-1])]; ok {
		return i, end
	}
	return -1, end
}

// others are the undocumented names of one object, by where they begin and end in the body. They have no escapes, so
// that different bytes are different names.
type others struct {
	count int
	spans [mostOthers][2]int32
}

// add is false where the name stands already, or where there is no room for it.
func (o *others) add(body []byte, start, end int) bool {
	for _, span := range o.spans[:o.count] {
		if string(body[span[0]:span[1]]) == string(body[start:end]) {
			return false
		}
	}
	if o.count == len(o.spans) {
		return false
	}
	o.spans[o.count] = [2]int32{int32(start), int32(end)}
	o.count++
	return true
}

// number reads a number of few digits and no exponent. It is whole where its fraction is all zeros (J5).
func (s *scan) number(p *place, pos int) int {
	if s.at(pos) == '-' {
		pos++
	}
	start := pos
	for isDigit(s.at(pos)) {
		pos++
	}
	digits := pos - start
	if digits == 0 || digits > 1 && s.body[start] == '0' || !p.integer {
		return unproved
	}
	if s.at(pos) == '.' {
		start = pos + 1
		whole := true
		for pos++; isDigit(s.at(pos)); pos++ {
			whole = whole && s.body[pos] == '0'
		}
		if pos == start || !whole && !p.fraction {
			return unproved
		}
		digits += pos - start
	}
	if digits > mostDigits {
		return unproved
	}
	return pos
}

// text reads a string that the place allows. One with escapes is not held against a form: no service has a reason to
// escape what stands in one.
func (s *scan) text(p *place, pos int) int {
	if !p.text {
		return unproved
	}
	end, plain := s.quoted(pos)
	if end == unproved {
		return unproved
	}
	raw := s.body[pos+1 : end-1]
	for _, keeps := range p.forms {
		if !plain || !keeps(raw) {
			return unproved
		}
	}
	if p.owner && !isUser(raw, plain, s.user) {
		return unproved
	}
	return end
}

// quoted reads a string, and tells whether it is free of escapes. It has to be UTF-8 without control characters.
func (s *scan) quoted(pos int) (end int, plain bool) {
	start, ascii := pos+1, true
	plain = true
	for pos = start; ; {
		pos = pass(s.body, pos)
		if pos == len(s.body) {
			return unproved, false
		}
		switch c := s.body[pos]; {
		case c == '"':
			if !ascii && !utf8.Valid(s.body[start:pos]) {
				return unproved, false
			}
			return pos + 1, plain
		case c == '\\':
			_, size := escape(s.body[pos:])
			if size == 0 {
				return unproved, false
			}
			plain = false
			pos += size
		case c < ' ':
			return unproved, false
		default:
			for ascii = false; pos < len(s.body) && s.body[pos] >= utf8.RuneSelf; {
				pos++
			}
		}
	}
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isHex(c byte) bool { return isDigit(c) || c|0x20-'a' <= 5 }
