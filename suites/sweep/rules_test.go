package sweep_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
)

func hasWords(text string, words ...string) {
	GinkgoHelper()
	for _, w := range words {
		Expect(text).To(ContainSubstring(w))
	}
}

var _ = Describe("A difference that a rule sets aside", func() {
	store := recordWith("desk", "shelf")
	DescribeTable("is reported, with the rule", func(v5, v6, reason string, changes ...change) {
		l := resultCase{v5: alwaysReply(okReply(v5)), v6: alwaysReply(okReply(v6)), outcome: stats.EqualUnderRule,
			reason:  reason,
			verdict: ledger.Pass, changes: changes}
		expectLooks(l.of(unmarked), l.of(enrolled))
	},
		Entry("at an ignored place", record, store, "parity.ignore /Description", ignorePlaces("/Description")),
		Entry("below an ignored place", recordWith("}", `,"Device":{"Comment":"a"}}`),
			recordWith("}", `,"Device":{"Comment":"b"}}`), "parity.ignore /Device", ignorePlaces("/Device")),
		Entry("at two ignored places", record, recordWith(`false,"CreatedOn":"2024`, `true,"CreatedOn":"2028`),
			"parity.ignore /CreatedOn, parity.ignore /IsLocked", ignorePlaces("/IsLocked", "/CreatedOn")),
		Entry("in each record of a list", "["+record+"]", "["+store+"]", "parity.ignore /*/Description",
			ignorePlaces("/*/Description")),
		Entry("where only shapes are compared", record, store, "parity: shape", onlyShape()),
		Entry("by both", record, recordWith(`"Description":"desk"`, `"Description":"shelf","Extra":1`),
			"parity.ignore /Extra, parity: shape", onlyShape(), ignorePlaces("/Extra")),
	)

	DescribeTable("is a difference all the same", func(v6 string, found string, changes ...change) {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(okReply(v6)), outcome: stats.Different,
			found:   []string{found},
			verdict: ledger.Fail, asked: fiveCall, changes: changes}
		expectLooks(l.of(unmarked))
	},
		Entry("at another place", store, ofValues+"value at /Description",
			ignorePlaces("/description", "/Device/Description", "/0/Description", "/*/Description")),
		Entry("of shape, where only shapes are compared", recordWith(`"desk"`, "null"), ofShape+"type at /Description",
			onlyShape()),
		Entry("above an ignored place", "["+record+"]", ofShape+"type at", ignorePlaces("/Description",
			"/*/Description")),
		Entry("where what is ignored is ignored no longer", store, ofValues+"value at /Description",
			withSettings(func(s *settings.Settings) {
				s.Ignore = []settings.Ignore{{Pointer: "/Description", Reason: "known",
					Until: time.Now().UTC().AddDate(0, 0, -2), Where: "conformance.yaml:1"}}
			})),
	)

	It("does not hide a broken contract there", func() {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(okReply(recordWith("999Z", "99Z"))),
			outcome: stats.EqualUnderRule,
			reason:  "parity.ignore /CreatedOn", verdict: ledger.Fail,
			found:   []string{"v6 2.1/CreatedOn: not in its form at /CreatedOn"},
			changes: []change{ignorePlaces("/CreatedOn")}}
		expectLooks(l.of(unmarked))
	})
})

