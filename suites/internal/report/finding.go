package report

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/strictjson"
)

// Expected describes what would have been accepted in the place of a finding. Values are hidden unless values is nil.
func Expected(values *sanitize.Values, f check.Finding) string {
	switch e := f.Expected.(type) {
	case check.Service:
		const text = "status 2xx and a body that is exactly one JSON text: "
		if e.Operation == schemas.GetUserAuth {
			return text + "an authenticator record (§2.1), or an array of records"
		}
		return text + "an array of GUID strings (§2.3)"
	case check.OnlyRecords:
		return "in an array, nothing but authenticator records: objects with at least one member that §2.1 documents"
	case check.AskedUser:
		return "the UserId that was asked for: " + valueOf(values, f, e.UserID)
	case check.Refusal:
		return "a refusal, in whatever form: no authenticator record and no identifiers for a request with " +
			mutation(e.Probe)
	case check.ShownByV5:
		return "what v5 shows (" + e.Exchange + "): " + shown(values, f, e.Value)
	case check.Stable:
		return "a value that stays the same in both versions, or changes in both"
	case check.SameInBoth:
		return "v5 and v6 alike at " + e.ID + ", as v5 does: " + e.V5
	}
	return fmt.Sprint(f.Expected)
}

// Actual describes what was received instead. Values are hidden unless values is nil.
func Actual(values *sanitize.Values, f check.Finding) string {
	switch actual := f.Actual.(type) {
	case exchange.Fault:
		return actual.Detail
	case check.Status:
		text := fmt.Sprintf("status %d", actual.Code)
		if actual.Location != "" {
			text += ", a redirect to " + sanitize.Printable(actual.Location, check.MaxShown) +
				" (redirects are not followed)"
		}
		switch {
		case actual.Body.Withheld != nil:
			return text + ", body " + actual.Body.Withheld.String()
		case actual.Body.Excerpt == "":
			return text + ", empty body"
		case values != nil:
			return text + ", body of " + values.Bytes(actual.Body.Size, actual.Body.Sum)
		}
		return text + ", body " + actual.Body.Excerpt
	case check.Unreadable:
		text := sanitize.Printable(actual.Why, 2*check.MaxShown)
		if values != nil {
			text = strictjson.Described(f.Kind)
		}
		switch {
		case actual.Body.Withheld != nil:
			return text + "; the body is one " + actual.Body.Withheld.String()
		case actual.Body.Excerpt == "":
			return text
		case values != nil:
			return text + "; the body has " + values.Bytes(actual.Body.Size, actual.Body.Sum)
		}
		return text + "; the body begins " + actual.Body.Excerpt
	case check.Disclosed:
		return fmt.Sprintf("status %d and %s", actual.Status, valueOf(values, f, actual.Value))
	case check.ShownByV6:
		return "v6 shows: " + shown(values, f, actual.Value)
	case check.Changing:
		return "it keeps changing between identical calls to " + string(actual.Version) + " only: " +
			shown(values, f, actual.From) + ", then " + shown(values, f, actual.Then)
	case check.Behavior:
		return "v6: " + string(actual)
	}
	return valueOf(values, f, f.Actual)
}

// mutation describes what is wrong with a request that must be refused.
func mutation(p exchange.Probe) string {
	switch p.Kind {
	case exchange.Absent:
		return "no " + p.Field
	case exchange.Null:
		return "a null " + p.Field
	case exchange.EmptyToken:
		return "an empty AccessToken"
	case exchange.RandomToken:
		return "a random AccessToken of the same length"
	default:
		return "the AccessToken changed in one character"
	}
}

// shown returns the value of one version, with its type.
func shown(values *sanitize.Values, f check.Finding, value any) string {
	e := check.ExcerptOf(value)
	switch {
	case e.Type == "":
		return "nothing: it is absent or refused"
	case values != nil:
		return valueOf(values, f, e)
	case e.Type == e.JSON:
		return e.JSON // null
	}
	return e.Type + " " + e.JSON
}

// maxBrief is how many characters of a value are shown in the line of a cause.
const maxBrief = 60

// cut returns the beginning of a text. How long the whole is stands in the finding.
func cut(text string) string {
	text = sanitize.Printable(text, maxBrief)
	if i := strings.LastIndex(text, "… ("); i >= 0 {
		text = text[:i] + "…"
	}
	return text
}

// brief describes a finding in a few words: what came and what was expected, or how v5 and v6 differ.
func brief(values *sanitize.Values, f check.Finding) string {
	value := func(value any) string {
		if e := check.ExcerptOf(value); e.Type == "" {
			return "nothing"
		}
		return cut(valueOf(values, f, value))
	}
	switch actual := f.Actual.(type) {
	case check.Disclosed:
		what := "an authenticator record"
		if check.ExcerptOf(actual.Value).Type == "array" {
			what = "a list with records or identifiers"
		}
		return fmt.Sprintf("a request with %s got status %d and %s, expected a refusal", mutation(f.Probe),
			actual.Status, what)
	case check.ShownByV6:
		if expected, ok := f.Expected.(check.ShownByV5); ok {
			return "v5 has " + value(expected.Value) + ", v6 has " + value(actual.Value)
		}
	case check.Changing:
		return fmt.Sprintf("%s alone keeps changing: %s, then %s", actual.Version, value(actual.From), value(actual.Then))
	case check.Behavior:
		if expected, ok := f.Expected.(check.SameInBoth); ok {
			return "at " + expected.ID + " v5 shows " + cut(expected.V5) + ", v6 shows " + cut(string(actual))
		}
	}
	expected, _, _ := strings.Cut(Expected(values, f), " (") // what is in brackets explains a form at length
	if _, served := f.Expected.(check.Service); served {
		expected = "status 2xx and a body of one JSON text"
	}
	return "got " + cut(Actual(values, f)) + ", expected " + sanitize.Printable(expected, 0)
}

// valueOf returns a value of a finding as JSON or, if values are hidden, what can be shown of it.
func valueOf(values *sanitize.Values, f check.Finding, value any) string {
	e := check.ExcerptOf(value)
	if values == nil {
		return e.JSON
	}
	return values.Text(e.Fact, sanitize.Scope(f.Probe.User.ID, f.Probe.User.UserID, f.Pointer))
}

// PointerOf returns the pointer of a finding. In a body that is not one JSON text, the names are still those of the
// target.
func PointerOf(values *sanitize.Values, f check.Finding, pointer string) string {
	if _, broken := f.Actual.(check.Unreadable); broken {
		return values.Pointer(pointer)
	}
	return pointer
}

// Note formats a note about a row: information that does not change the verdict. Values are hidden unless values is
// nil.
func Note(values *sanitize.Values, note any) string {
	switch n := note.(type) {
	case check.NearMiss:
		return "a member named " + sanitize.JSON(n.Seen, 80) + " was seen; names are case-sensitive, the document has " +
			n.Documented
	case check.EmptyArray:
		user := sanitize.JSON(n.UserID, 80)
		if values != nil {
			_, user = values.User("", "", n.UserID)
		}
		return "an empty array came for user " + user + ", who is not marked enrolled: false"
	}
	return fmt.Sprint(note)
}
