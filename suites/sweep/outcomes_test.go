package sweep_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/sweep"
)

const (
	ofShape  = "v5=v6 9.3/getUserAuth/shape: "
	ofValues = "v5=v6 9.3/getUserAuth/values: "
	inLists  = "v5=v6 9.3/findByUserIds/values: "
	fiveCall = "v5 v6 v5 v6 v5"
	nineCall = "v5 v6 v5 v6 v5 v6 v5 v6 v5"
)

// with is the subject's record with another member, or another value of one that it has.
func with(from, to string) string { return strings.Replace(record, from, to, 1) }

var _ = Describe("Answers that are alike", func() {
	DescribeTable("are equal", func(op schemas.Operation, v5, v6 string) {
		l := look{op: op, v5: always(ok(v5)), v6: always(ok(v6)), outcome: tally.Equal, verdict: ledger.Pass}
		hold(l.of(unmarked), l.of(enrolled), l.of(unenrolled))
	},
		Entry("to the byte", schemas.GetUserAuth, record, record),
		Entry("to the byte, identifiers", schemas.FindByUserIDs, identifiers, identifiers),
		Entry("but for white space", schemas.GetUserAuth, record, " "+strings.ReplaceAll(record, ",", " ,\r\n\t")),
		Entry("but for the order of members", schemas.GetUserAuth, record, `{"Description":"desk",`+strings.TrimPrefix(with(`,"Description":"desk"`, ""), "{")),
		Entry("but for how a number is written", schemas.GetUserAuth, record, with(":3,", ":30e-1,")),
		Entry("but for how a number beyond 64 bits is written", schemas.GetUserAuth, with(":3,", ":36893488147419103232,"), with(":3,", ":3689348814741910323.2E1,")),
		Entry("but for how a character is written", schemas.GetUserAuth, record, with("desk", `d\u0065sk`)),
		Entry("but for the order of identifiers", schemas.FindByUserIDs, identifiers, `["7c9e6679-7425-40de-944b-e07fc1f90ae7","0f8fad5b-d9cb-469f-a165-70867728950e"]`),
		Entry("but for the order of records", schemas.GetUserAuth, "["+record+","+with(`"Id":"0`, `"Id":"1`)+"]", "["+with(`"Id":"0`, `"Id":"1`)+","+record+"]"),
		Entry("in a list of one", schemas.GetUserAuth, "["+record+"]", "["+record+" ]"),
		Entry("with an undocumented member", schemas.GetUserAuth, with("}", `,"Extra":[1,{"a":null}]}`), with("}", `,"Extra":[1,{"a":null}]}`)),
		Entry("with an owner in other letters", schemas.GetUserAuth, with(subject, "SUBJECT"), with(subject, "SUBJECT")),
	)

	It("are equal where little is known of a record", func() {
		l := look{v5: always(ok(`{"Id":null}`)), v6: always(ok(`{"Id":null}`)), outcome: tally.Equal, verdict: ledger.Pass}
		hold(l.of(unmarked), l.of(enrolled))
	})

	It("are equal, whatever the status within 2xx and the content type are", func() {
		l := look{v5: always(ok(record)), v6: always(reply{status: 203, header: "Content-Type: text/plain", body: record}), outcome: tally.Equal, verdict: ledger.Pass}
		hold(l.of(unmarked), l.of(enrolled))
	})
})

