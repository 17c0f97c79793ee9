package engine

import (
	"sync"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// Large is the size in bytes from which a body is large: decoded, it can take sixty times the memory of its text.
const Large = 256 << 10

// Reading lets only one large answer be read at a time (J20). It is safe for concurrent use; the zero value is ready.
type Reading struct{ mu sync.Mutex }

// Guard returns read, which waits while another large answer is read.
func (r *Reading) Guard(read func(*exchange.Exchange) bool) func(*exchange.Exchange) bool {
	return func(ex *exchange.Exchange) bool {
		if len(ex.Body) > Large {
			r.mu.Lock()
			defer r.mu.Unlock()
		}
		return read(ex)
	}
}
