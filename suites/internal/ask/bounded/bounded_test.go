package bounded_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/testkit"
)

func TestPackage(t *testing.T) { testkit.Specs(t, "bounded") }

var _ = It("Work that heeds nothing is given up after its grace, if it has one", func(spec SpecContext) {
	cause := errors.New("somebody ended it")
	ctx, cancel := context.WithCancelCause(spec)
	forever := make(chan struct{})
	defer close(forever)
	blocked := func() error {
		cancel(cause)
		<-forever
		return nil
	}
	Expect(bounded.Within(ctx, time.Millisecond, blocked)).To(And(MatchError(cause), MatchError(bounded.ErrGivenUp)))
	Expect(bounded.Within(ctx, 0, blocked)).To(And(MatchError(cause), Not(MatchError(bounded.ErrGivenUp))),
		"without a grace nothing is given up")
})

var _ = It("Work that ends is taken as it is, also after the context ended", func(spec SpecContext) {
	value, err := bounded.Value(spec, 0, func() (string, error) { return "done", nil })
	Expect(value, err).To(Equal("done"))

	ended, cancel := context.WithCancel(spec)
	own := errors.New("its own end")
	Expect(bounded.Within(ended, time.Minute, func() error { cancel(); return own })).To(MatchError(own))
})
