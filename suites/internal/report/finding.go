package report

import (
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
)

// Expected describes what would have been accepted in the place of a finding.
func Expected(out *sanitize.Output, f check.Finding) string {
	switch e := f.Expected.(type) {
	case check.Service:
		text := "status 2xx and a body that is exactly one JSON text: "
		if check.ExcerptOf(f.Actual).Type != "" {
			text = "" // it is one
		}
		if e.Operation == schemas.GetUserAuth {
			return text + "an authenticator record (§2.1), or an array of records"
		}
		return text + "an array of GUID strings (§2.3)"
	case check.OnlyRecords:
		return "an authenticator record, as each element of an array: an object with at least one member that §2.1 " +
			"documents"
	case check.AskedUser:
		return "the UserId that was asked for: " + valueOf(out, e.UserID)
	case check.OwnIdentifier:
		return "an identifier of the user who was asked for: " + valueOf(out, e.UserID)
	case check.Refusal:
		return "a refusal, in whatever form: no authenticator record and no identifiers for a request with " +
			mutation(e.Probe)
	case check.Shown:
		return "what " + shows(e) + " (" + e.Exchange + "): " + shown(out, e.Value)
	case check.Stable:
		return "the same answer to identical calls, or one change of the data that both versions show"
	case check.SameInBoth:
		return fmt.Sprintf("%s and %s alike at %s, as %s does: %s", e.Pair.From, e.Pair.To, e.ID, e.Pair.From,
			behavior(out, e.From))
	}
	return fmt.Sprint(f.Expected)
}

// Actual describes what was received instead.
func Actual(out *sanitize.Output, f check.Finding) string {
	switch actual := f.Actual.(type) {
	case exchange.Fault:
		return out.Fault(actual).Detail
	case check.Status:
		if strings.Contains(actual.Body.Text, string(actual.Says)) {
			actual.Says = "" // the body has it
		}
		return status(out, actual) + ending(out, actual.Body, ", body ", ", empty body", ", body of ", ", body ")
	case check.Unreadable:
		return unreadable(out, f, actual) +
			ending(out, actual.Body, "; the body is one ", "", "; the body has ", "; the body begins ")
	case check.Anothers:
		text := valueOf(out, actual.Identifier)
		if actual.Calls == 0 {
			return text + ", the Id of a record of user " + out.User(actual.Owner)
		}
		return fmt.Sprintf("%s at %d of %d calls, an identifier that user %s has at every call", text, actual.Calls,
			actual.All, out.User(actual.Owner))
	case check.Disclosed:
		return fmt.Sprintf("status %d and %s", actual.Status, valueOf(out, actual.Value))
	case check.Shown:
		return shows(actual) + ": " + shown(out, actual.Value)
	case check.Changing:
		return changing(actual) + " between identical calls (users: " + UsersByVersion(actual.Users) + "): " +
			shown(out, actual.From) + ", then " + shown(out, actual.Then)
	case check.Behavior:
		point, _ := f.Expected.(check.SameInBoth)
		return string(point.Pair.To) + ": " + behavior(out, actual)
	}
	text := valueOf(out, f.Actual)
	if f.Off != "" {
		text += " (" + f.Off + ")"
	}
	return text
}

// changing says which version changes: it alone, if enough users show that.
func changing(c check.Changing) string {
	if c.Users[c.Version] < parity.Many {
		return string(c.Version) + " changes"
	}
	return string(c.Version) + " alone changes"
}

