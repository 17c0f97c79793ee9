package sweep_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"authenticator-conformance/fixtures/messages"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// FuzzPair holds what a sweep makes of two answers against what the judge and the comparison of a run say of them: it
// is faster, and never of another opinion.
func FuzzPair(f *testing.F) {
	all, err := messages.All()
	if err != nil {
		f.Fatal(err)
	}
	base := map[string][]byte{}
	for _, m := range all {
		if m.Schema != "authenticator.schema.json" && m.Schema != "guid-array.schema.json" {
			continue
		}
		if base[m.Schema] == nil {
			base[m.Schema] = m.Body
		}
		ofRecords := m.Schema == "authenticator.schema.json"
		f.Add(m.Body, m.Body, byte(0), ofRecords)
		f.Add(m.Body, append([]byte(" "), m.Body...), byte(1), ofRecords)
		f.Add(base[m.Schema], m.Body, byte(2), ofRecords)
		f.Add(m.Body, base[m.Schema], byte(0), ofRecords)
	}
	for i, text := range append(emptyAnswers(), "{", `{"Id":null}`, `["x"]`, `[{"Flags":1},{"Flags":1.0}]`, aRecord,
		identifiers) {
		for _, other := range []string{"", "[]", "null", "{}", aRecord, identifiers} {
			f.Add([]byte(text), []byte(other), byte(i), true)
			f.Add([]byte(other), []byte(text), byte(i+1), false)
		}
	}
	check, run := checkerWith(), testkit.Suite()
	f.Fuzz(func(t *testing.T, v5, v6 []byte, mark byte, ofRecords bool) {
		op := schemas.FindByUserIDs
		if ofRecords {
			op = schemas.GetUserAuth
		}
		u := users.Row{User: exchange.User{ID: subjectID, UserID: ownerIn(v5), Enrolled: mark%3 != 1},
			EnrolledGiven: mark%3 != 0}
		holdsFor(t, check, run, u, op, v5, v6)
	})
}

// holdsFor holds a sweep against a run for two answers.
func holdsFor(t *testing.T, check *sweep.Sweep, run *spec.Suite, u users.Row, op schemas.Operation,
	v5, v6 []byte) {
	bodies, looks := map[schemas.Version][]byte{schemas.V5: v5, schemas.V6: v6}, [2]stats.Result{}
	for i, witnessed := range []bool{false, true} {
		var err error
		looks[i], _, err = check.CheckUser(u, op, witnessed, func(p exchange.Probe) *exchange.Exchange {
			return &exchange.Exchange{Status: http.StatusOK, Header: http.Header{}, Body: bodies[p.Version]}
		})
		if err != nil {
			t.Fatal(err)
		}
		looks[i].Witnessed = false // of which one is enough
	}
	look := looks[0]
	if !reflect.DeepEqual(look, looks[1]) {
		t.Fatalf("by the judge it is %+v, by the fast path %+v", look, looks[1])
	}
	of, to := answerOf(u.User, op, schemas.V5, v5), answerOf(u.User, op, schemas.V6, v6)
	nothing := !u.EnrolledGiven && run.SaysNothing(of) && run.SaysNothing(to)
	left, right := judgeAnswer(run, u, of), judgeAnswer(run, u, to)
	expectAgreement(t, u, look, isBroken(left) || isBroken(right), !nothing && isDifferent(op, left, right))
}

// expectAgreement holds a look against the opinion of a run: whether an answer breaks the contract, and whether the two
// differ.
func expectAgreement(t *testing.T, u users.Row, look stats.Result, breaks, differ bool) {
	none := u.EnrolledGiven && !u.Enrolled
	violations, differences := 0, 0
	for _, f := range look.Findings {
		switch {
		case f.Open():
		case f.Version == schemas.Parity:
			differences++
		default:
			violations++
		}
	}
	fail := func(reason string) {
		t.Helper()
		t.Fatalf("%s: %+v (breaks %t, differ %t, user %+v)", reason, look, breaks, differ, u)
	}
	if (differences > 0) != (look.Outcome == stats.Different) {
		fail("a difference is reported if and only if that is the outcome")
	}
	if violations > 0 && !breaks {
		fail("a breach that a run does not find")
	}
	if breaks && violations == 0 {
		fail("a breach that a sweep does not find")
	}
	switch look.Outcome {
	case stats.Equal:
		if breaks || differ {
			fail("equal, although it is not")
		}
	case stats.Different:
		if !differ {
			fail("different, although it is not")
		}
	case stats.BothViolate:
		if !breaks || differ {
			fail("alike in breaking the contract, although it is not")
		}
	case stats.NothingAlike:
		if breaks || differ && !none {
			fail("alike in saying nothing, although it is not")
		}
	case stats.EqualUnderRule:
		if breaks || !none {
			fail("set aside by a rule, where there is none")
		}
	case stats.NotComparable:
	default:
		fail("an outcome that answers which stand still can't have")
	}
	if differ && !none && look.Outcome != stats.Different {
		fail("a difference is not reported")
	}
}

// ownerIn is a user whom an answer may speak of: J12 would find most pairs wrong for any other.
func ownerIn(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"UserId":"`)
	if owner, _, ok := strings.Cut(rest, `"`); ok && owner != "" && !strings.Contains(owner, `\`) {
		return owner
	}
	return subject
}

// answerOf is the answer with a body to the well-formed request for a user.
func answerOf(user exchange.User, op schemas.Operation, v schemas.Version, body []byte) *exchange.Exchange {
	return &exchange.Exchange{
		Probe:  exchange.Probe{ID: "e1", Operation: op, Version: v, Segment: string(v), User: user, Round: 1},
		Status: http.StatusOK, Header: http.Header{}, Body: body,
	}
}

// judgeAnswer is what a run finds. Of a user of whom nothing is known an answer that says nothing is judged as of one
// who is not enrolled.
func judgeAnswer(j *spec.Suite, u users.Row, ex *exchange.Exchange) *spec.Judgement {
	if !u.EnrolledGiven && j.SaysNothing(ex) {
		ex.Probe.User.Enrolled = false
	}
	return j.Judge(ex)
}

func isBroken(j *spec.Judgement) bool {
	for _, row := range j.Rows {
		if row.Count > 0 {
			return true
		}
	}
	return false
}

func isDifferent(op schemas.Operation, left, right *spec.Judgement) bool {
	callOf := func(v schemas.Version, j *spec.Judgement) parity.Call {
		if !j.Answer.Served() {
			return parity.Call{Version: v}
		}
		return parity.Call{Version: v, Served: true, Value: j.Answer.Value}
	}
	return !parity.Rule{}.Conclude(parity.Lookup{Operation: op, Pair: schemas.Pair{From: schemas.V5, To: schemas.V6},
		Calls: []parity.Call{callOf(schemas.V5, left), callOf(schemas.V6, right)}}).StandsStill()
}
