package sweep_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

// entry is how a users file speaks of a user.
type entry string

const (
	enrolled   entry = "enrolled: true"
	unenrolled entry = "enrolled: false"
	unmarked   entry = "not marked"
)

func (e entry) mark() *bool {
	if e == unmarked {
		return nil
	}
	return enrolledMark(e == enrolled)
}

// resultCase is a case: what both versions answer, and what has to come of it.
type resultCase struct {
	op      schemas.Operation // getUserAuth where nothing is said
	who     entry
	v5, v6  replies
	changes []change

	outcome stats.Outcome
	reason  string
	found   []string
	verdict ledger.Verdict
	asked   string // "v5 v6" where nothing is said
}

// of gives the case for a user who is marked so.
func (r resultCase) of(who entry) resultCase {
	r.who = who
	return r
}

// expectLooks sweeps the subject and the witness, in either order: what comes of a user does not depend on who came
// before. The sweeps of all cases go side by side, since each of them waits for the disk.
func expectLooks(results ...resultCase) {
	GinkgoHelper()
	tries := make([]*try, 0, 2*len(results))
	for _, l := range results {
		for place := range 2 {
			tries = append(tries, l.try(place))
		}
	}
	sideBySide(len(tries), 16, func(i int) { tries[i].err = tries[i].sweep.Execute(tries[i].ctx) })
	for _, t := range tries {
		t.check()
	}
}

// try is a case, with the subject at one place of the population.
type try struct {
	resultCase
	ctx   context.Context
	place int
	stage *stage
	sweep *sweep.Sweep
	err   error
}

func (r resultCase) try(place int) *try {
	GinkgoHelper()
	if r.op == "" {
		r.op = schemas.GetUserAuth
	}
	if r.asked == "" {
		r.asked = "v5 v6"
	}
	s := &stage{op: r.op, v5: r.v5, v6: r.v6}
	population := []testUser{{ID: witnessID, UserID: witness}, {ID: witnessID, UserID: witness}}
	population[place] = testUser{ID: subjectID, UserID: subject, Enrolled: r.who.mark()}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	DeferCleanup(cancel)
	return &try{resultCase: r, ctx: ctx, place: place, stage: s, sweep: newSweep(s.serve(), population, r.changes...)}
}

func (t *try) check() {
	GinkgoHelper()
	out := leftoversOf(t.sweep, t.err)
	at := fmt.Sprintf("%s, subject number %d, v5 %v, v6 %v\n%s", t.who, t.place, t.v5, t.v6, out.text)
	Expect(t.stage.asked()).To(Equal(t.asked), at)
	Expect(out.found(int64(t.place), t.op)).To(ConsistOf(asAny(t.resultCase.found)...), at)
	want := map[stats.Outcome]int64{stats.Equal: 1}
	want[t.outcome]++
	Expect(out.counts(t.op)).To(Equal(want), at)
	grounds := out.Tally.Outcomes[t.op][t.outcome].Reasons()
	if t.reason == "" {
		Expect(grounds).To(BeEmpty(), at)
	} else {
		Expect(grounds).To(Equal([]stats.Reason{{Why: t.reason, Count: 1}}), at)
	}
	for _, other := range schemas.Operations() {
		if other != t.op {
			Expect(out.counts(other)).To(Equal(map[stats.Outcome]int64{stats.Equal: 2}), at)
			Expect(out.found(int64(t.place), other)).To(BeEmpty(), at)
		}
	}
	Expect(out.found(int64(1-t.place), t.op)).To(BeEmpty(), at)
	Expect(out.Verdict).To(Equal(t.verdict), at+out.Reason)
	Expect(out.Complete).To(BeTrue(), at)
}

func asAny(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}