// shows names a version and, if the other one answered on another day, the day.
func shows(s check.Shown) string {
	if s.Day == "" {
		return string(s.Version) + " shows"
	}
	return string(s.Version) + " showed on " + s.Day
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
func shown(out *sanitize.Output, value any) string {
	e := check.ExcerptOf(value)
	unserved, refused := value.(check.Unserved)
	switch {
	case refused:
		return Actual(out, unserved.Finding)
	case e.Type == "":
		return lacks(value)
	}
	return out.TypedValue(e, maxShown)
}

// lacks says what a version has in the place of what it lacks: nothing or, of an element of a list, how many others.
func lacks(value any) string {
	absent, _ := value.(parity.Absent)
	if absent == (parity.Absent{}) {
		return "nothing"
	}
	text := "no such element"
	if absent.Fewer {
		text = "that element fewer times"
	}
	return fmt.Sprintf("%s (%s, the other version %s)", text, wording.Count(absent.Elements, "element"),
		wording.Number(int64(absent.Other)))
}

// valueOf returns a value of a finding as JSON or, if values are hidden, what can be shown of it.
func valueOf(out *sanitize.Output, value any) string {
	return out.Value(check.ExcerptOf(value), maxShown)
}

// maxShown is how many characters of a value a finding shows.
const maxShown = 200

// ending describes a body at the end of a text, with the words for one that is withheld, empty, hidden or shown.
func ending(out *sanitize.Output, b check.Body, withheld, empty, hidden, shown string) string {
	beginning := func() string { return out.Body(b.Beginning, b.Size, maxShown) }
	switch {
	case b.Withheld != nil:
		return withheld + out.Withheld(*b.Withheld).String()
	case b.Text == "":
		return empty
	case out.Hides():
		return hidden + beginning()
	}
	return shown + beginning()
}

// behavior returns in one line what a version did at an open point.
func behavior(out *sanitize.Output, b check.Behavior) string {
	return parts(out, b.Observed).String()
}

// maxParts limits the different observations that are shown at one open point.
const maxParts = 12

// parts returns what a version did at an open point, to be listed. nil was not asked.
func parts(out *sanitize.Output, seen *check.Observed) SeenBy {
	if seen == nil {
		return SeenBy{ledger.NotAsked}
	}
	shown := seen.Parts(out, maxParts)
	if seen.Shows == "values" && len(seen.Count) > 0 {
		return out.List(shown, len(seen.Count))
	}
	return shown
}

// Note formats a note about a row: information that does not change the verdict.
func Note(out *sanitize.Output, note any) string {
	switch n := note.(type) {
	case check.NearMiss:
		return "a member named " + out.MemberName(n.Seen) + " was seen; names are case-sensitive, the document has " +
			n.Documented
	case check.EmptyArray:
		return "an empty array came for user " + out.UserID(n.UserID) + ", who is not marked enrolled: false"
	case check.DiffersInOutage:
		return "the versions differ at " + n.ID + ", but the target refused or throttled everybody for a while, so " +
			"that it may be what stands in front of it: run again with less (--rate)"
	case check.Undecided:
		return fmt.Sprintf("%s changes between identical calls (users: %s %d, %s %d): do nodes differ?",
			UnsteadyPlace(out.Pointer(n.Place)), n.Pair.From, n.From, n.Pair.To, n.To)
	case check.Uncontrolled:
		return uncontrolledNote(out, n)
	case check.SharedLists:
		return fmt.Sprintf("%d of the %s who have identifiers share their whole list with somebody else; check "+
			"whether a cache leaves out the user, or add users who have other identifiers", n.Shared,
			wording.Count(n.Users, "user"))
	case check.SingleList:
		return "only one user has identifiers, and none of these is in a record of that user; add a second user who " +
			"has identifiers"
	case check.Unread:
		return fmt.Sprintf("a request that should be refused got status %d and a body that nobody can read (%s), so "+
			"that it may have the record", n.Status, n.Why)
	}
	return fmt.Sprint(note)
}

// uncontrolledNote says why a refusal is no witness.
func uncontrolledNote(out *sanitize.Output, n check.Uncontrolled) string {
	text := "a request was refused, but nobody knows by whom: "
	switch {
	case n.Control == "":
		return text + "no control was asked before and after it"
	case n.Status == 0:
		return text + "the control " + n.Control + " was not answered: " + out.Text(n.Why, maxNote)
	}
	text += fmt.Sprintf("the control %s, a request that was served before, got %d", n.Control, n.Status)
	if n.Line != "" {
		text += ": " + out.Error(n.Line)
	}
	return text
}

const maxNote = 200

// Printable returns a text on one line, safe to print, for a format or from a file of an earlier run. If limit is over
// 0 it has at most that many characters.
func Printable(text string, limit int) string { return sanitize.Printable(text, limit) }

// PrintableLines is Printable for a text of several lines.
func PrintableLines(text string) string { return sanitize.PrintableLines(text) }

// ShownLines is Printable for each of so many lines of a text. If there are more, the last line says how many.
func ShownLines(text string, most, limit int) string {
	all := strings.Split(text, "\n")
	kept := each(all[:min(len(all), most)], func(line string) string { return Printable(line, limit) })
	if more := len(all) - len(kept); more > 0 {
		kept = append(kept, "… and "+wording.Plural(more, "more line", "more lines"))
	}
	return strings.Join(kept, "\n")
}
