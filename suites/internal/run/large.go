package run

import (
	"sync"

	"golang.org/x/sync/semaphore"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
)

// A hostile target may answer every request with as much as the suite reads, and a decoded body can be sixty times its
// text. So large bodies are judged one at a time, let go of once judged, and held for comparing within a budget (J20).
const (
	large      = 1 << 20
	mostHeld   = 128 << 20
	mostAtRest = 64 << 20 // of bodies that wait to be asked for again
)

type memory struct {
	one  sync.Mutex
	held *semaphore.Weighted
}

// wellFormed judges an answer. Held is what letting go of the chain gives back to the budget. A body for which there is
// no room is not kept: its chain is then not compared.
func (m *memory) wellFormed(j *judge.Judge, ex *exchange.Exchange) (result *judge.Judgement, held int64) {
	if len(ex.Body) <= large {
		return j.WellFormed(ex), 0
	}
	m.one.Lock()
	defer m.one.Unlock()
	result = j.WellFormed(ex)
	result.Answer.LetGo()
	if size := int64(len(ex.Body)); m.held.TryAcquire(size) {
		return result, size
	}
	ex.Body, ex.LetGo = nil, true
	return result, 0
}

// altered judges the answer to a request that is not well-formed; its body is not needed any more after that.
func (m *memory) altered(j *judge.Judge, ex *exchange.Exchange) *judge.Judgement {
	if len(ex.Body) > large {
		m.one.Lock()
		defer m.one.Unlock()
	}
	result := j.Altered(ex)
	ex.Body = nil
	return result
}
