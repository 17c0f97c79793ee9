package asker_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = It("The second control is that of another user than the first, however often that one was served (J23)",
	func(ctx SpecContext) {
		var controls []string
		a := newAsker(&script{answer: func(_ http.Header, r request) int {
			if r.control {
				controls = append(controls, r.user)
			}
			if r.id == "e4" || r.control && len(controls) == 1 {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		}})
		for _, p := range []exchange.Probe{wellFormed("e1", "alice"), wellFormed("e2", "bob"), wellFormed("e3", "bob"),
			wellFormed("e4", "carol")} {
			testkit.Must(a.Read(ctx, []exchange.Probe{p}, nil))
		}
		Expect(controls).To(Equal([]string{"bob", "alice"}))
	})

var _ = DescribeTable("What the controls around a probe show",
	func(before, after *exchange.Control, expected string) {
		names := map[*exchange.Control]string{before: "before", after: "after"}
		names[nil] = "nothing"
		Expect(names[asker.Between(before, after)]).To(Equal(expected))
	},
	Entry("is nothing without one before", nil, &exchange.Control{Served: true}, "nothing"),
	Entry("is nothing without one after", &exchange.Control{Served: true}, nil, "nothing"),
	Entry("is that both served", &exchange.Control{Served: true}, &exchange.Control{Served: true}, "before"),
	Entry("is that the later one was refused", &exchange.Control{Served: true}, &exchange.Control{}, "after"),
	Entry("is that the earlier one was refused", &exchange.Control{}, &exchange.Control{Served: true}, "before"),
	Entry("is that the earlier one was refused, of two", &exchange.Control{}, &exchange.Control{}, "before"),
)

var _ = It("A deadline that is too near is a matter of the rate only if one is set", func() {
	Expect(asker.Advice(&settings.Settings{})).To(Equal("raise it, or send fewer users"))
	Expect(asker.Advice(&settings.Settings{Rate: 2})).To(Equal("raise it, send fewer users, or raise --rate"))
})
