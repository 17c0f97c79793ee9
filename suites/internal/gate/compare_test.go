package gate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/gate"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// The causes that the rows of these specs fail for.
var (
	wrongForm    = report.Cause{Kind: "not in its form", Pointer: "/CreatedOn", Count: 3}
	wrongType    = report.Cause{Kind: "not of its type: number", Pointer: "/CreatedOn", Count: 1}
	otherPointer = report.Cause{Kind: "not in its form", Pointer: "/*/CreatedOn", Count: 3}
)

// echoedCause is a cause at a member that has the pseudonym of a secret as its name.
func echoedCause(secret string) report.Cause {
	return report.Cause{Kind: "not in its form", Pointer: "/redacted-" + secret + "/Id", Count: 1}
}

func passingRow(id string) report.Row {
	return report.Row{ID: id, Version: schemas.V5, Verdict: ledger.Pass, Witnesses: 1}
}

func failingRow(id string, causes ...report.Cause) report.Row {
	return report.Row{ID: id, Version: schemas.V5, Verdict: ledger.Fail, Causes: causes}
}

func inconclusiveRow(id string, reason ledger.Reason) report.Row {
	return report.Row{ID: id, Version: schemas.V5, Verdict: ledger.Inconclusive, Reason: &reason}
}

// undecidedEntry is what the gate lists of a row that is inconclusive, in the baseline too.
func undecidedEntry(id string) report.Entry {
	return report.Entry{Requirement: id, Version: schemas.V5, Kind: "inconclusive", Count: 1}
}

func reportOf(rows ...report.Row) *report.Report { return &report.Report{Requirements: rows} }

// entryOf is what the gate lists of a cause of 2.1/CreatedOn.
func entryOf(c report.Cause) report.Entry {
	return report.Entry{Requirement: "2.1/CreatedOn", Version: schemas.V5, Kind: c.Kind, Pointer: c.Pointer,
		Count: c.Count}
}

// gated is what comes of a row, beside one that always passes.
type gated struct {
	verdict           ledger.Verdict
	known             bool
	new, old, staling []report.Entry
}

