package parity_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing/quick"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/parity"
)

// drawnOrder is in which order two to five calls to each version go.
func drawnOrder(random *rand.Rand) []schemas.Version {
	var order []schemas.Version
	for range 2 + random.IntN(4) {
		order = append(order, schemas.V5, schemas.V6)
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// showing returns a lookup in which each call shows a number at the member n; null for 0.
func showing(order []schemas.Version, number func(i int) int) parity.Lookup {
	var calls []parity.Call
	for i, v := range order {
		value := cmp.Or(strings.TrimLeft(strconv.Itoa(number(i)), "0"), "null")
		calls = append(calls, callOf(v, `{"m":7,"n":`+value+`}`))
	}
	return lookup(calls...)
}

var _ = Describe("Whatever the calls of a lookup,", func() {
	holds := func(property func(random *rand.Rand) bool) {
		GinkgoHelper()
		Expect(quick.Check(func(seed uint64) bool { return property(rand.New(rand.NewPCG(seed, 15))) },
			&quick.Config{MaxCount: 2000})).To(Succeed())
	}

	It("what one change of the data explains is equal", func() {
		holds(func(random *rand.Rand) bool {
			order := drawnOrder(random)
			last := min(lastOf(order, schemas.V5), lastOf(order, schemas.V6)) // each version has a call since
			moved := random.IntN(last + 1)
			c := parity.Rule{}.Conclude(showing(order, func(i int) int {
				if i < moved {
					return 1
				}
				return 2
			}))
			ended := !slices.ContainsFunc(c.Changes, func(c parity.Change) bool { return !c.Ended })
			return len(c.Differences) == 0 && ended && c.Valued && (moved == 0) == c.StandsStill()
		})
	})

	It("two versions that end different, each with the same value at its last two calls, differ", func() {
		holds(func(random *rand.Rand) bool {
			order := drawnOrder(random)
			early := map[schemas.Version]int{} // the first call may show anything
			c := parity.Rule{}.Conclude(showing(order, func(i int) int {
				v := order[i]
				if early[v]++; early[v] == 1 && len(order) > 4 {
					return random.IntN(4)
				}
				return 10 + int(v[1])
			}))
			return len(c.Differences) == 1 && len(c.Changes) == 0 && c.Differences[0].Pointer == "/n"
		})
	})

	It("what goes back and forth in one version only is unsteady in it alone", func() {
		holds(func(random *rand.Rand) bool {
			order := slices.Concat(drawnOrder(random), []schemas.Version{schemas.V5, schemas.V6})
			changing, n := schemas.Versions()[random.IntN(2)], 0
			c := parity.Rule{}.Conclude(showing(order, func(i int) int {
				if order[i] != changing {
					return 0
				}
				n++
				return n % 2
			}))
			return len(c.Differences) == 0 && len(c.Changes) == 1 && !c.Changes[0].Ended &&
				c.Changes[0].From == (changing == schemas.V5) && c.Changes[0].To == (changing == schemas.V6)
		})
	})

	It("what goes back and forth in both is unsteady in both", func() {
		holds(func(random *rand.Rand) bool {
			order := slices.Concat(drawnOrder(random), []schemas.Version{schemas.V5, schemas.V6})
			n := map[schemas.Version]int{}
			c := parity.Rule{}.Conclude(showing(order, func(i int) int {
				n[order[i]]++
				return n[order[i]] % 2 * (1 + random.IntN(50))
			}))
			return len(c.Differences) == 0 && len(c.Changes) == 1 && !c.Changes[0].Ended && c.Changes[0].From &&
				c.Changes[0].To
		})
	})

	It("the other version first is the same the other way round", func() {
		holds(func(random *rand.Rand) bool {
			order := drawnOrder(random)
			shown := make([]int, len(order))
			for i := range shown {
				shown[i] = random.IntN(3)
			}
			l := showing(order, func(i int) int { return shown[i] })
			mirrored := showing(order, func(i int) int { return shown[i] })
			for i, call := range mirrored.Calls {
				mirrored.Calls[i].Version = map[schemas.Version]schemas.Version{schemas.V5: schemas.V6,
					schemas.V6: schemas.V5}[call.Version]
			}
			one, other := parity.Rule{}.Conclude(l), parity.Rule{}.Conclude(mirrored)
			same := len(one.Differences) == len(other.Differences) && len(one.Changes) == len(other.Changes)
			for i := range one.Changes {
				same = same && one.Changes[i].From == other.Changes[i].To &&
					one.Changes[i].Ended == other.Changes[i].Ended
			}
			return same
		})
	})
})

// lastOf returns the index of the last call to a version.
func lastOf(order []schemas.Version, v schemas.Version) int {
	last := 0
	for i := range order {
		if order[i] == v {
			last = i
		}
	}
	return last
}

var _ = Describe("Different answers that are too large to be compared", func() {
	// None of them is JSON, so that decoding one would panic.
	body := func(call string) string { return strings.Repeat("x", 12<<20) + call }

	It("are unsteady as a whole in both versions, and none is decoded", func() {
		c := parity.Rule{}.Conclude(lookup(v5(body("1")), v6(body("2")), v6(body("3")), v5(body("1"))))
		Expect(c.Differences).To(BeEmpty())
		Expect(c.Changes).To(ConsistOf(parity.Change{From: true, To: true}))
		Expect(c.Comparable).To(BeFalse())
		Expect(c.StandsStill()).To(BeFalse())
	})

	It("are none of two of the largest bodies that are read", func() {
		large := func(sign string) string { return `["` + strings.Repeat(sign, 16<<20-4) + `"]` }
		Expect(parity.Rule{}.Conclude(lookup(v5(large("x")), v6(large("y")))).Differences).To(HaveLen(1))
	})

	It("are none of those that were not served", func() {
		refusal := func(call string) parity.Call { return parity.Call{Version: schemas.V6, Body: []byte(body(call))} }
		c := parity.Rule{}.Conclude(lookup(v5("[]"), refusal("1"), refusal("2"), refusal("3")))
		Expect(c.Differences).To(HaveExactElements(HaveField("Kind", parity.Served)))
	})

	It("count once if they are equal", func() {
		large := `["` + strings.Repeat("x", 12<<20) + `"]`
		c := parity.Rule{}.Conclude(lookup(v5(large), v6(large), v6(large), v5("[]")))
		Expect(c.Comparable).To(BeTrue())
	})
})
