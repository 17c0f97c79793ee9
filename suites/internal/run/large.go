package run

import (
	"context"

	"golang.org/x/sync/semaphore"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
)

// A hostile target may answer every request with as much as the suite reads, and a decoded body can be sixty times its
// text. So large bodies are judged one at a time, dropped once judged, and held for comparing within a budget (J20).
const (
	large      = 1 << 20
	mostHeld   = 128 << 20
	mostAtRest = 64 << 20 // of bodies that wait to be asked for again
)

type memory struct {
	one  *semaphore.Weighted
	held *semaphore.Weighted
}

func newMemory() memory {
	return memory{one: semaphore.NewWeighted(1), held: semaphore.NewWeighted(mostHeld)}
}

// acquire waits until a large body may be judged; release ends that. An error means that the run ended meanwhile.
func (m *memory) acquire(ctx context.Context) (release func(), err error) {
	if err := m.one.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { m.one.Release(1) }, nil
}

// wellFormed judges an answer. Held is what dropping the readings gives back to the budget. A body for which there is
// no room is not kept: its readings are then not compared.
func (m *memory) wellFormed(ctx context.Context, s *spec.Suite, ex *exchange.Exchange) (result *spec.Judgement,
	held int64, err error) {
	if len(ex.Body) <= large {
		return s.Judge(ex), 0, nil
	}
	release, err := m.acquire(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	result = s.Judge(ex)
	result.Answer.Drop()
	if size := int64(len(ex.Body)); m.held.TryAcquire(size) {
		return result, size, nil
	}
	ex.Body, ex.Dropped = nil, true
	return result, 0, nil
}

// mutated judges the answer to a request that is not well-formed; its body is not needed after that.
func (m *memory) mutated(ctx context.Context, s *spec.Suite, ex *exchange.Exchange) (*spec.Judgement, error) {
	if len(ex.Body) > large {
		release, err := m.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	result := s.Judge(ex)
	result.Answer.Drop()
	ex.Body = nil
	return result, nil
}
