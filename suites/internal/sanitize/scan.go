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
	cost   int    // bytes that may still be searched
	folded []byte // the form that was searched last, to use its memory again
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
	s.folded = appendFolded(s.folded[:0], data)
	if s.cost < 0 || s.index.find(s.folded) != "" {
		return true
	}
	if decodings > 0 && (s.decode(data, base64Code, decodings) || s.decode(joined(data), hexCode, decodings)) {
		return true
	}
	if escapes > 0 {
		if plain, ok := unescape(data); ok {
			return s.visit(plain, escapes-1, decodings)
		}
	}
	return false
}

// decode visits the decoded bytes of each run of digits that is long enough for a trace.
func (s *scan) decode(data []byte, c *code, decodings int) bool {
	minLength := s.index.lengths[0]
	size := (minLength*8 + c.bits - 1) / c.bits
	var buffer []byte
	for run := range c.runs(data, size) {
		for offset := range c.starts {
			possible := false
			buffer, possible = c.decoded(run[offset:], minLength, &s.possible, buffer)
			if possible && s.visit(buffer, deepestEscapes, decodings-1) {
				return true
			}
		}
	}
	return false
}
