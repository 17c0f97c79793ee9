package sweep_test

import (
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
)

// closesConnection closes the connection after a status line, so that nobody takes it for a kept connection that was
// closed.
func closesConnection() reply {
	return reply{act: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
}

// breaksOff ends in the middle of a body.
func breaksOff() reply {
	return reply{act: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, record) // a client that went away has no use for the error
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}}
}

// neverAnswers answers nothing until the client goes.
func neverAnswers() reply {
	return reply{act: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server sees that its client went only when it waits to read
		<-r.Context().Done()
	}}
}

var _ = Describe("A request that brings no answer", func() {
	const open = "v5=v6 : not-comparable at"
	// The cases go side by side, for those of a silent target wait for the deadline.
	It("leaves the user not comparable if none comes at the end of the sweep either", func() {
		impatient := withSettings(func(s *settings.Settings) { s.Timeout = time.Second })
		var results []resultCase
		leaves := func(v5, v6 replies, reason, asked string, verdict ledger.Verdict, found ...string) {
			l := resultCase{v5: v5, v6: v6, outcome: stats.NotComparable, reason: reason, found: append(found, open),
				verdict: verdict, asked: asked, changes: []change{impatient}}
			results = append(results, l.of(unmarked), l.of(enrolled))
		}
		const twice = "v5 v6 v5 v6" // the second time at the end of the sweep
		served, nothing, off, late := okReply(record), okReply("[]"), breaksOff(), neverAnswers()
		leaves(alwaysReply(off), alwaysReply(served), "transport of v5", twice, ledger.Inconclusive)
		leaves(alwaysReply(served), alwaysReply(off), "transport of v6", twice, ledger.Inconclusive)
		leaves(alwaysReply(served), alwaysReply(late), "timeout of v6", twice, ledger.Inconclusive)
		leaves(alwaysReply(late), alwaysReply(off), "timeout of v5, transport of v6", twice, ledger.Inconclusive)
		leaves(alwaysReply(off), alwaysReply(nothing), "transport of v5", twice, ledger.Inconclusive)
		// The other broke the contract all the same.
		leaves(alwaysReply(okReply("{")), alwaysReply(late), "timeout of v6", "v5 v6", ledger.Fail,
			"v5 4/getUserAuth/served: syntax at")
		// When it was read again, in any of the calls.
		again := ", when it was read again"
		leaves(alwaysReply(served), replies{describedRecord("a"), off}, "transport of v6", "v5 v6 v5 v6 v5 v6",
			ledger.Inconclusive)
		leaves(replies{served, served, late}, alwaysReply(describedRecord("a")), "timeout of v5", fiveCall+" v5 v6",
			ledger.Inconclusive)
		leaves(countingRecords(0), replies{served, served, late}, "timeout of v6", fiveCall+" v6 v5 v6",
			ledger.Inconclusive)
		leaves(alwaysReply(served), replies{okReply(recordWith("999Z", "99Z")), off}, "transport of v6"+again,
			"v5 v6 v5 v6",
			ledger.Fail, "v6 2.1/CreatedOn: not in its form at /CreatedOn")
		expectLooks(results...)
	})

	It("leaves the user not comparable also if the other version says that there is nothing", func() {
		l := resultCase{v5: alwaysReply(statusReply(404)), v6: alwaysReply(breaksOff()), outcome: stats.NotComparable,
			reason: "transport of v6", found: []string{open}, verdict: ledger.Inconclusive, asked: "v5 v6 v5 v6"}
		expectLooks(l.of(unenrolled))
	})

	It("leaves the user not comparable also if the connection was closed without a word", func() {
		s := &stage{op: schemas.FindByUserIDs, v5: alwaysReply(closesConnection()),
			v6: alwaysReply(okReply(identifiers))}
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}, {ID: witnessID, UserID: witness}})
		Expect(out.counts(schemas.FindByUserIDs)).To(
			Equal(map[stats.Outcome]int64{stats.NotComparable: 1, stats.Equal: 1}))
		Expect(out.Tally.Outcomes[schemas.FindByUserIDs][stats.NotComparable].Why).To(
			HaveKeyWithValue("transport of v5", BeEquivalentTo(1)))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
	})
})

// paddedRecord is a record of about so many bytes.
func paddedRecord(bytes int) string {
	return recordWith("}", `,"Extra":"`+strings.Repeat("x", bytes)+`"}`)
}

var _ = Describe("A large answer", func() {
	const past = 17 << 20
	tooLarge := reply{act: func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<20))
		for range past >> 20 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}}
	bound := func(v schemas.Version) string { return string(v) + " 4/getUserAuth/served: bound at" }

	It("past the bound is a broken contract", func() {
		l := resultCase{v5: alwaysReply(tooLarge), v6: alwaysReply(tooLarge), outcome: stats.BothViolate,
			found: []string{bound(schemas.V5), bound(schemas.V6)}, verdict: ledger.Fail}
		expectLooks(l.of(unmarked))
	})

	It("past the bound in one version differs from what the other serves", func() {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(tooLarge), outcome: stats.Different,
			found: []string{bound(schemas.V6), ofShape + "served against refused at"}, verdict: ledger.Fail,
			asked: fiveCall}
		expectLooks(l.of(unmarked))
	})

	It("past the limit in one version can't be compared with an empty answer of the other", func() {
		l := resultCase{v5: alwaysReply(statusReply(404)), v6: alwaysReply(tooLarge), outcome: stats.NotComparable,
			found: []string{bound(schemas.V6), "v5=v6 : not-comparable at"}, verdict: ledger.Fail,
			reason: "one version breaks the contract, the other says that there is nothing"}
		expectLooks(l.of(unmarked))
	})

	It("within the bound is compared like any other, in both versions", func() {
		large := paddedRecord(3 << 20)
		same := resultCase{v5: alwaysReply(okReply(large)), v6: alwaysReply(okReply(large)), outcome: stats.Equal,
			verdict: ledger.Pass}
		spelt := resultCase{v5: alwaysReply(okReply(large)), v6: alwaysReply(okReply(large + " ")),
			outcome: stats.Equal,
			verdict: ledger.Pass}
		last := resultCase{v5: alwaysReply(okReply(large)), v6: alwaysReply(okReply(strings.TrimSuffix(large,
			`x"}`) + `y"}`)),
			outcome: stats.Different, verdict: ledger.Fail, asked: fiveCall,
			found: []string{ofValues + "value at /Extra"}}
		expectLooks(same.of(unmarked), spelt.of(unmarked), last.of(unmarked))
	})

	It("shows no more of itself than the bound of a value, and says how long it is", func() {
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(okReply(record)),
			v6: alwaysReply(okReply(paddedRecord(1 << 20)))}
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}})
		Expect(out.lines).To(HaveLen(1))
		Expect(len(out.text)).To(BeNumerically("<", 4000+64<<10))
		Expect(out.lines[0].Values[schemas.V6]).To(MatchRegexp(`characters[^x]*\)$`))
	})
})
