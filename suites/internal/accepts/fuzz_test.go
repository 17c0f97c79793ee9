package accepts_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// FuzzAccepts holds acceptance against the judge, with changed answers right and wrong. Whatever is accepted is a
// strict JSON text, served, without a finding, and not empty. The other way round, what is right is accepted unless it
// is hard, so that acceptance stays useful.
func FuzzAccepts(f *testing.F) {
	for i, a := range seedAnswers() {
		f.Add([]byte(a.body), a.op == schemas.GetUserAuth, a.userID, byte(i), uint16(13*i), uint16(i), []byte(`1`))
		f.Add([]byte(a.body), a.op == schemas.GetUserAuth, a.userID, byte(unchanged), uint16(0), uint16(0), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, body []byte, get bool, user string, kind byte, at, size uint16, with []byte) {
		a := answer{schemas.FindByUserIDs, user, changedBody(string(body), int(kind), int(at), int(size), string(with))}
		if get {
			a.op = schemas.GetUserAuth
		}
		checkBothJudges(t, a)
	})
}

// checkBothJudges judges an answer in both ways.
func checkBothJudges(t testing.TB, a answer) {
	accepted := a.accepted()
	judgement := a.judged(true)
	switch {
	case accepted && strictjson.Valid([]byte(a.body)) != nil:
		t.Fatalf("%q is accepted; strictjson says %v", a.body, strictjson.Valid([]byte(a.body)))
	case accepted && !isRight(judgement):
		t.Fatalf("%q is accepted for user %q; the judge finds %v, served: %v", a.body, a.userID, judgement.Rows,
			judgement.Answer.Served())
	case accepted && !isRight(a.judged(false)):
		t.Fatalf("%q is accepted for user %q; the judge finds it wrong for one who is not enrolled", a.body, a.userID)
	case accepted && isEmpty(judgement.Answer):
		t.Fatalf("%q is accepted; the judge reads neither a record nor an identifier", a.body)
	case !accepted && isRight(judgement) && !isEmpty(judgement.Answer) && len(a.body) <= maxBytes &&
		isEasy(judgement.Answer.Value, 0):
		t.Fatalf("%q is right for user %q and easy, and is not accepted", a.body, a.userID)
	}
}

// isEasy reports whether a value has nothing that is left to the judge for its size.
func isEasy(value any, depth int) bool {
	hard := func(inside any) bool { return !isEasy(inside, depth+1) }
	switch value := value.(type) {
	case json.Number:
		return depth <= maxDepth && len(value) <= maxNumber && !strings.ContainsAny(string(value), "eE")
	case []any:
		return depth <= maxDepth && !slices.ContainsFunc(value, hard)
	case map[string]any:
		return depth <= maxDepth && !slices.ContainsFunc(slices.Collect(maps.Values(value)), hard)
	}
	return depth <= maxDepth
}

// seedAnswers are answers right and wrong, plain and odd ones.
func seedAnswers() []answer {
	list := ofReference()
	one, other := list[0], list[2]
	for _, body := range []string{
		"[" + one.body + "]", "[ " + one.body + " ,\n" + `{"IsLocked":null,"Flags":1}` + " ]", "[" + one.body + "," +
			other.body + "]", one.body + one.body,
		`{"Flags":1,"x":[1.5,{"a":"b","c":[]},null]}`, `{"UserId":"` + one.userID + `","Device":{}}`,
		`{"Flags":1,"Flags":1}`,
		"\uFEFF{}", `{"\u0046lags":1}`, `[{}]`,
	} {
		list = append(list, answer{schemas.GetUserAuth, one.userID, body})
	}
	for _, body := range []string{``, `null`, `[]`, `{}`, `[null]`, `["` + guidA + `","` + guidB + `"]`, "[\n\"" +
		guidA +
		"\"\n]", `[[]]`} {
		list = append(list, getUserAuthAnswer(body), findByUserIDsAnswer(body))
	}
	list = append(list, answer{schemas.GetUserAuth, "é\"😀", `{"UserId":"\u00e9\"\ud83d\uDE00"}`},
		answer{schemas.GetUserAuth, "k", "{\"UserId\":\"\u212A\"}"},
		answer{schemas.GetUserAuth, "\xff", "{\"UserId\":\"\ufffd\"}"})
	for _, m := range exampleAnswers() {
		list = append(list, m.answer)
	}
	return list
}

