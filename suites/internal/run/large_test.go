package run_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Large bodies are judged one at a time, and that may take long.
var _ = Describe("A large body that waits to be judged", func() {
	DescribeTable("is dropped when the run ends (J18)",
		func(ctx SpecContext, which func(sent) bool) {
			asked := make(chan struct{}, 100)
			r := readyRun(&stage{before: func(w http.ResponseWriter, s sent, _ int) bool {
				if !which(s) {
					return false
				}
				_, _ = w.Write(bytes.Repeat([]byte(" "), 2<<20))
				asked <- struct{}{}
				return true
			}})
			release, err := r.JudgeLarge(ctx)
			Expect(err).NotTo(HaveOccurred())
			defer release()
			ending, end := context.WithCancelCause(ctx)
			cause := errors.New("somebody ended the run")
			go func() {
				<-asked
				end(cause)
			}()
			Expect(r.Execute(ending)).To(MatchError(cause))
		},
		Entry("of a well-formed request", func(sent) bool { return true }, NodeTimeout(limit)),
		Entry("of another one", func(s sent) bool { return s.members()["ApplicationId"] == nil }, NodeTimeout(limit)),
	)

	It("delays the next request, so that no more such bodies wait than requests may be in flight",
		func(ctx SpecContext) {
			var answered atomic.Int32
			r := readyRun(&stage{before: func(w http.ResponseWriter, _ sent, _ int) bool {
				answered.Add(1)
				_, _ = w.Write(bytes.Repeat([]byte(" "), 2<<20))
				return true
			}}, withConcurrency(2))
			release, err := r.JudgeLarge(ctx)
			Expect(err).NotTo(HaveOccurred())
			ended := make(chan error, 1)
			go func() { ended <- r.Execute(ctx) }()
			Eventually(answered.Load).Should(BeEquivalentTo(2))
			Consistently(answered.Load).Should(BeEquivalentTo(2))
			release()
			Eventually(ended).WithContext(ctx).Should(Receive())
			Expect(answered.Load()).To(BeNumerically(">", 2))
		}, NodeTimeout(limit))
})
