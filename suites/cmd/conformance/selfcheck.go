package main

import (
	"fmt"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/suites/internal/selfcheck"
)

// selfChecked is what the self-check came to.
type selfChecked struct {
	judged int
	err    error
}

// beginSelfCheck has the embedded examples judged while a run is prepared. The function waits for it; nothing is judged
// before that.
func beginSelfCheck(s *surroundings) (wait func() (judged int, err error), err error) {
	contract, err := s.contract()
	if err != nil {
		return nil, err
	}
	done := make(chan selfChecked, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- selfChecked{err: fmt.Errorf("defect of the suite: the self-check panicked: %v", p)}
			}
		}()
		all, err := messages.All()
		if err != nil {
			done <- selfChecked{err: fmt.Errorf("defect of the suite: the embedded examples do not load: %w", err)}
			return
		}
		examples := make([]selfcheck.Example, len(all))
		for i, m := range all {
			examples[i] = selfcheck.Example(m)
		}
		judged, err := selfcheck.Judge(contract, examples)
		done <- selfChecked{judged, err}
	}()
	return func() (int, error) {
		checked := <-done
		return checked.judged, checked.err
	}, nil
}
