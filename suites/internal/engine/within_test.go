package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/engine"
)

func TestWorkThatHeedsNothingIsGivenUp(t *testing.T) {
	g := NewWithT(t)
	cause := errors.New("somebody ended it")
	ctx, cancel := context.WithCancelCause(t.Context())
	forever := make(chan struct{})
	defer close(forever)
	blocked := func() error {
		cancel(cause)
		<-forever
		return nil
	}
	g.Expect(engine.Within(ctx, time.Millisecond, blocked)).To(And(MatchError(cause), MatchError(engine.ErrGivenUp)))
	g.Expect(engine.Within(ctx, 0, blocked)).To(And(MatchError(cause), Not(MatchError(engine.ErrGivenUp))),
		"without a grace nothing is given up")
}

func TestWorkThatEndsIsTakenAsItIs(t *testing.T) {
	g := NewWithT(t)
	value, err := engine.Value(t.Context(), 0, func() (string, error) { return "done", nil })
	g.Expect(value, err).To(Equal("done"))

	ended, cancel := context.WithCancel(t.Context())
	own := errors.New("its own end")
	g.Expect(engine.Within(ended, time.Minute, func() error {
		cancel()
		return own
	})).To(MatchError(own))
}
