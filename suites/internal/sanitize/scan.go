package sanitize

const (
	// deepestEscapes is how many layers of escapes are undone, one after the other.
	deepestEscapes = 5
	// deepestCodes is how many layers of base64 or hexadecimal are decoded.
	deepestCodes = 2
	// The most bytes that all decoded forms of a text may have. The limits are per byte of the text, per byte beyond
	// the first MiB, and a constant. An ordinary text needs about ten per byte. Only a text with deliberately nested
	// encodings exceeds it.
	costPerByte      = 64
	costPerByteLarge = 16
	costBeside       = 64 << 10
	largeText        = 1 << 20
)

// scan is one search through all decoded forms of a text.
type scan struct {
	*Secrets
	cost int // bytes that may still be searched
}

// scan reports whether a text has a trace, or is too costly to search.
func (s *Secrets) scan(data []byte) bool {
	if len(s.index.lengths) == 0 || len(data) < s.index.lengths[0] {
		return false
	}
	sc := scan{Secrets: s, cost: min(len(data), largeText)*costPerByte +
		max(0, len(data)-largeText)*costPerByteLarge + costBeside}
	return sc.visit(data, deepestEscapes, deepestCodes)
}

// visit searches one decoded form of a text and everything that it can be decoded to.
func (s *scan) visit(data []byte, escapes, decodings int) bool {
	s.cost -= len(data)
	if s.cost < 0 || s.index.find(data) != "" {
		return true
	}
	if decodings > 0 && (s.decode(data, base64Code, decodings) || s.decode(data, hexCode, decodings)) {
		return true
	}
	if escapes > 0 {
		if plain, ok := unescape(data); ok {
			return s.visit(plain, escapes-1, decodings)
		}
	}
	return false
}

// decode visits the decoded bytes of each run of digits that may have a trace.
func (s *scan) decode(data []byte, c *code, decodings int) bool {
	least := s.index.lengths[0]
	for run := range c.runs(data, (least*8+c.bits-1)/c.bits) {
		for offset := range c.starts {
			digits := run[offset:]
			if c.mayEncode(digits, least, &s.possible) && s.visit(c.decoded(digits), deepestEscapes, decodings-1) {
				return true
			}
		}
	}
	return false
}

// stretch returns the bounds of the next bytes in a row, at least so many, that are in a set; both are the end of data
// if there are none.
func stretch(data []byte, from, least int, set *[256]bool) (begin, end int) {
	begin = rowOf(from, len(data), least, func(at int) bool { return set[data[at]] })
	for end = min(begin+least, len(data)); end < len(data) && set[data[end]]; end++ {
	}
	return begin, end
}

// rowOf returns where the next row of at least so many begins, of a number of bytes, that have a property; the number
// if there is none. It looks at the last of them first, and so passes over most of the others.
func rowOf(from, number, least int, has func(at int) bool) (begin int) {
	for begin = from; begin+least <= number; {
		at := begin + least - 1
		for at >= begin && has(at) {
			at--
		}
		if at < begin {
			return begin
		}
		begin = at + 1
	}
	return number
}
