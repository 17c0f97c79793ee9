package spec_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/internal/testkit/plainjson"
)

// FuzzAnswer judges answers to well-formed requests, changed in one way, by the judge, by a second one, and by the
// quick acceptance. All agree, whatever the answer.
func FuzzAnswer(f *testing.F) {
	add := func(a answer, kind, at, other int) {
		f.Add([]byte(a.body), a.op == schemas.GetUserAuth, a.userID, !a.notEnrolled, 200, byte(kind), uint16(at),
			uint16(other), []byte(`1`))
	}
	for i, a := range slices.Concat(rightAnswers(), tableAnswers("accepted"), tableAnswers("wrong")) {
		add(a, unchanged, 0, 0)
		add(a, i, 17*i, i)
	}
	for _, a := range oddAnswers() {
		add(a, unchanged, 0, 0)
	}
	f.Add([]byte(recordWith()), false, userID, true, 404, byte(unchanged), uint16(0), uint16(0), []byte(nil))
	f.Fuzz(func(t *testing.T, body []byte, get bool, user string, enrolled bool, status int, kind byte, at, size uint16,
		with []byte) {
		if !utf8.ValidString(user) {
			return // a users file is UTF-8
		}
		a := answer{schemas.FindByUserIDs, user, changedBody(string(body), int(kind), int(at), int(size), string(with)),
			!enrolled}
		if get {
			a.op = schemas.GetUserAuth
		}
		ex := a.newExchange()
		ex.Status = status
		expectAgreement(t, ex)
	})
}

// expectAgreement judges an exchange in three ways, which must agree.
func expectAgreement(t testing.TB, ex *exchange.Exchange) {
	t.Helper()
	result := testkit.Suite().Judge(ex)
	checkInvariants(t, result)
	again := result.Again(testkit.Suite(), ex)
	if len(again.Rows) != len(result.Rows) || len(again.Facts) != len(result.Facts) {
		t.Fatalf("Again says %v, Judge %v", again, result)
	}
	if ex.Status == 200 {
		checkAcceptance(t, result)
	}
	other := secondJudge().judgeAnswer(ex)
	if other.open {
		return
	}
	if served := result.Rows["4/"+string(ex.Probe.Operation)+"/served"]; other.kinds != nil && served != nil &&
		!slices.Contains(other.kinds, served.Findings[0].Kind) {
		t.Fatalf("%q was not served for its %s; the second judge says one of %v", ex.Body, served.Findings[0].Kind,
			other.kinds)
	}
	for id := range result.Rows {
		other.rowOf(id) // so that what only the first judge speaks of is looked at too
	}
	for id, want := range other.rows {
		got := cmp.Or(result.Rows[id], &check.Outcome{})
		var pointers []string
		for _, f := range got.Findings {
			if other.kinds != nil {
				f.Pointer = "" // where reading ended, one reader may tell more closely than another
			}
			pointers = append(pointers, f.Pointer)
		}
		if got.Witnesses != want.witnesses || got.Count != len(want.findings) ||
			!slices.Equal(pointers, want.findings[:len(pointers)]) {
			t.Fatalf("%s of %q: %d witnesses and %d findings at %q; the second judge says %d and findings at %q",
				id, ex.Body, got.Witnesses, got.Count, pointers, want.witnesses, want.findings)
		}
	}
}

// checkAcceptance compares a judgement with acceptance: what is accepted is right and not empty, and what is right is
// accepted, if it is within the bounds of acceptance.
func checkAcceptance(t testing.TB, j *spec.Judgement) {
	t.Helper()
	ex := j.Answer.Exchange
	right := j.Answer.Served() && j.Answer.Count > 0
	for _, row := range j.Rows {
		right = right && row.Count == 0
	}
	accepted := accepts(ex)
	if ex.Probe.User.Enrolled && accepted != right && (accepted || isEasy(j.Answer.Value, 0)) {
		t.Fatalf("%q is accepted for user %q: %v; the judge finds %v", ex.Body, ex.Probe.User.UserID, accepted, j.Rows)
	}
}

// isEasy reports whether a value is within the bounds of acceptance: its depth, and the numbers in it.
func isEasy(value any, depth int) bool {
	isHard := func(inside any) bool { return !isEasy(inside, depth+1) }
	switch value := value.(type) {
	case json.Number:
		return depth <= 16 && len(value) <= 32 && !strings.ContainsAny(string(value), "eE")
	case []any:
		return depth <= 16 && !slices.ContainsFunc(value, isHard)
	case map[string]any:
		return depth <= 16 && !slices.ContainsFunc(slices.Collect(maps.Values(value)), isHard)
	}
	return depth <= 16
}

// accepts reports whether the body of an answer is accepted quickly.
func accepts(ex *exchange.Exchange) bool {
	return testkit.Contract().AcceptsAnswer(ex.Probe.Operation, ex.Probe.User.UserID, ex.Body)
}

