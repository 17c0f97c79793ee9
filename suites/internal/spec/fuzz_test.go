package spec_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/strictjson/plainjson"
)

// seedBodies are bodies that a target may answer, right and wrong ones.
func seedBodies() []string {
	list := []string{
		``, `null`, `[]`, `{}`, `[[]]`, three, "\uFEFF" + three, three + "junk", `{"Flags":1e400,"Device":{"Id":null}}`,
		`[{"Flags":1},{"Id":2}]`,
		`["` + guidA + `",1,null,{"Id":"` + guidB + `"}]`, `{"Device":{"Device":{}}}`, `{"Flags":1,"Flags":2}`,
		`{"a":"\ud800"}`, strings.Repeat(`[`, 600),
		`{"UserId":"` + userID + `","userid":1,"Device":[]}`, `[` + strings.Repeat(`"x",`, 300) + `0]`,
		`{"Description":"` +
			token + `","Flags":1,"ModeType":-0.0}`,
		`[` + three + `,17]`, `[{"Flags":1},"` + guidA + `"]`, `{"Flags":1e10001`, `{"Flags":1,"Flags":2`,
		`{"UserId":"U-1001"}`,
	}
	for _, m := range examples() {
		if !m.Valid {
			list = append(list, string(m.Body))
		}
	}
	return list
}

// FuzzMutatedAnswer holds the judge against a second one, whatever the answer: each finds the same requirements
// witnessed, and the same broken at the same places.
func FuzzMutatedAnswer(f *testing.F) {
	for _, r := range rightAnswers(f) {
		f.Add([]byte(r.body), r.probe.Operation == schemas.GetUserAuth, r.probe.User.UserID, true, 200)
	}
	for _, seed := range seedBodies() {
		f.Add([]byte(seed), true, userID, true, 200)
		f.Add([]byte(seed), false, userID, true, 200)
		f.Add([]byte(seed), true, userID, false, 200)
	}
	f.Add([]byte(recordWith()), false, userID, true, 404)
	j, s := newJudge(), newSecond(f)
	f.Fuzz(func(t *testing.T, body []byte, get bool, user string, enrolled bool, status int) {
		if !utf8.ValidString(user) {
			return // a users file is UTF-8
		}
		p := wellFormedProbe(schemas.FindByUserIDs)
		if get {
			p.Operation = schemas.GetUserAuth
		}
		p.User.UserID, p.User.Enrolled = user, enrolled
		expectAgreement(t, j, s, answeredExchange(p, status, string(body)))
	})
}

// FuzzNearAnswer does the same with one change of a right answer: of bytes, or of a token.
func FuzzNearAnswer(f *testing.F) {
	list := rightAnswers(f)
	for which := range list {
		f.Add(uint(which), byte(which), uint16(17*which), uint16(which), []byte(`1`))
	}
	for kind := range byte(kinds) {
		f.Add(uint(0), kind, uint16(40), uint16(20), []byte(`"x"`))
		f.Add(uint(1), kind, uint16(1), uint16(3), []byte("\xff"))
	}
	j, s := newJudge(), newSecond(f)
	f.Fuzz(func(t *testing.T, which uint, kind byte, at, size uint16, with []byte) {
		r := list[which%uint(len(list))]
		r.body = changedAnswer(r.body, int(kind), int(at), int(size), string(with))
		expectAgreement(t, j, s, r.exchange())
	})
}

// expectAgreement judges an exchange twice, by two judges who must say the same.
func expectAgreement(t testing.TB, j judge, s *second, ex *exchange.Exchange) {
	result := j.WellFormed(ex)
	checkInvariants(t, result)
	if again := j.Again(result, ex); len(again.Rows) != len(result.Rows) || len(again.Facts) != len(result.Facts) {
		t.Fatalf("Again says %v, WellFormed %v", again, result)
	}
	second := s.judge(ex)
	if second.open {
		return
	}
	if served := result.Rows["4/"+string(ex.Probe.Operation)+"/served"]; second.kinds != nil && served != nil &&
		!slices.Contains(second.kinds, served.Findings[0].Kind) {
		t.Fatalf("%q was not served for its %s; the second judge says one of %v", ex.Body, served.Findings[0].Kind,
			second.kinds)
	}
	for id := range result.Rows {
		second.row(id) // so that what only the first judge speaks of is looked at too
	}
	for id, want := range second.rows {
		got := cmp.Or(result.Rows[id], &check.Outcome{})
		var pointers []string
		for _, f := range got.Findings {
			if second.kinds != nil {
				f.Pointer = "" // where reading ended, one reader may tell more closely than another
			}
			pointers = append(pointers, f.Pointer)
		}
		if got.Witnesses != want.witnesses || got.Count != len(want.findings) ||
			!slices.Equal(pointers, want.findings[:len(pointers)]) {
			t.Fatalf("%s of %q: %d witnesses and %d findings at %q; the second judge says %d witnesses and "+
				"findings at %q",
				id, ex.Body, got.Witnesses, got.Count, pointers, want.witnesses, want.findings)
		}
	}
}

// FuzzAltered holds that a request which must not be served is either refused or served, never both; that where a
// second reader can read the answer it is served exactly where a record or GUIDs stand in it, and refused past a bound;
// and that what was served to a well-formed request and tells something is never called a refusal.
func FuzzAltered(f *testing.F) {
	for _, seed := range seedBodies() {
		f.Add([]byte(seed), 400, byte(0))
		f.Add([]byte(seed), 200, byte(3))
	}
	for i, r := range rightAnswers(f) {
		f.Add([]byte(r.body), 200, byte(i))
	}
	j, s := newJudge(), newSecond(f)
	mutations := []exchange.Kind{exchange.Absent, exchange.Null, exchange.EmptyToken, exchange.RandomToken,
		exchange.ChangedToken}
	f.Fuzz(func(t *testing.T, body []byte, status int, which byte) {
		value, err := plainjson.Decode(body)
		for _, op := range schemas.Operations() {
			p := mutatedProbe(op, mutations[int(which)%len(mutations)], exchange.AccessToken)
			result := j.Mutated(answeredExchange(p, status, string(body)))
			checkInvariants(t, result)
			var row *check.Outcome
			for _, of := range result.Rows {
				row = of
			}
			if len(result.Rows) != 1 || row == nil || row.Witnesses+row.Count != 1 {
				t.Fatalf("%s: neither refused nor served, or both: %v", p.Name(), result.Rows)
			}
			if err == nil && s.discloses(value) != (row.Count == 1) || err == plainjson.ErrBound && row.Count == 1 {
				t.Fatalf("%s: %q is served %d times; a second reader says %v %v", p.Name(), body, row.Count, value, err)
			}
			if j.WellFormed(answeredExchange(wellFormedProbe(op), 200, string(body))).Answer.DisclosesData() &&
				row.Count == 0 {
				t.Fatalf("%q tells something where it is served, and is called a refusal", body)
			}
		}
	})
}
