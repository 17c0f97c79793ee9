package report

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
)

// maxBrief is how many characters of a value are shown in the line of a cause.
const maxBrief = 60

// cut returns the beginning of a text. How long the whole is stands in the finding.
func cut(text string) string {
	text = Printable(text, maxBrief)
	if i := strings.LastIndex(text, "… ("); i >= 0 {
		text = text[:i] + "…"
	}
	return text
}

// AnswerBrief describes a finding about a whole answer in a few words; "" for any other.
func AnswerBrief(out *sanitize.Output, f check.Finding) string {
	switch f.Expected.(type) {
	case check.Service, check.OnlyRecords:
		return brief(out, f)
	}
	return ""
}

// brief describes a finding in a few words: what came and what was expected, or how two versions differ.
func brief(out *sanitize.Output, f check.Finding) string {
	switch actual := f.Actual.(type) {
	case exchange.Fault:
		if actual.Kind == exchange.Encoding {
			return "got an answer that can't be decoded: " + out.Fault(actual).Detail
		}
		return "got no whole answer: " + out.Fault(actual).Detail
	case check.Disclosed:
		what := "an authenticator record"
		switch check.ExcerptOf(actual.Value).Type {
		case "array":
			what = "a list with records or identifiers"
		case "string":
			what = "an identifier that the right request is served"
		}
		return fmt.Sprintf("a request with %s got status %d and %s, expected a refusal", mutation(f.Probe),
			actual.Status, what)
	case check.Anothers:
		return "got an identifier of user " + cut(out.User(actual.Owner)) +
			", expected those of the user who was asked for"
	case check.Shown:
		if expected, ok := f.Expected.(check.Shown); ok {
			text := fmt.Sprintf("%s has %s, %s has %s", expected.Version, has(out, expected.Value), actual.Version,
				has(out, actual.Value))
			switch {
			case f.Kind == string(parity.Representation):
				text += ", the same in another form"
			case f.Off != "":
				text += ", " + f.Off
			}
			return text
		}
	case check.Changing:
		return fmt.Sprintf("%s between identical calls (users: %s): %s, then %s", changing(actual),
			UsersByVersion(actual.Users), has(out, actual.From), has(out, actual.Then))
	case check.Behavior:
		if expected, ok := f.Expected.(check.SameInBoth); ok {
			return fmt.Sprintf("at %s %s shows %s, %s shows %s", expected.ID, expected.Pair.From,
				cut(behavior(out, expected.From)), expected.Pair.To, cut(behavior(out, actual)))
		}
	}
	if f.Off != "" {
		switch expected := f.Expected.(type) {
		case check.Service:
			return "got " + came(out, f) + ": " + f.Off
		case check.AskedUser:
			return fmt.Sprintf("got %s, %s as the UserId that was asked for, %s", cut(valueOf(out, f.Actual)), f.Off,
				cut(valueOf(out, expected.UserID)))
		}
		return "got " + cut(valueOf(out, f.Actual)) + ": " + f.Off
	}
	expected, _, _ := strings.Cut(Expected(out, f), " (") // what is in brackets explains a form at length
	switch f.Expected.(type) {
	case check.Service, check.OnlyRecords:
		expected = expectedAnswer(f)
	}
	return "got " + came(out, f) + ", expected " + expected
}

// expectedAnswer returns what was expected of an answer, as far as it is what the answer breaks.
func expectedAnswer(f check.Finding) string {
	switch f.Actual.(type) {
	case check.Unreadable:
		return "exactly one JSON text"
	case check.Status:
		return "status 2xx"
	}
	if _, elements := f.Expected.(check.OnlyRecords); elements {
		return "a record"
	}
	if f.Probe.Operation == schemas.FindByUserIDs {
		return "an array of GUID strings"
	}
	return "a record or an array of records"
}

// came returns in a few words what came at the place of a finding.
func came(out *sanitize.Output, f check.Finding) string {
	switch actual := f.Actual.(type) {
	case check.Unreadable:
		return unreadable(out, f, actual)
	case check.Status:
		return status(out, actual)
	case exchange.Fault:
		return out.Fault(actual).Detail
	}
	switch f.Expected.(type) {
	case check.Service, check.OnlyRecords:
		return form(out, f.Actual)
	}
	return cut(Actual(out, f))
}

// has returns in a few words what a version has at the place of a difference.
func has(out *sanitize.Output, value any) string {
	if unserved, ok := value.(check.Unserved); ok {
		return came(out, unserved.Finding)
	}
	if check.ExcerptOf(value).Type == "" {
		return lacks(value)
	}
	return cut(valueOf(out, value))
}

// form names a value by its type and, if it is an object, by its members.
func form(out *sanitize.Output, value any) string {
	e := check.ExcerptOf(value)
	switch {
	case e.Type == "object" && e.Length == 0:
		return "an empty object"
	case e.Type == "object":
		var names []string
		for _, name := range e.Members[:min(len(e.Members), e.Length)] {
			names = append(names, strings.Trim(out.MemberName(name), `"`))
		}
		if more := e.Length - len(names); more > 0 {
			names = append(names, wording.Count(more, "other member"))
		}
		return "an object with " + wording.List(names)
	case e.Type == "array" && e.Length == 0:
		return "an empty array"
	case e.Type == "array":
		return "an array of " + wording.Count(e.Length, "element")
	case e.Type == "null":
		return "null"
	}
	return "the " + e.Type + " " + cut(valueOf(out, value))
}

// unreadable says what came instead of one JSON text.
func unreadable(out *sanitize.Output, f check.Finding, actual check.Unreadable) string {
	return out.Fault(exchange.Fault{Detail: actual.Why, Plain: strictjson.Described(f.Kind)}).Detail
}

// status returns a status outside 2xx with what the service itself says.
func status(out *sanitize.Output, actual check.Status) string {
	text := fmt.Sprintf("status %d", actual.Code)
	if actual.Location != "" {
		text += ", a redirect to " + out.HeaderText("Location", actual.Location) + " (redirects are not followed)"
	}
	if actual.Says != "" {
		says := out.Error(actual.Says)
		if strings.ContainsAny(says[:min(len(says), 1)], "{[") { // JSON, which says little in a sentence
			says = cut(says)
		}
		text += ": " + strings.TrimRight(says, ".") // it stands in a sentence
	}
	return text
}
