package report

import (
	"fmt"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/redact"
)

// Expected describes what would have been accepted in the place of a finding.
func Expected(f check.Finding) string {
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
		return "the UserId that was asked for: " + redact.JSON(e.UserID, check.MaxShown)
	case check.Refusal:
		return "a refusal, in whatever form: no authenticator record and no identifiers for a request with " +
			mutation(e.Probe)
	case check.ShownByV5:
		return "what v5 shows (" + e.Exchange + "): " + shown(e.Value)
	case check.Stable:
		return "a value that stays the same in both versions, or changes in both"
	case check.SameInBoth:
		return "v5 and v6 alike at " + e.ID + ", as v5 does: " + e.V5
	}
	return fmt.Sprint(f.Expected)
}

// Actual describes what was received instead.
func Actual(f check.Finding) string {
	switch actual := f.Actual.(type) {
	case exchange.Fault:
		return actual.Detail
	case check.Status:
		text := fmt.Sprintf("status %d", actual.Code)
		if actual.Location != "" {
			text += ", a redirect to " + redact.Printable(actual.Location, check.MaxShown) +
				" (redirects are not followed)"
		}
		switch {
		case actual.Body.Withheld != nil:
			return text + ", body " + actual.Body.Withheld.String()
		case actual.Body.Excerpt == "":
			return text + ", empty body"
		}
		return text + ", body " + actual.Body.Excerpt
	case check.Unreadable:
		text := redact.Printable(actual.Why, 2*check.MaxShown)
		switch {
		case actual.Body.Withheld != nil:
			return text + "; the body is one " + actual.Body.Withheld.String()
		case actual.Body.Excerpt == "":
			return text
		}
		return text + "; the body begins " + actual.Body.Excerpt
	case check.Disclosed:
		return fmt.Sprintf("status %d and %s", actual.Status, jsonOf(actual.Value))
	case check.ShownByV6:
		return "v6 shows: " + shown(actual.Value)
	case check.Changing:
		return "it keeps changing between identical calls to " + string(actual.Version) + " only: " + shown(actual.From) +
			", then " + shown(actual.Then)
	case check.Behavior:
		return "v6: " + string(actual)
	}
	return jsonOf(f.Actual)
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
func shown(value any) string {
	e := check.ExcerptOf(value)
	if e.Type == "" {
		return "nothing: it is absent or refused"
	}
	return e.Type + " " + e.JSON
}

func jsonOf(value any) string { return check.ExcerptOf(value).JSON }

// Note formats a note about a row: information that does not change the verdict.
func Note(note any) string {
	switch n := note.(type) {
	case check.NearMiss:
		return "a member named " + redact.JSON(n.Seen, 80) + " was seen; names are case-sensitive, the document has " +
			n.Documented
	case check.EmptyArray:
		return "an empty array came for user " + redact.JSON(n.UserID, 80) + ", who is not marked enrolled: false"
	}
	return fmt.Sprint(note)
}
