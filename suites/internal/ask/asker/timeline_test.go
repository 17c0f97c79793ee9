package asker_test

import (
	"strings"
	"testing/quick"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// waits are those of a run.
var waits = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}

// follow asks controls that get these statuses, of which the last one stays, until the timeline ends. It returns what
// was done, such as "last user, one before, 1s, last user, gone", and how many controls that took.
func follow(statuses []int, waits []time.Duration) (did string, asked int) {
	ends := map[asker.End]string{asker.Serves: "serves", asker.Recovered: "recovered", asker.Gone: "gone"}
	var list []string
	for t := (asker.Timeline{}); ; {
		end, wait, whose := t.Next(waits)
		if end != asker.Open {
			return strings.Join(append(list, ends[end]), ", "), t.Asked
		}
		if wait > 0 {
			list = append(list, wait.String())
		}
		list = append(list, []string{"last user", "one before"}[whose])
		status := statuses[min(t.Asked, len(statuses)-1)]
		t = t.With(&exchange.Exchange{Status: status}, status == 200)
	}
}

var _ = Describe("The controls after a refusal (J23 b)", func() {
	DescribeTable("show whether the target serves", func(did string, statuses ...int) {
		got, _ := follow(statuses, waits)
		Expect(got).To(Equal(did))
	},
		Entry("the first one is served", "last user, serves", 200),
		Entry("the second one is served", "last user, one before, serves", 404, 200),
		Entry("the third one is served", "last user, one before, 1s, last user, recovered", 500, 500, 200),
		Entry("the last one is served", "last user, one before, 1s, last user, 2s, one before, 4s, last user, "+
			"8s, one before, 16s, last user, recovered", 0, 0, 429, 500, 500, 404, 200),
		Entry("none is answered", "last user, one before, 1s, last user, 2s, one before, 4s, last user, "+
			"8s, one before, 16s, last user, gone", 0),
		Entry("none is served", "last user, one before, 1s, last user, 2s, one before, 4s, last user, "+
			"8s, one before, 16s, last user, gone", 500),
		Entry("five get 401 or 403, which may count towards a lockout",
			"last user, one before, 1s, last user, 2s, one before, 4s, last user, gone", 401, 403),
		Entry("five of them",
			"last user, one before, 1s, last user, 2s, one before, 4s, last user, 8s, one before, gone",
			401, 500, 403, 403, 401, 401),
	)

	It("end, whatever they are answered, after two and one for each wait", func() {
		Expect(quick.Check(func(answers []uint8, number uint8) bool {
			some := make([]time.Duration, number%20)
			statuses := []int{0}
			for _, b := range answers {
				statuses = append(statuses, []int{0, 200, 401, 403, 404, 429, 500, 503}[b%8])
			}
			_, asked := follow(statuses, some)
			return asked <= 2+len(some)
		}, nil)).To(Succeed())
	})
})

var _ = Describe("The space between requests (J19, J23)", func() {
	// times changes a pace so often.
	times := func(n int, p asker.Pace, change func(asker.Pace) asker.Pace) asker.Pace {
		for range n {
			p = change(p)
		}
		return p
	}

	It("doubles with every third answer that throttles, from 50 ms to 200 ms", func() {
		var spaces []string
		p := asker.Pace{}
		for range 8 {
			Expect(times(2, p, asker.Pace.Throttled).Space).To(Equal(p.Space))
			p = times(3, p, asker.Pace.Throttled)
			spaces = append(spaces, p.Space.String())
		}
		Expect(strings.Join(spaces, " ")).To(Equal("50ms 100ms 200ms 200ms 200ms 200ms 200ms 200ms"))
	})

	It("doubles with each interruption, to 2 s", func() {
		Expect(times(9, asker.Pace{}, asker.Pace.Slower).Space).To(Equal(2 * time.Second))
		Expect(asker.Pace{}.Slower().Space).To(Equal(50 * time.Millisecond))
		Expect(times(2, asker.Pace{}, asker.Pace.Slower).Space).To(Equal(100 * time.Millisecond))
	})

	It("doubles before a step is sent again, to 200 ms", func() {
		Expect(times(2, asker.Pace{}, asker.Pace.Repeating).Space).To(Equal(100 * time.Millisecond))
		Expect(times(9, asker.Pace{}, asker.Pace.Repeating).Space).To(Equal(200 * time.Millisecond))
	})

	It("is halved after each hundred requests that were not throttled, down to none", func() {
		p := times(2, asker.Pace{}, asker.Pace.Slower)
		Expect(times(99, p, asker.Pace.Answered).Space).To(Equal(100 * time.Millisecond))
		Expect(times(100, p, asker.Pace.Answered).Space).To(Equal(50 * time.Millisecond))
		Expect(times(200, p, asker.Pace.Answered).Space).To(BeZero())
		p = times(99, p, asker.Pace.Answered).Throttled()
		Expect(times(99, p, asker.Pace.Answered).Space).To(Equal(100*time.Millisecond),
			"one that throttles begins anew")
	})

	It("counts answers that throttle among others, too", func() {
		p := times(2, asker.Pace{}, asker.Pace.Throttled)
		Expect(times(200, p, asker.Pace.Answered).Throttled().Space).To(Equal(50 * time.Millisecond))
	})
})
