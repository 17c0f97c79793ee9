package run

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
)

// A hostile target may answer every request with as much as the suite reads. A decoded body can take sixty times
// the memory of its text. So large bodies are judged one at a time and freed afterwards; comparing them has a fixed
// budget (J20).
const (
	large     = 1 << 20
	maxHeld   = 128 << 20
	maxAtRest = 64 << 20 // of bodies that wait for repeated requests
)

type memory struct {
	one      *semaphore.Weighted
	inMemory *semaphore.Weighted
}

func newMemory() memory {
	return memory{one: semaphore.NewWeighted(1), inMemory: semaphore.NewWeighted(maxHeld)}
}

// acquire waits until a large body may be judged. Call release afterwards. An error means that the run ended meanwhile.
func (m *memory) acquire(ctx context.Context) (release func(), err error) {
	if err := m.one.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	runtime.GC() // frees the values of the previous body before those of this one are built
	return func() { m.one.Release(1) }, nil
}

// wellFormed judges an answer. inMemory is how many bytes return to the budget when the answers are dropped. If a body
// exceeds the rest of the budget, it is dropped, and the answers are not compared.
func (m *memory) wellFormed(ctx context.Context, s *spec.Suite,
	ex *exchange.Exchange) (result *spec.Judgement, inMemory int64, err error) {
	if len(ex.Body) <= large {
		return s.Judge(ex), 0, nil
	}
	release, err := m.acquire(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	result = s.Judge(ex)
	defer result.Answer.Drop()
	if size := int64(len(ex.Body)); m.inMemory.TryAcquire(size) {
		result.Answer.KeepNames()
		return result, size, nil
	}
	ex.Body, ex.Dropped = nil, true
	return result, 0, nil
}

// mutated judges the answer to a request that is not well-formed, and then frees its body.
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