var _ = Describe("A run that is compared with a baseline", func() {
	const row = "2.1/CreatedOn"
	entriesOf := func(causes ...report.Cause) []report.Entry {
		list := []report.Entry{}
		for _, c := range causes {
			list = append(list, entryOf(c))
		}
		return list
	}

	DescribeTable("fails if a known failure hits more users of the same list",
		func(was, is int, before, now *report.Users, grown bool, shown ...int) {
			at := func(users int, list *report.Users) *report.Report {
				cause := wrongForm
				cause.Users = users
				r := reportOf(failingRow(row, cause), passingRow("2.1/Id"))
				r.Users = list
				return r
			}
			run := at(is, now)
			gate.Compare(at(was, before), run, false)
			entry := entryOf(wrongForm)
			if len(shown) > 0 {
				entry.Was, entry.Users = shown[0], shown[1]
			}
			Expect(run.Requirements[0].Known).To(Equal(!grown))
			if grown {
				Expect(run.Verdict).To(Equal(ledger.Fail))
				Expect(run.Gate.Grown).To(ConsistOf(entry))
				Expect(run.Gate.Known).To(BeEmpty())
				Expect(run.Document().Items("failures")[0].Lines[0]).To(HavePrefix(
					fmt.Sprintf("grown: %d of 13 users, now %d, ", was, is)))
				return
			}
			Expect(run.Verdict).To(Equal(ledger.Pass))
			Expect(run.Gate.Grown).To(BeEmpty())
			Expect(run.Gate.Known).To(ConsistOf(entry))
		},
		Entry("more users", 3, 12, &report.Users{Count: 13, Digest: "a"}, &report.Users{Count: 13, Digest: "a"}, true,
			3, 12),
		Entry("two users for one", 1, 2, &report.Users{Count: 13, Digest: "a"}, &report.Users{Count: 13, Digest: "a"},
			true, 1,
			2),
		Entry("as many users", 3, 3, &report.Users{Count: 13, Digest: "a"}, &report.Users{Count: 13, Digest: "a"},
			false),
		Entry("fewer users", 3, 2, &report.Users{Count: 13, Digest: "a"}, &report.Users{Count: 13, Digest: "a"}, false,
			3, 2),
		Entry("more users of another list, of which both numbers are shown", 3, 12,
			&report.Users{Count: 13, Digest: "a"},
			&report.Users{Count: 14, Digest: "b"}, false, 3, 12),
		Entry("a run that does not name its users", 3, 12, &report.Users{Count: 13, Digest: "a"}, nil, false, 3, 12),
		Entry("a baseline that does not name its users", 0, 12, nil, &report.Users{Count: 13, Digest: "a"}, false),
	)

	DescribeTable("gets a verdict by what changed in a row", func(before, now report.Row, expected gated) {
		baseline, run := reportOf(before, passingRow("2.1/Id")), reportOf(now, passingRow("2.1/Id"))
		gate.Compare(baseline, run, false)
		Expect(run.Verdict).To(Equal(expected.verdict))
		Expect(run.Requirements[0].Known).To(Equal(expected.known))
		Expect(run.Gate.New).To(ConsistOf(expected.new))
		Expect(run.Gate.Known).To(ConsistOf(expected.old))
		Expect(run.Gate.Stale).To(ConsistOf(expected.staling))
		Expect(run.Requirements[1].Known).To(BeFalse(), "a row that passes is not known to fail")
	},
		Entry("passed, passes", passingRow(row), passingRow(row),
			gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("passed, fails", passingRow(row), failingRow(row, wrongForm),
			gated{ledger.Fail, false, entriesOf(wrongForm), entriesOf(), entriesOf()}),
		Entry("failed, fails for the same cause", failingRow(row, wrongForm), failingRow(row, wrongForm),
			gated{ledger.Pass, true, entriesOf(), entriesOf(wrongForm), entriesOf()}),
		Entry("failed, fails for the same cause, at a member that a secret is the name of",
			failingRow(row, echoedCause("abcdefghijklmnop")), failingRow(row, echoedCause("ABcdefghijklmnxy")),
			gated{ledger.Pass, true, entriesOf(), entriesOf(echoedCause("ABcdefghijklmnxy")), entriesOf()}),
		Entry("failed, fails for another cause of the same kind", failingRow(row, wrongForm), failingRow(row,
			otherPointer),
			gated{ledger.Fail, false, entriesOf(otherPointer), entriesOf(), entriesOf(wrongForm)}),
		Entry("failed, fails for another cause at the same place", failingRow(row, wrongForm), failingRow(row,
			wrongType),
			gated{ledger.Fail, false, entriesOf(wrongType), entriesOf(), entriesOf(wrongForm)}),
		Entry("failed, fails for one cause more", failingRow(row, wrongForm), failingRow(row, wrongForm, wrongType),
			gated{ledger.Fail, false, entriesOf(wrongType), entriesOf(wrongForm), entriesOf()}),
		Entry("failed, fails for one cause less", failingRow(row, wrongForm, wrongType), failingRow(row, wrongForm),
			gated{ledger.Fail, true, entriesOf(), entriesOf(wrongForm), entriesOf(wrongType)}),
		Entry("failed, passes", failingRow(row, wrongForm), passingRow(row),
			gated{ledger.Fail, false, entriesOf(), entriesOf(), entriesOf(wrongForm)}),
		Entry("passed, is inconclusive", passingRow(row), inconclusiveRow(row, ledger.NoWitness),
			gated{ledger.Inconclusive, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("failed, is inconclusive: what can't be seen is not repaired", failingRow(row, wrongForm),
			inconclusiveRow(row,
				ledger.NoWitness), gated{ledger.Inconclusive, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("was inconclusive, is so", inconclusiveRow(row, ledger.NoWitness), inconclusiveRow(row, ledger.NoWitness),
			gated{ledger.Pass, true, entriesOf(), []report.Entry{undecidedEntry(row)}, entriesOf()}),
		Entry("was inconclusive, is so for another reason", inconclusiveRow(row, ledger.NoWitness), inconclusiveRow(row,
			ledger.NotComparable), gated{ledger.Pass, true, entriesOf(), []report.Entry{undecidedEntry(row)}, entriesOf()}),
		Entry("was inconclusive, fails", inconclusiveRow(row, ledger.NoWitness), failingRow(row, wrongForm),
			gated{ledger.Fail, false, entriesOf(wrongForm), entriesOf(), entriesOf()}),
		Entry("was inconclusive, passes", inconclusiveRow(row, ledger.NoWitness), passingRow(row),
			gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("was inconclusive, is left out by a filter", inconclusiveRow(row, ledger.NoWitness),
			inconclusiveRow(row, ledger.NotRun), gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("passed, is left out by a filter", passingRow(row), inconclusiveRow(row, ledger.NotRun),
			gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("was left out, is inconclusive", inconclusiveRow(row, ledger.NotRun), inconclusiveRow(row,
			ledger.NoWitness),
			gated{ledger.Inconclusive, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("was left out, passes", inconclusiveRow(row, ledger.NotRun), passingRow(row),
			gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
		Entry("was left out, fails", inconclusiveRow(row, ledger.NotRun), failingRow(row, wrongForm),
			gated{ledger.Fail, false, entriesOf(wrongForm), entriesOf(), entriesOf()}),
		Entry("failed, is left out by a filter", failingRow(row, wrongForm), inconclusiveRow(row, ledger.NotRun),
			gated{ledger.Pass, false, entriesOf(), entriesOf(), entriesOf()}),
	)

	It("does not take the row of another version for the same", func() {
		other := failingRow(row, wrongForm)
		other.Version = schemas.V6
		before := reportOf(other, passingRow(row))
		run := reportOf(failingRow(row, wrongForm))
		gate.Compare(before, run, false)
		Expect(run.Verdict).To(Equal(ledger.Fail))
		Expect(run.Gate.New).To(ConsistOf(entryOf(wrongForm)))
	})

	It("compares the users of each cause, whatever the other causes of the row have", func() {
		users := &report.Users{Count: 13, Digest: "a"}
		few, many := wrongForm, wrongType
		few.Users, many.Users = 2, 5
		before := reportOf(failingRow(row, few, many))
		few.Users = 3
		now := reportOf(failingRow(row, few, many))
		before.Users, now.Users = users, users
		gate.Compare(before, now, false)
		Expect(now.Gate.Grown).To(HaveLen(1))
		Expect(now.Gate.Grown[0].Was).To(Equal(2))
	})

	It("compares causes, not how often they were found", func() {
		often := wrongForm
		often.Count = 900
		run := reportOf(failingRow(row, often), passingRow("2.1/Id"))
		gate.Compare(reportOf(failingRow(row, wrongForm), passingRow("2.1/Id")), run, false)
		Expect(run.Verdict).To(Equal(ledger.Pass))
		Expect(run.Gate.Known).To(ConsistOf(entryOf(often)))
	})

	It("is inconclusive if nothing passes, known or not", func() {
		run := reportOf(inconclusiveRow(row, ledger.NoWitness))
		gate.Compare(reportOf(inconclusiveRow(row, ledger.NoWitness)), run, false)
		Expect(run.Verdict).To(Equal(ledger.Inconclusive))
	})

	It("stays an error", func() {
		run, cause := reportOf(passingRow(row)), "interrupted"
		run.Error = &cause
		gate.Compare(reportOf(passingRow(row)), run, false)
		Expect(run.Verdict).To(Equal(ledger.Fault))
	})
})

var _ = Describe("An open point that is compared with a baseline", func() {
	observed := func(v5, v6 string, compared bool) *report.Report {
		r := reportOf(passingRow("2.1/Id"))
		o := report.Observation{ID: "open/4.3/status", Operation: schemas.GetUserAuth, Compared: compared,
			Seen: report.Seen{schemas.V5: {Text: v5}, schemas.V6: {Text: v6}}}
		if v6 == "" {
			delete(o.Seen, schemas.V6)
		}
		r.Observations = []report.Observation{o}
		return r
	}
	change := func(v schemas.Version, was, is string) report.Changed {
		return report.Changed{ID: "open/4.3/status", Operation: schemas.GetUserAuth, Version: v, Was: was, Is: is}
	}

	DescribeTable("is listed if it changed", func(before, now *report.Report, expected ...report.Changed) {
		gate.Compare(before, now, false)
		Expect(now.Gate.Changed).To(ConsistOf(expected))
		Expect(now.Gate.ChangeFails).To(BeFalse())
		Expect(now.Verdict).To(Equal(ledger.Pass))
	},
		Entry("not", observed("200", "200", true), observed("200", "200", true)),
		Entry("in v5", observed("200", "200", true), observed("201", "200", true), change(schemas.V5, "200", "201")),
		Entry("in v6", observed("200", "200", true), observed("200", "202", true), change(schemas.V6, "200", "202")),
		Entry("in both", observed("200", "200", true), observed("201", "202", true), change(schemas.V5, "200", "201"),
			change(schemas.V6, "200", "202")),
		Entry("but not if it may change between two calls", observed("200", "200", false),
			observed("201", "200", false)),
		Entry("but not if it was not asked for now", observed("200", "200", true),
			observed(ledger.NotAsked, "200", true)),
		Entry("but not of a version that is not under test", observed("200", "200", true), observed("200", "", true)),
		Entry("but not of a version that was not under test", observed("200", "", true), observed("200", "202", true)),
		Entry("but not if the baseline does not have it", reportOf(passingRow("2.1/Id")), observed("200", "200", true)),
	)

	It("is compared by digest if the baseline keeps no more", func() {
		sum := sha256.Sum256([]byte("1 to 3: 1; 3"))
		digest := "sha256:" + hex.EncodeToString(sum[:])
		same := observed("1 to 3: 1; 3", "200", true)
		gate.Compare(observed(digest, "200", true), same, false)
		Expect(same.Gate.Changed).To(BeEmpty())
		other := observed("1 to 4: 1; 4", "200", true)
		gate.Compare(observed(digest, "200", true), other, false)
		Expect(other.Gate.Changed).To(ConsistOf(change(schemas.V5,
			"another value, which the baseline has as a digest only", "1 to 4: 1; 4")))
	})

	DescribeTable("of which values are hidden is listed if it changed, and with the same key also by its digests",
		func(was, is, keyWas, keyIs, shows string, listed bool) {
			before, now := observed(was, "200", true), observed(is, "200", true)
			before.Key, now.Key, now.Observations[0].Shows = keyWas, keyIs, shows
			gate.Compare(before, now, false)
			Expect(now.Gate.Changed).To(HaveLen(map[bool]int{true: 1}[listed]))
		},
		Entry("the same key", "Undocumented-0123456789ABCDEF", "Undocumented-FEDCBA9876543210", "k1", "k1", "", true),
		Entry("another key", "Undocumented-0123456789ABCDEF", "Undocumented-FEDCBA9876543210", "k1", "k2", "", false),
		Entry("another key, and no digest in it", "200", "201", "k1", "k2", "", true),
		Entry("another key, of a point that the baseline has as a digest", "200", "201", "k1", "k2", "values", false),
		Entry("no key before, of a point that the baseline has as a digest", "200", "201", "", "k2", "values", true),
	)

	It("fails the run if divergences fail", func() {
		now := observed("201", "200", true)
		gate.Compare(observed("200", "200", true), now, true)
		Expect(now.Gate.ChangeFails).To(BeTrue())
		Expect(now.Verdict).To(Equal(ledger.Fail))

		same := observed("200", "200", true)
		gate.Compare(observed("200", "200", true), same, true)
		Expect(same.Gate.ChangeFails).To(BeFalse())
		Expect(same.Verdict).To(Equal(ledger.Pass))
	})

	It("belongs to one operation", func() {
		now := observed("201", "201", true)
		now.Observations[0].Operation = schemas.FindByUserIDs
		gate.Compare(observed("200", "200", true), now, true)
		Expect(now.Gate.Changed).To(BeEmpty())
	})
})