var _ = Describe("A waiver", func() {
	values, served := "9.3/getUserAuth/values", "4/getUserAuth/served"
	store := alwaysReply(okReply(recordWith("desk", "shelf")))
	DescribeTable("sets a difference aside", func(found string, verdict ledger.Verdict, changes ...change) {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: store, outcome: stats.Different, found: []string{found},
			verdict: verdict, asked: fiveCall, changes: changes}
		expectLooks(l.of(unmarked))
	},
		Entry("of both versions", ofValues+"value at /Description (waived)", ledger.Pass,
			waiveUntil(values, "", 1, settings.WaiveFail)),
		Entry("on its last day", ofValues+"value at /Description (waived)", ledger.Pass,
			waiveUntil(values, "", 0, settings.WaiveFail)),
		Entry("but not past its date", ofValues+"value at /Description", ledger.Fail,
			waiveUntil(values, "", -1, settings.WaiveFail)),
		Entry("but not of another requirement", ofValues+"value at /Description", ledger.Fail,
			waiveUntil("9.3/getUserAuth/shape", "", 1, settings.WaiveFail)),
		Entry("but not of another version", ofValues+"value at /Description", ledger.Fail,
			waiveUntil(values, schemas.V6, 1, settings.WaiveFail)),
		Entry("but not where it covers what is inconclusive", ofValues+"value at /Description", ledger.Fail,
			waiveUntil(values, "", 1, settings.WaiveInconclusive)),
	)

	DescribeTable("sets a broken contract aside", func(v5, v6 string, verdict ledger.Verdict, changes ...change) {
		no := alwaysReply(statusReply(500))
		l := resultCase{v5: no, v6: no, outcome: stats.BothViolate,
			found:   []string{"v5 4/getUserAuth/served: status at" + v5, "v6 4/getUserAuth/served: status at" + v6},
			verdict: verdict, changes: changes}
		expectLooks(l.of(unmarked))
	},
		Entry("of both versions", " (waived)", " (waived)", ledger.Pass, waiveUntil(served, "", 1, settings.WaiveFail)),
		Entry("of one version", " (waived)", "", ledger.Fail, waiveUntil(served, schemas.V5, 1, settings.WaiveFail)),
	)

	It("is named in the notes if it has ended", func() {
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(okReply(record)), v6: alwaysReply(okReply(record))}
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}},
			waiveUntil(values, "", -1, settings.WaiveFail), waiveUntil(served, "", 1, settings.WaiveFail))
		Expect(out.Verdict).To(Equal(ledger.Pass))
		Expect(out.Notes).To(HaveExactElements(And(ContainSubstring(values), ContainSubstring("no longer holds"))))
	})
})

var _ = Describe("A broken contract", func() {
	DescribeTable("is found in each version that breaks it",
		func(op schemas.Operation, v5, v6 string, outcome stats.Outcome, asked string, found ...string) {
			l := resultCase{op: op, v5: alwaysReply(okReply(v5)), v6: alwaysReply(okReply(v6)), outcome: outcome,
				found:   found,
				verdict: ledger.Fail, asked: asked}
			expectLooks(l.of(unmarked), l.of(enrolled))
		},
		Entry("alike, to the byte", schemas.GetUserAuth, recordWith("999Z", "99Z"), recordWith("999Z", "99Z"),
			stats.BothViolate,
			"v5 v6",
			"v5 2.1/CreatedOn: not in its form at /CreatedOn", "v6 2.1/CreatedOn: not in its form at /CreatedOn"),
		Entry("alike, in other words", schemas.GetUserAuth, recordWith("999Z", "99Z"), " "+recordWith("999Z", "99Z"),
			stats.BothViolate, "v5 v6", "v5 2.1/CreatedOn: not in its form at /CreatedOn",
			"v6 2.1/CreatedOn: not in its form at /CreatedOn"),
		Entry("otherwise in each", schemas.GetUserAuth, recordWith("999Z", "99Z"), recordWith("999Z", "9Z"),
			stats.Different, fiveCall, "v5 2.1/CreatedOn: not in its form at /CreatedOn",
			"v6 2.1/CreatedOn: not in its form at /CreatedOn", ofValues+"value at /CreatedOn"),
		Entry("in v6 alone", schemas.GetUserAuth, record, recordWith("999Z", "99Z"), stats.Different, fiveCall,
			"v6 2.1/CreatedOn: not in its form at /CreatedOn", ofValues+"value at /CreatedOn"),
		Entry("in v5 alone, by a member that stands twice", schemas.GetUserAuth, recordWith("}",
			`,"Flags":1,"Flags":1}`),
			recordWith("}", `,"Flags":1}`), stats.Different, fiveCall,
			"v5 4/getUserAuth/served: duplicate-member at /Flags", ofShape+"served against refused at"),
		Entry("by an identifier, in both", schemas.FindByUserIDs, `["x"]`, `["x"]`, stats.BothViolate, "v5 v6",
			"v5 2.3/identifiers: not in its form at /0", "v6 2.3/identifiers: not in its form at /0"),
	)

	It("is a record with a status that serves nothing, in both, also once somebody was served", func() {
		l := resultCase{v5: alwaysReply(statusReply(500, record)), v6: alwaysReply(statusReply(500, record)),
			outcome: stats.BothViolate,
			verdict: ledger.Fail,
			found:   []string{"v5 4/getUserAuth/served: status at", "v6 4/getUserAuth/served: status at"}}
		expectLooks(l.of(unmarked), l.of(enrolled))
	})
})
