package sweep_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

const (
	ofShape  = "v5=v6 9.3/getUserAuth/shape: "
	ofValues = "v5=v6 9.3/getUserAuth/values: "
	inLists  = "v5=v6 9.3/findByUserIds/values: "
	fiveCall = "v5 v6 v5 v6 v5"
	nineCall = "v5 v6 v5 v6 v5 v6 v5 v6 v5"
)

// recordWith is the subject's record with another member, or another value of one that it has.
func recordWith(from, to string) string { return strings.Replace(record, from, to, 1) }

var _ = Describe("Answers that are alike", func() {
	DescribeTable("are equal", func(op schemas.Operation, v5, v6 string) {
		l := resultCase{op: op, v5: alwaysReply(okReply(v5)), v6: alwaysReply(okReply(v6)), outcome: stats.Equal,
			verdict: ledger.Pass}
		expectLooks(l.of(unmarked), l.of(enrolled), l.of(unenrolled))
	},
		Entry("to the byte", schemas.GetUserAuth, record, record),
		Entry("to the byte, identifiers", schemas.FindByUserIDs, identifiers, identifiers),
		Entry("but for white space", schemas.GetUserAuth, record, " "+strings.ReplaceAll(record, ",", " ,\r\n\t")),
		Entry("with an undocumented member", schemas.GetUserAuth, recordWith("}", `,"Extra":[1,{"a":null}]}`),
			recordWith("}", `,"Extra":[1,{"a":null}]}`)),
		Entry("with an owner in other letters", schemas.GetUserAuth, recordWith(subject, "SUBJECT"),
			recordWith(subject, "SUBJECT")),
	)

	It("are equal where little is known of a record", func() {
		l := resultCase{v5: alwaysReply(okReply(`{"Id":null}`)), v6: alwaysReply(okReply(`{"Id":null}`)),
			outcome: stats.Equal,
			verdict: ledger.Pass}
		expectLooks(l.of(unmarked), l.of(enrolled))
	})

	It("are equal, whatever the status within 2xx and the content type are", func() {
		l := resultCase{v5: alwaysReply(okReply(record)), v6: alwaysReply(reply{status: 203,
			header: "Content-Type: text/plain",
			body:   record}), outcome: stats.Equal, verdict: ledger.Pass}
		expectLooks(l.of(unmarked), l.of(enrolled))
	})
})

var _ = Describe("Answers that differ", func() {
	DescribeTable("are read again, v5 v6 v5, and then accused",
		func(op schemas.Operation, v5, v6 string, found ...string) {
			l := resultCase{op: op, v5: alwaysReply(okReply(v5)), v6: alwaysReply(okReply(v6)),
				outcome: stats.Different,
				found:   found,
				verdict: ledger.Fail, asked: fiveCall}
			expectLooks(l.of(unmarked), l.of(enrolled), l.of(unenrolled))
		},
		Entry("in a value", schemas.GetUserAuth, record, recordWith("desk", "Desk"), ofValues+"value at /Description"),
		Entry("in several values", schemas.GetUserAuth, record, recordWith(`:3,"IsLocked":false`, `:4,"IsLocked":true`),
			ofValues+"value at /ModeType", ofValues+"value at /IsLocked"),
		Entry("in three values", schemas.GetUserAuth, record,
			recordWith(`:3,"IsLocked":false,"CreatedOn":"2024`, `:4,"IsLocked":true,"CreatedOn":"2028`),
			ofValues+"value at /CreatedOn", ofValues+"value at /ModeType", ofValues+"value at /IsLocked"),
		Entry("in a type", schemas.GetUserAuth, recordWith("}", `,"Extra":1}`), recordWith("}", `,"Extra":"1"}`),
			ofShape+"type at /Extra"),
		Entry("in a list against a record", schemas.GetUserAuth, "["+record+"]", record, ofShape+"type at"),
		Entry("in an identifier", schemas.FindByUserIDs, identifiers, strings.Replace(identifiers, "7c", "8c", 1),
			inLists+"element missing at /1", inLists+"element added at /1"),
	)

	It("tell in words what each version showed", func() {
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(okReply(record)),
			v6: alwaysReply(okReply(recordWith("desk",
				"shelf")))}
		out := finishSweep(s.serve(), []testUser{{ID: subjectID, UserID: subject}})
		f := out.lines[0]
		hasWords(f.Expected, "v5", `"desk"`, "u0.5")
		hasWords(f.Actual, "v6", `"shelf"`)
		hasWords(f.Exchange, "u0.4")
		hasWords(f.User.ID+" "+f.User.UserID, subjectID+" "+subject)
	})
})

// withSettings puts rules into the settings.
func withSettings(do func(*settings.Settings)) change {
	return func(s *settings.Settings, _ *sweep.Options) { do(s) }
}

func ignorePlaces(pointers ...string) change {
	return withSettings(func(s *settings.Settings) {
		for _, p := range pointers {
			s.Ignore = append(s.Ignore, settings.Ignore{Pointer: p, Reason: "known", Where: "conformance.yaml:1"})
		}
	})
}

func onlyShape() change {
	return withSettings(func(s *settings.Settings) { s.ParityMode = settings.ParityShape })
}

// waiveUntil sets a requirement aside until a day that many days from now.
func waiveUntil(requirement string, v schemas.Version, days int, verdict string) change {
	return withSettings(func(s *settings.Settings) {
		until := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
		s.Waivers = append(s.Waivers, settings.Waiver{Requirement: requirement, Version: v, Verdict: verdict,
			Reason: "known", Until: until, Where: "conformance.yaml:1"})
	})
}
