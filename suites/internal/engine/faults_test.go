package engine_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
)

var _ = Describe("Faults in a row", func() {
	var faults *engine.Faults
	ex := func(id string) *exchange.Exchange { return &exchange.Exchange{Probe: exchange.Probe{ID: id}} }
	BeforeEach(func() { faults = &engine.Faults{} })

	It("are counted in the order sent, whatever the order in which the requests end", func() {
		var numbers []int
		for range 6 {
			numbers = append(numbers, faults.Begin())
		}
		Expect(faults.Faulted(numbers[5], ex("e6"))).To(Equal(1))
		Expect(faults.Faulted(numbers[3], ex("e4"))).To(Equal(1))
		Expect(faults.Faulted(numbers[4], ex("e5"))).To(Equal(3))
		Expect(faults.Unanswered().Probe.ID).To(Equal("e4"), "the first one sent so far")
		Expect(faults.Faulted(numbers[1], ex("e2"))).To(Equal(1))
		Expect(faults.Unanswered().Probe.ID).To(Equal("e2"), "the first one sent")
		faults.Answered(numbers[2])
		Expect(faults.Faulted(numbers[0], ex("e1"))).To(Equal(2), "an answer ends the row")
		Expect(faults.Unanswered()).To(BeNil())
	})

	It("go on over any number of requests", func() {
		for range 10_000 {
			first, second := faults.Begin(), faults.Begin()
			Expect(faults.Faulted(first, ex("a"))).To(Equal(1))
			faults.Answered(second)
		}
		for i := range 5 {
			Expect(faults.Faulted(faults.Begin(), ex("b"))).To(Equal(i + 1))
		}
	})

	It("are counted on from those that ended before an earlier request was answered", func() {
		first, second, third := faults.Begin(), faults.Begin(), faults.Begin()
		Expect(faults.Faulted(second, ex("e2"))).To(Equal(1))
		faults.Answered(first)
		Expect(faults.Faulted(third, ex("e3"))).To(Equal(2))
	})

	It("are none before a request has ended", func() {
		faults.Begin()
		Expect(faults.Unanswered()).To(BeNil())
	})
})
