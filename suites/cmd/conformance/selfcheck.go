package main

import (
	"fmt"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/selfcheck"
)

// selfChecked is what the self-check came to.
type selfChecked struct {
	judged int
	err    error
}

// beginSelfCheck has the embedded examples judged while a run is prepared; the run waits for it before its first request.
func beginSelfCheck(contract *schemas.Contract) <-chan selfChecked {
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
	return done
}