// checkInvariants holds what every judgement must keep: findings within their limit and counted, in rows of their kind,
// and texts that can be shown.
func checkInvariants(t testing.TB, result *spec.Judgement) {
	t.Helper()
	for id, row := range result.Rows {
		causes := 0
		for _, c := range row.Causes {
			causes += c.Count
		}
		requirement, _ := testkit.Contract().Requirement(id)
		if requirement.Kind != schemas.Documented || len(row.Findings) != min(row.Count, check.MaxFindings) ||
			causes != row.Count {
			t.Fatalf("%s: %d findings kept of %d with %d causes", id, len(row.Findings), row.Count, causes)
		}
		for _, finding := range row.Findings {
			texts := []string{finding.Kind, expectedText(finding), actualText(finding)}
			if slices.Contains(texts, "") || slices.ContainsFunc(texts, isUnsafe) {
				t.Fatalf("%s: a finding without words, or that can't be shown: %q", id, texts)
			}
		}
	}
	if slices.ContainsFunc(notesOf(result), isUnsafe) {
		t.Fatalf("a note can't be shown: %q", notesOf(result))
	}
	facts := maps.Clone(result.Facts)
	maps.Copy(facts, result.Shared)
	for fact := range facts {
		requirement, _ := testkit.Contract().Requirement(fact.ID)
		if text := check.Text(fact.Seen, (*sanitize.Output)(nil)); requirement.Kind != schemas.Open || isUnsafe(text) {
			t.Fatalf("%s is no open point, or shows %q", fact.ID, text)
		}
	}
}

// isUnsafe reports whether a text has a character that does something to a terminal or to the order of a line.
func isUnsafe(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u202e'
	})
}

// FuzzAltered holds that a request which must not be served is either refused or served, never both; that if a second
// reader can read the answer it is served exactly if a record or GUIDs stand in it, and refused past a limit; and that
// what was served to a well-formed request and tells something is never called a refusal.
func FuzzAltered(f *testing.F) {
	for i, a := range append(rightAnswers(), oddAnswers()...) {
		f.Add([]byte(a.body), 200, byte(i))
		f.Add([]byte(a.body), 400, byte(0))
	}
	s := secondJudge()
	mutations := []exchange.Kind{exchange.Absent, exchange.Null, exchange.EmptyToken, exchange.RandomToken,
		exchange.ChangedToken}
	f.Fuzz(func(t *testing.T, body []byte, status int, which byte) {
		value, err := plainjson.Decode(body)
		for _, op := range schemas.Operations() {
			p := wellFormedProbe(op)
			p.Kind, p.Field = mutations[int(which)%len(mutations)], exchange.AccessToken
			result := testkit.Suite().Judge(answeredExchange(p, status, string(body)))
			checkInvariants(t, result)
			rows := slices.Collect(maps.Values(result.Rows))
			if len(rows) != 1 || rows[0].Witnesses+rows[0].Count != 1 {
				t.Fatalf("%s: neither refused nor served, or both: %v", p.Name(), result.Rows)
			}
			served := rows[0].Count == 1
			if err == nil && s.disclosesData(value) != served || err == plainjson.ErrBound && served {
				t.Fatalf("%s: %q is served: %v; a second reader says %v %v", p.Name(), body, served, value, err)
			}
			wellFormed := answer{op: op, userID: userID, body: string(body)}.newExchange()
			if testkit.Suite().Judge(wellFormed).Answer.DisclosesData() && !served {
				t.Fatalf("%q tells something if it is served, and is called a refusal", body)
			}
		}
	})
}

// Small changes of a right record and a right list, so that each of them is made in every test run.
var _ = Describe("The judge, the second judge and acceptance agree", func() {
	It("whatever token is in the place of another, or before it, and whatever byte is another, or missing",
		func() {
			const bytes = "\x00\n \"\\09.e-,:]}{[a\x7f\x80\xc3"
			for _, a := range []answer{rightAnswers()[0],
				{op: schemas.FindByUserIDs, userID: userID, body: `["` + guidA + `","` + guidB + `"]`}} {
				body := a.body
				expectAgreed := func(changed string) {
					a.body = changed
					expectAgreement(GinkgoTB(), a.newExchange())
				}
				for at := range oneToken.FindAllStringIndex(body, -1) {
					for other := at % 8; other < len(tokenStock); other += 8 {
						expectAgreed(changedBody(body, putToken, at, other, "x"))
						expectAgreed(changedBody(body, putMember, at, other, "x"))
					}
				}
				for at := range len(body) {
					expectAgreed(body[:at] + bytes[at%len(bytes):][:1] + body[at+1:])
					expectAgreed(body[:at] + body[at+1:])
				}
			}
		})

	It("on each answer of the reference to its users", func() {
		for _, a := range rightAnswers() {
			expectAgreement(GinkgoTB(), a.newExchange())
		}
	})

	It("on answers of which it is known whether they are right", func() {
		for name, right := range map[string]bool{"accepted": true, "wrong": false} {
			for _, a := range tableAnswers(name) {
				expectAgreement(GinkgoTB(), a.newExchange())
				Expect(accepts(a.newExchange())).To(Equal(right), a.body)
			}
		}
	})
})
