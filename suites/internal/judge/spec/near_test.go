package spec_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// answer is the answer to a well-formed request for a user.
type answer struct {
	op           schemas.Operation
	userID, body string
	notEnrolled  bool
}

func (a answer) newExchange() *exchange.Exchange {
	p := wellFormedProbe(a.op)
	p.User.UserID, p.User.Enrolled = a.userID, !a.notEnrolled
	return answeredExchange(p, 200, a.body)
}

// rightAnswers are the right answers of the reference, alone and in a list, and the valid example messages.
func rightAnswers() (list []answer) {
	records := mustHave(fixtures.Records())
	for _, r := range records {
		identifiers, _ := json.Marshal(r.Identifiers) // they are texts
		list = append(list, answer{op: schemas.GetUserAuth, userID: r.UserID, body: string(r.Authenticator)},
			answer{op: schemas.FindByUserIDs, userID: r.UserID, body: string(identifiers)})
	}
	more := answer{op: schemas.GetUserAuth, userID: records[0].UserID, body: "[" + string(records[0].Authenticator) +
		",\n" + `{"IsLocked":null,"Flags":1,"ModeType":2,"CreatedBy":""}]`}
	return append(append(list, more), exampleAnswers(true)...)
}

// exampleAnswers are the example messages that are answers or parts of one, valid or not.
func exampleAnswers(valid bool) (list []answer) {
	for _, m := range examples() {
		a := answer{op: schemas.GetUserAuth, userID: ownerOf(m.Body), body: string(m.Body)}
		switch {
		case m.Valid != valid || m.Name == "authenticator/valid/2.1-record-empty":
			continue // J1 requires a documented member, the schema does not
		case m.Schema == "device.schema.json":
			a.body = recordWith("Device", a.body)
		case m.Schema == "guid-array.schema.json":
			a.op = schemas.FindByUserIDs
		case m.Schema != "authenticator.schema.json":
			continue
		}
		list = append(list, a)
	}
	return list
}

// oddAnswers are answers that a target may give, most of them wrong.
func oddAnswers() (list []answer) {
	for _, body := range linesOf("odd.txt") {
		list = append(list, answer{op: schemas.GetUserAuth, userID: userID, body: body},
			answer{op: schemas.FindByUserIDs, userID: userID, body: body},
			answer{op: schemas.GetUserAuth, userID: userID, body: body, notEnrolled: true})
	}
	for _, names := range [][2]string{{"é\"😀", `\u00e9\"\ud83d\uDE00`}, {"k", "\u212A"}, {"ſ", "S"}} {
		list = append(list, answer{op: schemas.GetUserAuth, userID: names[0], body: `{"UserId":"` + names[1] + `"}`})
	}
	return append(list, exampleAnswers(false)...)
}

// tableAnswers are the answers of a table in testdata.
func tableAnswers(name string) (list []answer) {
	var table map[string][]string
	if err := yaml.Load(mustHave(os.ReadFile("testdata/"+name+".yaml")), &table); err != nil {
		panic(err)
	}
	for _, arguments := range table {
		a := answer{op: schemas.GetUserAuth, userID: userID, body: arguments[0]}
		if len(arguments) > 1 {
			a.op = schemas.Operation(arguments[1])
		}
		if len(arguments) > 2 {
			a.userID = arguments[2]
		}
		list = append(list, a)
	}
	return list
}

// oneToken finds the tokens of a JSON text; what lies between two of them is white space.
var oneToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[a-z]+|[\[\]{}:,]`)

// tokenStock are tokens to put in the place of others: each JSON type, right and nearly right in each form of the
// contract, and around the limits of acceptance and of reading.
var tokenStock = linesOf("tokens.txt")

// linesOf are the lines of a file in testdata, the last one empty. Its $names stand for what would be long, what
// can't be in a file, and what other tests have too.
func linesOf(name string) []string {
	special := strings.NewReplacer("$guid", guidA, "$other", guidB, "$user", userID, "$token", token,
		"$three", `{"Flags":0,"IsLocked":false,"Description":""}`, // the least that is a record which was served
		"$32", strings.Repeat("9", 32), "$1000", strings.Repeat("9", 1000), "$deep",
		strings.Repeat("[", 16)+strings.Repeat("]", 16), "$600", strings.Repeat("[", 600), "$list",
		strings.Repeat(`"x",`, 300), "$xff", "\xff", "$lf", "\n", "$bom", "\uFEFF", "$rtl200",
		strings.Repeat("\u202e", 200), "$rtl", "\u202e")
	lines := strings.Split(string(mustHave(os.ReadFile("testdata/"+name))), "\n")
	for i, line := range lines {
		lines[i] = special.Replace(line)
	}
	return lines
}

// The kinds of change that keep near to a right answer.
const (
	unchanged = iota
	replaceSpan
	doubleSpan
	swapSpans
	putToken
	putBytesForToken
	swapTokens
	putSpace
	putMember
	putInList
	kinds
)

// changedBody is a body with one change. The numbers count from the start again after the end, so that any of them
// means something: at and size are bytes where a span is changed, and which token where one is.
func changedBody(body string, kind, at, size int, with string) string {
	if kind %= kinds; kind >= putToken {
		return changedTokens(body, kind, at, size, with)
	}
	at %= len(body) + 1
	size %= len(body) - at + 1
	before, span, after := body[:at], body[at:at+size], body[at+size:]
	switch kind {
	case replaceSpan: // with nothing, or nothing with it, too
		return before + with + after
	case doubleSpan:
		return before + span + span + after
	case swapSpans: // the span and as many bytes after it
		size = min(size, len(after))
		return before + after[:size] + span + after[size:]
	}
	return body
}

func changedTokens(body string, kind, at, other int, with string) string {
	tokens := oneToken.FindAllStringIndex(body, -1)
	if len(tokens) == 0 {
		return body
	}
	token, next := tokens[at%len(tokens)], tokens[other%len(tokens)]
	before, after := body[:token[0]], body[token[1]:]
	stock := tokenStock[other%len(tokenStock)]
	switch kind {
	case putToken:
		return before + stock + after
	case putBytesForToken:
		return before + with + after
	case swapTokens:
		if next[0] <= token[0] {
			return body
		}
		return before + body[next[0]:next[1]] + body[token[1]:next[0]] + body[token[0]:token[1]] + body[next[1]:]
	case putSpace:
		return before + "\n" + body[token[0]:token[1]] + " \t" + after
	case putMember:
		if open := strings.LastIndexByte(body[:token[1]], '{') + 1; open > 0 {
			name, _ := json.Marshal(with) // a text can be written
			return body[:open] + string(name) + `:` + stock + `,` + body[open:]
		}
	case putInList:
		return `[` + body + `,` + stock + `]`
	}
	return body
}
