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
	index   *index
	cost    int      // bytes that may still be searched
	found   bool     // or too costly
	buffers [][]byte // of the decoded forms, by depth
}

// maxReusedBuffer is the largest buffer in bytes that is reused.
const maxReusedBuffer = 64 << 10

// scan reports whether a text has a trace, or is too costly to search.
func (s *Secrets) scan(data []byte) bool {
	if len(data) < s.minLength || s.minLength == 0 {
		return false
	}
	sc, _ := s.scans.Get().(*scan)
	if sc == nil {
		sc = &scan{index: &s.index}
	}
	sc.found = false
	sc.cost = min(len(data), largeText)*costPerByte + max(0, len(data)-largeText)*costPerByteLarge + costBeside
	sc.visit(data, 0, deepestEscapes, deepestCodes)
	for i := range sc.buffers {
		if cap(sc.buffers[i]) > maxReusedBuffer {
			sc.buffers[i] = nil
		}
	}
	found := sc.found
	s.scans.Put(sc)
	return found
}

// visit searches one decoded form of a text and everything that it can be decoded to.
func (s *scan) visit(data []byte, depth, escapes, decodings int) {
	s.cost -= len(data)
	if s.found = s.cost < 0 || s.index.within(data); s.found {
		return
	}
	if depth == len(s.buffers) {
		s.buffers = append(s.buffers, nil)
	}
	if decodings > 0 {
		for i := range codes {
			s.decode(data, &codes[i], depth, decodings)
		}
	}
	if escapes > 0 && !s.found {
		plain, ok := unescape(data, s.buffers[depth])
		if s.buffers[depth] = plain; ok {
			s.visit(plain, depth+1, escapes-1, decodings)
		}
	}
}

// decode visits the decoded bytes of each run of digits that is long enough for a trace.
func (s *scan) decode(data []byte, c *code, depth, decodings int) {
	minLength := s.index.lengths[0]
	size := c.size(minLength)
	for start, end := c.next(data, 0, size); start >= 0; start, end = c.next(data, end, size) {
		for offset := range c.starts {
			if s.found {
				return
			}
			decoded, possible := c.decoded(data[start+offset:end], minLength, &s.index.possible, s.buffers[depth])
			s.buffers[depth] = decoded
			if possible {
				s.visit(decoded, depth+1, deepestEscapes, decodings-1)
			}
		}
	}
}