// The alternatives to change an answer.
const (
	unchanged = iota
	replaceSpan
	removeSpan
	doubleSpan
	putToken
	putBytesForToken
	swapTokens
	putSpace
	putMember
	putInList
	alternatives
)

// oneToken finds the tokens of a JSON text; what lies between two of them is white space.
var oneToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[a-z]+|[\[\]{}:,]`)

// tokenStock are tokens to put in the place of others: right ones of each type and form, and nearly right ones.
func tokenStock() []string {
	return []string{
		`null`, `true`, `false`, `{}`, `[]`, `""`, `"x"`, `"é"`, `"\n"`, `"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"",
		"\"\t\"",
		`nul`, `True`, ``, `,`, `]`, `}`, `:`,
		`0`, `-0`, `1.0`, `-17`, `1.5`, `1e2`, `01`, `1.`, `.5`, `-`, manyNines(maxNumber), manyNines(maxNumber + 1),
		manyNines(maxNumber) + `.0`,
		`"` + guidA + `"`, `"` + guidB + `"`, `"{` + guidA + `}"`, `"` + guidA[1:] + `"`, `"` + guidA + `0"`,
		`"2024-02-29T23:59:59.000Z"`, `"2024-02-29T23:59:59.000+00:00"`, `"2024-02-29T23:59:59"`,
		`"2023-02-29T23:59:59.000Z"`, `"2024-02-29T23:59:59.0000Z"`,
		`"` + userID + `"`, `"U-1001"`, `"Id"`, `"Flags"`, `"Device"`, `"UserId"`, `"userId"`, `"\u0046lags"`,
		`{"Flags":1}`,
		`{"Device":{"Id":null}}`, `[{"Flags":1}]`,
		nestedArrays(maxDepth), nestedArrays(maxDepth + 1), `{` + manyIdentifiers(70) + `"Flags":1}`,
	}
}

// changedBody is a body changed in one of the ways. The numbers start again where they pass the end, so that any of
// them means something: bytes where a span is changed, and which token where one is.
func changedBody(body string, kind, at, size int, with string) string {
	kind %= alternatives
	if kind >= putToken {
		return changedTokens(body, kind, at, size, with)
	}
	at %= len(body) + 1
	size %= len(body) - at + 1
	before, span, after := body[:at], body[at:at+size], body[at+size:]
	switch kind {
	case replaceSpan:
		return before + with + after
	case removeSpan:
		return before + after
	case doubleSpan:
		return before + span + span + after
	}
	return body
}

func changedTokens(body string, kind, at, other int, with string) string {
	tokens := oneToken.FindAllStringIndex(body, -1)
	if len(tokens) == 0 {
		return body
	}
	first, second := tokens[at%len(tokens)], tokens[other%len(tokens)]
	token := tokenStock()[other%len(tokenStock())]
	switch kind {
	case putToken:
		return body[:first[0]] + token + body[first[1]:]
	case putBytesForToken:
		return body[:first[0]] + with + body[first[1]:]
	case swapTokens:
		if second[0] < first[0] {
			first, second = second, first
		}
		if first[0] != second[0] {
			return body[:first[0]] + body[second[0]:second[1]] + body[first[1]:second[0]] + body[first[0]:first[1]] +
				body[second[1]:]
		}
	case putSpace:
		return body[:first[0]] + "\n" + body[first[0]:first[1]] + " \t" + body[first[1]:]
	case putMember:
		if open := strings.LastIndexByte(body[:first[1]], '{') + 1; open > 0 {
			return body[:open] + string(testkit.Must(json.Marshal(with))) + `:` + token + `,` + body[open:]
		}
	case putInList:
		return `[` + body + `,` + token + `]`
	}
	return body
}
