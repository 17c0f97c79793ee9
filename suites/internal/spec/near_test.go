package spec_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// rightAnswer is a right answer with the probe that it answers.
type rightAnswer struct {
	probe exchange.Probe
	body  string
}

func (r rightAnswer) exchange() *exchange.Exchange { return answeredExchange(r.probe, 200, r.body) }

// rightAnswers are the right answers of the reference, alone and in a list, and the valid example messages.
func rightAnswers(t testing.TB) []rightAnswer {
	records, err := fixtures.Records()
	if err != nil {
		t.Fatal(err)
	}
	var list []rightAnswer
	add := func(op schemas.Operation, userID string, body ...string) {
		p := wellFormedProbe(op)
		p.User.UserID = userID
		list = append(list, rightAnswer{p, strings.Join(body, "")})
	}
	for _, r := range records {
		identifiers, err := json.Marshal(r.Identifiers)
		if err != nil {
			t.Fatal(err)
		}
		add(schemas.GetUserAuth, r.UserID, string(r.Authenticator))
		add(schemas.FindByUserIDs, r.UserID, string(identifiers))
	}
	first := string(records[0].Authenticator)
	add(schemas.GetUserAuth, records[0].UserID, "[", first, ",\n",
		`{"IsLocked":null,"Flags":1,"ModeType":2,"CreatedBy":""}`, "]")
	for _, m := range examples() {
		switch {
		case !m.Valid || m.Name == "authenticator/valid/2.1-record-empty":
			// J1 requires a documented member, the schema does not.
		case m.Schema == "authenticator.schema.json":
			list = append(list, rightAnswer{probeFor(m.Body), string(m.Body)})
		case m.Schema == "device.schema.json":
			add(schemas.GetUserAuth, userID, recordWith("Device", string(m.Body)))
		case m.Schema == "guid-array.schema.json":
			add(schemas.FindByUserIDs, userID, string(m.Body))
		}
	}
	return list
}

// oneToken finds the tokens of a JSON text; what lies between two of them is white space.
var oneToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[a-z]+|[\[\]{}:,]`)

// tokenStock are tokens to put in the place of others: each JSON type, right and nearly right in each form of the
// contract.
func tokenStock() []string {
	return []string{
		`null`, `true`, `false`, `{}`, `[]`, `[null]`, `""`, `"true"`, `"1"`, `"x"`, `"\ud800"`, "\"\xff\"", "\"\x80\"",
		"\"\n\"", `NaN`, `True`, `'x'`, ``, `,`, `]`, `}`,
		`0`, `-0`, `1.0`, `3e2`, `1.5`, `15e-1`, `1e-10000`, `1e10000`, `1e10001`, `1e100000`, `01`, `+1`, `.5`, `1.`,
		strings.Repeat("9", 1000), strings.Repeat("9", 1001),
		`"3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13"`, `"{3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13}"`,
		`"3f0c2a9e6b1d4c579a410d8e5f7b2c13"`, `"3F0C2A9E-6B1D-4C57-9A41-0D8E5F7B2C1G"`,
		`"2024-02-29T23:59:59.000Z"`, `"2024-02-29T23:59:59.000+00:00"`, `"2024-02-29T23:59:59.000-00:00"`,
		`"2023-02-29T23:59:59.000Z"`, `"2024-02-29T24:00:00.000Z"`,
		`"2024-02-29T23:59:60.000Z"`, `"2024-02-29T23:59:59Z"`, `"2024-02-29T23:59:59,000Z"`,
		`"2024-02-29 23:59:59.000Z"`,
		`"2024-02-29t23:59:59.000z"`, `"2024-02-29"`, `"/Date(1704067200000)/"`,
		`"Id"`, `"Flags"`, `"Device"`, `"UserId"`, `"userId"`, `"\u0046lags"`, `{"Flags":1}`, `[{"Flags":1},1]`,
		strings.Repeat("[", 600),
	}
}

// The kinds of change that keep near to a right answer.
const (
	replaceSpan = iota
	insertBytes
	removeSpan
	doubleSpan
	swapSpans
	putToken
	putBytesForToken
	swapTokens
	kinds
)

// changedAnswer is a right answer with one change. The numbers count from the start again where they pass the end, so
// that any of them means something: at and size are bytes where a span is changed, and which token where one is.
func changedAnswer(body string, kind, at, size int, with string) string {
	if kind %= kinds; kind >= putToken {
		return changedToken(body, kind, at, size, with)
	}
	at %= len(body) + 1
	size %= len(body) - at + 1
	before, span, after := body[:at], body[at:at+size], body[at+size:]
	switch kind {
	case replaceSpan:
		return before + with + after
	case insertBytes:
		return before + with + span + after
	case removeSpan:
		return before + after
	case doubleSpan:
		return before + span + span + after
	default: // the span and as many bytes behind it
		size = min(size, len(after))
		return before + after[:size] + span + after[size:]
	}
}

func changedToken(body string, kind, at, other int, with string) string {
	tokens := oneToken.FindAllStringIndex(body, -1)
	if len(tokens) == 0 {
		return body
	}
	token := tokens[at%len(tokens)]
	switch kind {
	case putToken:
		list := tokenStock()
		with = list[other%len(list)]
	case swapTokens:
		otherToken := tokens[other%len(tokens)]
		if otherToken[0] < token[0] {
			token, otherToken = otherToken, token
		}
		if token[0] == otherToken[0] {
			return body
		}
		return body[:token[0]] + body[otherToken[0]:otherToken[1]] + body[token[1]:otherToken[0]] +
			body[token[0]:token[1]] + body[otherToken[1]:]
	}
	return body[:token[0]] + with + body[token[1]:]
}
