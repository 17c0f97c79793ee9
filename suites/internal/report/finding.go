package report

import (
	"cmp"
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
)

// How many characters of a value are shown in a finding, and in the line of a cause.
const (
	maxShown = 200
	maxBrief = 60
)

// Expected describes what would have been accepted in the place of a finding.
func Expected(out *sanitize.Output, f check.Finding) string {
	brief, more := expected(out, f)
	return brief + more
}

// expected describes what would have been accepted in few words, and what a description at length has more.
func expected(out *sanitize.Output, f check.Finding) (brief, more string) {
	switch e := f.Expected.(type) {
	case check.Service:
		switch f.Actual.(type) {
		case check.Status:
			return "status 2xx", ""
		case check.Unreadable:
			return "exactly one JSON text", ""
		}
		if e.Operation == schemas.FindByUserIDs {
			return "an array of GUID strings", " (§2.3)"
		}
		return "a record or an array of records", " (§2.1)"
	case check.OnlyRecords:
		return "a record", " (an object with at least one member that §2.1 documents)"
	case check.AskedUser:
		return "the UserId that was asked for: " + valueOf(out, e.UserID, maxShown), ""
	case check.OwnIdentifier:
		return "an identifier of the user who was asked for: " + valueOf(out, e.UserID, maxShown), ""
	case check.Refusal:
		return "a refusal of a request with " + mutation(e.Probe), " (in whatever form: no authenticator record and " +
			"no identifiers)"
	case check.Shown:
		return "what " + shows(e) + " (" + e.Exchange + "): " + shown(out, e.Value, maxShown), ""
	case check.Stable:
		return "the same answer to identical calls, or one change of the data that both versions show", ""
	case check.SameInBoth:
		return fmt.Sprintf("%s and %s alike at %s, as %s does: %s", e.Pair.From, e.Pair.To, e.ID, e.Pair.From,
			behavior(out, e.From)), ""
	}
	text := fmt.Sprint(f.Expected) // a description of the schema
	brief, _, _ = strings.Cut(text, " (")
	return brief, text[len(brief):]
}

// Actual describes what was received instead.
func Actual(out *sanitize.Output, f check.Finding) string {
	switch actual := f.Actual.(type) {
	case check.Status:
		if strings.Contains(actual.Body.Text, string(actual.Says)) {
			actual.Says = "" // the body has it
		}
		return status(out, actual) + ending(out, actual.Body, ", body ", ", empty body", ", body of ", ", body ")
	case check.Unreadable:
		return came(out, f, maxShown) +
			ending(out, actual.Body, "; the body is one ", "", "; the body has ", "; the body begins ")
	}
	return came(out, f, maxShown)
}

// brief describes a finding in a line: how two versions differ, or what came and what was expected, unless that is said
// by what is off.
func brief(out *sanitize.Output, f check.Finding) string {
	wanted, _ := expected(out, f)
	_, isUser := f.Expected.(check.AskedUser)
	switch actual := f.Actual.(type) {
	case check.Changing:
		return came(out, f, maxBrief)
	case exchange.Fault:
		return "got no answer that can be read: " + out.Fault(actual).Detail
	case check.Shown:
		text, off := "", f.Off
		if f.Kind == string(parity.Representation) {
			off = "the same in another form"
		}
		value := shown
		if from, ok := f.Expected.(check.Shown); ok {
			if t := check.ExcerptOf(from.Value).Type; t != "" && t == check.ExcerptOf(actual.Value).Type {
				value = valueOf
			}
			text = fmt.Sprintf("%s has %s, ", from.Version, value(out, from.Value, maxBrief))
		}
		text += fmt.Sprintf("%s has %s, %s", actual.Version, value(out, actual.Value, maxBrief), off)
		return strings.TrimSuffix(text, ", ")
	}
	text := "got " + came(out, f, maxBrief)
	if f.Off == "" || isUser {
		text += ", expected " + wanted
	}
	return text
}

// AnswerBrief describes a finding about a whole answer in a line; "" for any other.
func AnswerBrief(out *sanitize.Output, f check.Finding) string {
	switch f.Expected.(type) {
	case check.Service, check.OnlyRecords:
		return brief(out, f)
	}
	return ""
}

// came returns what came at the place of a finding, with at most so many characters of a value.
func came(out *sanitize.Output, f check.Finding, limit int) string {
	switch actual := f.Actual.(type) {
	case exchange.Fault:
		return out.Fault(actual).Detail
	case check.Status:
		return status(out, actual)
	case check.Unreadable:
		return out.Fault(exchange.Fault{Detail: actual.Why, Plain: strictjson.Described(f.Kind)}).Detail
	case check.Anothers:
		text := valueOf(out, actual.Identifier, limit)
		if actual.Calls == 0 {
			return text + ", the Id of a record of user " + out.User(actual.Owner)
		}
		return fmt.Sprintf("%s at %d of %d calls, an identifier that user %s has at every call", text, actual.Calls,
			actual.All, out.User(actual.Owner))
	case check.Disclosed:
		return fmt.Sprintf("status %d and %s", actual.Status, valueOf(out, actual.Value, limit))
	case check.Shown:
		return shows(actual) + ": " + shown(out, actual.Value, limit)
	case check.Changing:
		changes := string(actual.Version) + " alone changes"
		if actual.Users[actual.Version] < parity.Many {
			changes = string(actual.Version) + " changes"
		}
		if len(actual.Users) > 0 { // in a sweep they are known at its end
			changes += " between identical calls (users: " + UsersByVersion(actual.Users) + ")"
		}
		return fmt.Sprintf("%s: %s, then %s", changes, shown(out, actual.From, limit), shown(out, actual.Then, limit))
	case check.Behavior:
		point, _ := f.Expected.(check.SameInBoth)
		return string(point.Pair.To) + ": " + behavior(out, actual)
	}
	text := valueOf(out, f.Actual, limit)
	if f.Off != "" {
		text += " (" + f.Off + ")"
	}
	return text
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
			says = Printable(says, maxBrief)
		}
		text += ": " + strings.TrimRight(says, ".") // it stands in a sentence
	}
	return text
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
	return cmp.Or(map[exchange.Kind]string{exchange.Absent: "no " + p.Field, exchange.Null: "a null " + p.Field,
		exchange.EmptyToken: "an empty AccessToken", exchange.RandomToken: "a random AccessToken of the same length",
	}[p.Kind], "the AccessToken changed in one character")
}

// shown returns the value of one version, with its type.
func shown(out *sanitize.Output, value any, limit int) string {
	e := check.ExcerptOf(value)
	unserved, refused := value.(check.Unserved)
	absent, _ := value.(parity.Absent)
	switch {
	case refused:
		return came(out, unserved.Finding, limit)
	case e.Type != "":
		return out.TypedValue(e, limit)
	case absent == (parity.Absent{}):
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
func valueOf(out *sanitize.Output, value any, limit int) string {
	return out.Value(check.ExcerptOf(value), limit)
}

// ending describes a body at the end of a text, with the words for one that is withheld, empty, hidden or shown.
func ending(out *sanitize.Output, b check.Body, withheld, empty, hidden, shown string) string {
	switch {
	case b.Withheld != nil:
		return withheld + out.Withheld(*b.Withheld).String()
	case b.Text == "":
		return empty
	case out.Hides():
		shown = hidden
	}
	return shown + out.Body(b.Beginning, b.Size, maxShown)
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