var _ = Describe("Answers that differ", func() {
	DescribeTable("are read again, v5 v6 v5, and then accused", func(op schemas.Operation, v5, v6 string, found ...string) {
		l := look{op: op, v5: always(ok(v5)), v6: always(ok(v6)), outcome: tally.Different, found: found, verdict: ledger.Fail, asked: fiveCall}
		hold(l.of(unmarked), l.of(enrolled), l.of(unenrolled))
	},
		Entry("in a value", schemas.GetUserAuth, record, with("desk", "Desk"), ofValues+"value at /Description"),
		Entry("in several values", schemas.GetUserAuth, record, with(`:3,"IsLocked":false`, `:4,"IsLocked":true`), ofValues+"value at /ModeType", ofValues+"value at /IsLocked"),
		Entry("in a number beyond 2^53", schemas.GetUserAuth, with(":3,", ":9007199254740993,"), with(":3,", ":9007199254740992,"), ofValues+"value at /ModeType"),
		Entry("in a boolean", schemas.GetUserAuth, record, with("false", "true"), ofValues+"value at /IsLocked"),
		Entry("in a type", schemas.GetUserAuth, with("}", `,"Extra":1}`), with("}", `,"Extra":"1"}`), ofShape+"type at /Extra"),
		Entry("in a member that is missing", schemas.GetUserAuth, record, with(`,"Description":"desk"`, ""), ofShape+"member missing at /Description"),
		Entry("in a member that was added", schemas.GetUserAuth, with(`,"Description":"desk"`, ""), record, ofShape+"member added at /Description"),
		Entry("in null against absent", schemas.GetUserAuth, with(`"desk"`, "null"), with(`,"Description":"desk"`, ""), ofShape+"null against absent at /Description"),
		Entry("in absent against null", schemas.GetUserAuth, with(`,"Description":"desk"`, ""), with(`"desk"`, "null"), ofShape+"null against absent at /Description"),
		Entry("in null against a value", schemas.GetUserAuth, with(`"desk"`, "null"), record, ofShape+"type at /Description"),
		Entry("in the letters of a GUID", schemas.GetUserAuth, record, with("fad5b", "FAD5B"), ofValues+"representation at /Id"),
		Entry("in how an instant is written", schemas.GetUserAuth, record, with("999Z", "999+00:00"), ofValues+"representation at /CreatedOn"),
		Entry("in the letters of an owner", schemas.GetUserAuth, record, with(subject, "SUBJECT"), ofValues+"value at /UserId"),
		Entry("in a text that only looks the same", schemas.GetUserAuth, with("desk", "\u00e9"), with("desk", "e\u0301"), ofValues+"value at /Description"),
		Entry("in a list against a record", schemas.GetUserAuth, "["+record+"]", record, ofShape+"type at"),
		Entry("in how many records there are", schemas.GetUserAuth, "["+record+"]", "["+record+","+with(`"Id":"0`, `"Id":"1`)+"]", ofValues+"element added at /1"),
		Entry("in one record of several", schemas.GetUserAuth, "["+with(`"Id":"0`, `"Id":"1`)+","+record+"]", "["+with("desk", "shelf")+","+with(`"Id":"0`, `"Id":"1`)+"]",
			ofValues+"value at /1/Description"),
		Entry("in the order of a list within a record", schemas.GetUserAuth, with("}", `,"Extra":[1,2]}`), with("}", `,"Extra":[2,1]}`), ofValues+"value at /Extra/0", ofValues+"value at /Extra/1"),
		Entry("in an identifier", schemas.FindByUserIDs, identifiers, strings.Replace(identifiers, "7c", "8c", 1), inLists+"element missing at /1", inLists+"element added at /1"),
		Entry("in how often an identifier stands", schemas.FindByUserIDs, identifiers, strings.Replace(identifiers, "]", `,"7c9e6679-7425-40de-944b-e07fc1f90ae7"]`, 1), inLists+"element added at /2"),
		Entry("in the letters of an identifier", schemas.FindByUserIDs, identifiers, strings.Replace(identifiers, "7c", "7C", 1), inLists+"representation at /1"),
	)

	It("tell in words what each version showed", func() {
		s := &stage{op: schemas.GetUserAuth, v5: always(ok(record)), v6: always(ok(with("desk", "shelf")))}
		out := over(s.serve(), []person{{ID: subjectID, UserID: subject}})
		f := out.lines[0]
		hasWords(f.Expected, "v5", `"desk"`, "u0.5")
		hasWords(f.Actual, "v6", `"shelf"`)
		hasWords(f.Exchange, "u0.4")
		hasWords(f.User.ID+" "+f.User.UserID, subjectID+" "+subject)
	})
})

// set puts rules into the settings.
func set(do func(*settings.Settings)) change {
	return func(s *settings.Settings, _ *sweep.Options) { do(s) }
}

func ignoring(pointers ...string) change {
	return set(func(s *settings.Settings) {
		for _, p := range pointers {
			s.Ignore = append(s.Ignore, settings.Ignore{Pointer: p, Reason: "known", Where: "conformance.yaml:1"})
		}
	})
}

func onlyShape() change {
	return set(func(s *settings.Settings) { s.ParityMode = settings.ParityShape })
}

// waiving sets a requirement aside until a day that many days from now.
func waiving(requirement string, v schemas.Version, days int, verdict string) change {
	return set(func(s *settings.Settings) {
		until := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
		s.Waivers = append(s.Waivers, settings.Waiver{Requirement: requirement, Version: v, Verdict: verdict, Reason: "known", Until: until, Where: "conformance.yaml:1"})
	})
}
