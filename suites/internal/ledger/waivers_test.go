package ledger_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("Waivers", func() {
	day := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		Expect(err).NotTo(HaveOccurred())
		return d
	}
	waiver := func(verdict string, v schemas.Version) settings.Waiver {
		return settings.Waiver{Requirement: "2.1/Id", Version: v, Verdict: verdict, Reason: "known to the owner",
			Until: day("2026-12-31"), Where: "file:3"}
	}
	// each version's row of 2.1/Id: p passes, f fails, i is inconclusive.
	set := func(states string) *ledger.Ledger {
		l := passEveryRow(newLedger())
		for i, v := range schemas.Versions() {
			row := rowAt(l, "2.1/Id", v)
			switch states[i] {
			case 'f':
				failRow(l, "2.1/Id", v)
			case 'i':
				row.Witnesses = 0
			}
		}
		l.Close(true)
		return l
	}

	DescribeTable("set aside what they say, and nothing else",
		func(states string, w settings.Waiver, five, six bool, stale, named int) {
			l := set(states)
			s, n := l.Waive([]settings.Waiver{w}, today)
			Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver != nil).To(Equal(five), "v5")
			Expect(rowAt(l, "2.1/Id", schemas.V6).Waiver != nil).To(Equal(six), "v6")
			Expect(s).To(HaveLen(stale), "stale")
			Expect(n).To(HaveLen(named), "named")
			for _, text := range append(s, n...) {
				Expect(text).To(And(ContainSubstring("2.1/Id"), ContainSubstring("file:3")))
			}
			for _, row := range l.Rows() {
				if row.ID != "2.1/Id" {
					Expect(row.Waiver).To(BeNil())
				}
			}
		},
		Entry("a failure in both", "ff", waiver("fail", ""), true, true, 0, 0),
		Entry("a failure in one of both", "fp", waiver("fail", ""), true, false, 0, 0),
		Entry("a failure in one of both, the other inconclusive: named", "fi", waiver("fail", ""), true, false, 0, 1),
		Entry("a failure in v6", "ff", waiver("fail", schemas.V6), false, true, 0, 0),
		Entry("a failure that passes: stale", "pp", waiver("fail", ""), false, false, 1, 0),
		Entry("a failure in v5 that passes there: stale", "pf", waiver("fail", schemas.V5), false, false, 1, 0),
		Entry("a failure that is inconclusive: named, not set aside", "ii", waiver("fail", ""), false, false, 0, 1),
		Entry("a failure that is inconclusive in v5 and passes in v6: stale", "ip", waiver("fail", ""),
			false, false, 1, 0),
		Entry("an inconclusive row", "ip", waiver("inconclusive", ""), true, false, 0, 0),
		Entry("an inconclusive row that fails: not set aside", "fi", waiver("inconclusive", schemas.V5),
			false, false, 0, 1),
		Entry("an inconclusive row that passes: named, not stale", "pp", waiver("inconclusive", ""),
			false, false, 0, 1),
	)

	DescribeTable("without effect say what they would need",
		func(states string, w settings.Waiver, text string) {
			stale, named := set(states).Waive([]settings.Waiver{w}, today)
			Expect(append(stale, named...)).To(ConsistOf("the waiver of 2.1/Id (file:3) " + text))
		},
		Entry(nil, "ii", waiver("fail", ""), "has no effect in v5, v6: it waives fail, and the result is inconclusive; to set that aside add verdict: inconclusive"),
		Entry(nil, "fi", waiver("fail", ""), "has no effect in v6: it waives fail, and the result is inconclusive; to set that aside add verdict: inconclusive"),
		Entry(nil, "ff", waiver("inconclusive", schemas.V6),
			"has no effect in v6: it waives inconclusive, and the result is fail; to set that aside write verdict: fail"),
		Entry(nil, "pp", waiver("inconclusive", ""),
			"has no effect: nothing that it covers is inconclusive now; remove it"),
		Entry(nil, "pp", waiver("fail", ""), "is stale: what it waives passes now; remove it"),
		Entry(nil, "ip", waiver("fail", ""), "is stale: none of its rows fails; remove it, or, to set aside those that are inconclusive, add verdict: inconclusive"),
	)

	It("of a row that another one sets aside have no effect", func() {
		_, named := set("fp").Waive([]settings.Waiver{waiver("fail", schemas.V5), waiver("inconclusive", schemas.V5)},
			today)
		Expect(named).To(
			ConsistOf("the waiver of 2.1/Id (file:3) has no effect: another waiver sets the same rows aside"))
	})

	It("set aside no row that was left out, and name a requirement that was not judged", func() {
		l := set("ii")
		rowAt(l, "2.1/Id", schemas.V5).Selected, rowAt(l, "2.1/Id", schemas.V6).Reason = false, ledger.NotRun
		_, named := l.Waive([]settings.Waiver{waiver("fail", "")}, today)
		Expect(named).To(
			ConsistOf("the waiver of 2.1/Id (file:3) has no effect: this run does not judge its requirement"))
		_, named = l.Waive([]settings.Waiver{waiver("inconclusive", schemas.V5)}, today)
		Expect(named).To(
			ConsistOf("the waiver of 2.1/Id (file:3) has no effect: this run does not judge its requirement"))
		Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver).To(BeNil())
	})

	It("are of one entry if pattern and place are the same, and of two if one is another", func() {
		one, other := waiver("fail", schemas.V5), waiver("fail", schemas.V6)
		one.Pattern, other.Pattern = "2.1/*", "2.1/*"
		for change, entries := range map[*settings.Waiver]int{
			{Pattern: "2.1/*", Where: "file:3"}: 1, {Pattern: "*/Id", Where: "file:3"}: 2, {Pattern: "2.1/*",
				Where: "file:4"}: 2,
		} {
			other.Pattern, other.Where = change.Pattern, change.Where
			stale, _ := set("pp").Waive([]settings.Waiver{one, other}, today)
			Expect(stale).To(HaveLen(entries))
		}
	})

	DescribeTable("that end late are named", func(until string, late bool) {
		w := waiver("fail", "")
		w.Until = day(until)
		stale, named := set("ff").Waive([]settings.Waiver{w}, today)
		Expect(stale).To(BeEmpty())
		if late {
			Expect(named).To(ConsistOf(ContainSubstring("the waiver of 2.1/Id (file:3) ends on " + until +
				", more than a year ahead")))
		} else {
			Expect(named).To(BeEmpty())
		}
	},
		Entry(nil, "2027-06-15", false), Entry(nil, "2027-06-16", true), Entry(nil, "2099-12-31", true),
	)

	Describe("by a pattern", func() {
		pattern := func(verdict string, ids ...string) (list []settings.Waiver) {
			for _, id := range ids {
				w := waiver(verdict, "")
				w.Requirement, w.Pattern = id, "2.1/*"
				list = append(list, w)
			}
			return list
		}
		// each row of 2.1/Id and 2.1/Flags, v5 before v6.
		rows := func(states string) *ledger.Ledger {
			l := passEveryRow(newLedger())
			i := 0
			for _, id := range []string{"2.1/Id", "2.1/Flags"} {
				for _, v := range schemas.Versions() {
					switch states[i] {
					case 'f':
						failRow(l, id, v)
					case 'i':
						rowAt(l, id, v).Witnesses = 0
					}
					i++
				}
			}
			l.Close(true)
			return l
		}
		DescribeTable("are judged as a whole",
			func(states, verdict string, waived int, stale, named string) {
				l := rows(states)
				s, n := l.Waive(pattern(verdict, "2.1/Id", "2.1/Flags"), today)
				count := 0
				for _, row := range l.Rows() {
					if row.Waiver != nil {
						count++
					}
				}
				Expect(count).To(Equal(waived))
				for _, expected := range []struct {
					list []string
					text string
				}{{s, stale}, {n, named}} {
					if expected.text == "" {
						Expect(expected.list).To(BeEmpty())
					} else {
						Expect(expected.list).To(ConsistOf("the waiver of 2.1/* (file:3) " + expected.text))
					}
				}
			},
			Entry("all fail", "ffff", "fail", 4, "", ""),
			Entry("one fails", "ppfp", "fail", 1, "", ""),
			Entry("one fails, others are inconclusive", "fiip", "fail", 1, "", ""),
			Entry("none fails", "pppp", "fail", 0, "is stale: what it waives passes now; remove it", ""),
			Entry("none fails, one is inconclusive", "ppip", "fail", 0,
				"is stale: none of its rows fails; remove it, or, to set aside those that are inconclusive, add verdict: inconclusive", ""),
			Entry("all are inconclusive", "iiii", "fail", 0, "",
				"has no effect in v5, v6: it waives fail, and the result is inconclusive; to set that aside add verdict: inconclusive"),
			Entry("one is inconclusive", "pipf", "inconclusive", 1, "", ""),
			Entry("none is inconclusive", "pppp", "inconclusive", 0, "",
				"has no effect: nothing that it covers is inconclusive now; remove it"),
			Entry("one fails, none is inconclusive", "pfpp", "inconclusive", 0, "",
				"has no effect in v6: it waives inconclusive, and the result is fail; to set that aside write verdict: fail"),
		)

		It("are named once if they end late", func() {
			list := pattern("fail", "2.1/Id", "2.1/Flags")
			for i := range list {
				list[i].Until = day("2099-12-31")
			}
			stale, named := rows("ffff").Waive(list, today)
			Expect(stale).To(BeEmpty())
			Expect(named).To(ConsistOf(ContainSubstring("2099-12-31")))
		})
	})

	It("hold on their last day, and not on the next", func() {
		w := waiver("fail", "")
		w.Until = day("2026-06-15")
		l := set("ff")
		stale, named := l.Waive([]settings.Waiver{w}, today)
		Expect(append(stale, named...)).To(BeEmpty())
		Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver).To(
			Equal(&ledger.Waived{Reason: "known to the owner", Until: w.Until}))

		l = set("ff")
		stale, named = l.Waive([]settings.Waiver{w}, time.Date(2026, 6, 16, 0, 0, 0, 0, time.UTC))
		Expect(append(stale, named...)).To(BeEmpty(), "the settings name it")
		Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver).To(BeNil())
	})

	It("past their date are not stale where the row passes", func() {
		w := waiver("fail", "")
		w.Until = day("2020-01-01")
		stale, named := set("pp").Waive([]settings.Waiver{w}, today)
		Expect(append(stale, named...)).To(BeEmpty())
	})

	It("of rows that a filter left out set nothing aside and are not stale", func() {
		l := set("fp")
		l.Select(nil)
		stale, named := l.Waive([]settings.Waiver{waiver("fail", "")}, today)
		Expect(stale).To(BeEmpty())
		Expect(named).To(HaveLen(1))
		Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver).To(BeNil())
	})

	It("of a row that this run does not have set nothing aside", func() {
		w := waiver("fail", "")
		w.Requirement = "9.3/getUserAuth/divergence"
		stale, named := set("pp").Waive([]settings.Waiver{w}, today)
		Expect(stale).To(BeEmpty())
		Expect(named).To(HaveExactElements(ContainSubstring("9.3/getUserAuth/divergence")))
	})

	It("of two verdicts of one row stand side by side", func() {
		l := set("fi")
		stale, named := l.Waive([]settings.Waiver{waiver("fail", ""), waiver("inconclusive", "")}, today)
		Expect(append(stale, named...)).To(BeEmpty())
		Expect(rowAt(l, "2.1/Id", schemas.V5).Waiver).NotTo(BeNil())
		Expect(rowAt(l, "2.1/Id", schemas.V6).Waiver).NotTo(BeNil())
	})
})
