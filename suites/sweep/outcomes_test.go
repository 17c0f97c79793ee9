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
