package ledger_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)


// newLedger is a ledger of both versions with every row but those of divergence.
func newLedger() *ledger.Ledger {
	GinkgoHelper()
	return ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions()})
}

func rowAt(l *ledger.Ledger, id string, v schemas.Version) *ledger.Row {
	GinkgoHelper()
	row := l.Row(ledger.Key{ID: id, Version: v})
	Expect(row).NotTo(BeNil(), "%s of %s", id, v)
	return row
}

// passEveryRow witnesses every row of a ledger.
func passEveryRow(l *ledger.Ledger) *ledger.Ledger {
	GinkgoHelper()
	for _, row := range l.Rows() {
		Expect(l.Merge(row.Key, check.Outcome{Witnesses: 1})).To(Succeed())
	}
	return l
}

// failRow adds a finding to a row.
func failRow(l *ledger.Ledger, id string, v schemas.Version) *ledger.Ledger {
	GinkgoHelper()
	var outcome check.Outcome
	outcome.Find(check.Finding{Kind: "broken", Pointer: "/x", Expected: "right", Actual: "wrong"})
	Expect(l.Merge(ledger.Key{ID: id, Version: v}, outcome)).To(Succeed())
	return l
}

// judgementOf is a judgement of a well-formed request by what a spec says of it.
func judgementOf(op schemas.Operation, v schemas.Version, user string, rows spec.Outcomes,
	facts ...spec.Fact) *spec.Judgement {
	judgement := testkit.Suite().Judge(&exchange.Exchange{
		Probe:  exchange.Probe{Operation: op, Version: v, User: settings.User{UserID: user}, Round: 1},
		Status: 200, Duration: time.Millisecond, Body: []byte("[]"),
	})
	judgement.Rows, judgement.Facts = rows, spec.Facts{}
	for _, fact := range facts {
		judgement.Facts[fact]++
	}
	return judgement
}

// observationOf are those of an observation for one operation, by version; they are there once the ledger is closed.
func observationOf(l *ledger.Ledger, id string, op schemas.Operation) ledger.Observation {
	GinkgoHelper()
	for _, o := range l.Observations() {
		if o.Requirement.ID == id && o.Operation == op {
			return o
		}
	}
	Fail("there is no observation of " + id + " of " + string(op))
	return ledger.Observation{}
}

// versionsDiverge reports whether v5 and v6 were compared at an open point and behave differently.
func versionsDiverge(o ledger.Observation) bool { return o.Agree != nil && !*o.Agree }

// summaryOf returns what a version showed, in one line.
func summaryOf(o ledger.Observation, v schemas.Version) string {
	GinkgoHelper()
	seen, known := o.Seen[v]
	Expect(known).To(BeTrue(), "%s is under test", v)
	if seen == nil {
		return ledger.NotAsked
	}
	return strings.Join(seen.Parts(check.AsSent{}, 12), "; ")
}
