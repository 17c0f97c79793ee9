package ledger_test

import (
	"fmt"
	"slices"
	"strings"

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

var _ = Describe("What the evidence lacks", func() {
	user := settings.User{UserID: "u", Enrolled: true}
	read := exchange.Probe{ID: "e1", Operation: schemas.GetUserAuth, Version: schemas.V5, User: user, Round: 1}
	altered := func(a exchange.Kind, field string) exchange.Probe {
		p := read
		p.Kind, p.Field = a, field
		return p
	}
	in := func(p exchange.Probe, op schemas.Operation, v schemas.Version) exchange.Probe {
		p.Operation, p.Version = op, v
		return p
	}
	// open are the rows that do not pass, "version id".
	open := func(l *ledger.Ledger) []string {
		list := []string{}
		for _, row := range l.Rows() {
			if row.Verdict() != ledger.Pass {
				Expect(row.Verdict()).To(Equal(ledger.Inconclusive))
				Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
				list = append(list, row.Key.String())
			}
		}
		return list
	}

	DescribeTable("leaves open the rows that need it", func(lost exchange.Probe, want ...string) {
		l := passEveryRow(newLedger())
		l.NoteMissing(lost)
		l.Close(true)
		Expect(open(l)).To(ConsistOf(want))
		Expect(l.Missing).To(Equal([]exchange.Probe{lost}))
		Expect(l.Complete()).To(BeFalse())
	},
		Entry("a field that is absent", altered(exchange.Absent, "Id"), "4.1/Id/required v5"),
		Entry("a field that is null", altered(exchange.Null, "UserId"), "4.1/UserId/required v5"),
		Entry("of the other operation and version",
			in(altered(exchange.Null, "UserId"), schemas.FindByUserIDs, schemas.V6),
			"4.2/UserId/required v6"),
		Entry("an empty token", altered(exchange.EmptyToken, "AccessToken"), "4.1/AccessToken/required v5"),
		Entry("a random token", altered(exchange.RandomToken, "AccessToken"), "5.1/getUserAuth/token v5"),
		Entry("a changed token", in(altered(exchange.ChangedToken, "AccessToken"), schemas.FindByUserIDs, schemas.V6),
			"5.1/findByUserIds/token v6"),
		Entry("a read of identifiers", in(read, schemas.FindByUserIDs, schemas.V6),
			"2.3/identifiers v6", "4/findByUserIds/served v6", "9.3/findByUserIds/shape v5=v6",
			"9.3/findByUserIds/values v5=v6"),
		// A row that no request can be without: where nothing of documented rows is lacking, the run is still not
		// whole.
		Entry("a request that is only observed", altered(exchange.WrongMethod, "")),
		Entry("a neighbouring release", altered(exchange.AdjacentVersion, "")),
	)

	It("leaves open every row that a well-formed request is needed for, in its version and in parity", func() {
		l := passEveryRow(newLedger())
		l.NoteMissing(read)
		l.Close(true)
		for _, row := range l.Rows() {
			refusal := strings.HasSuffix(row.ID, "/required") || strings.HasSuffix(row.ID, "/token")
			needed := row.Version != schemas.V6 && !refusal &&
				slices.Contains(row.Requirement.Operations, schemas.GetUserAuth)
			Expect(row.Verdict() != ledger.Pass).To(Equal(needed), row.Key.String())
		}
	})

	It("leaves open whether the versions diverge, whichever exchange is missing", func() {
		for _, lost := range []exchange.Probe{read, altered(exchange.Absent, "Id"), altered(exchange.WrongMethod, ""),
			altered(exchange.AdjacentVersion, ""), altered(exchange.RandomToken, "AccessToken")} {
			l := ledger.New(testkit.Suite(), spec.Options{Versions: schemas.Versions(), DivergenceFails: true})
			for _, row := range l.Rows() {
				if !strings.HasSuffix(row.ID, "/divergence") {
					Expect(l.Merge(row.Key, check.Outcome{Witnesses: 1})).To(Succeed())
				}
			}
			for _, op := range schemas.Operations() {
				for _, v := range schemas.Versions() {
					l.Observe("open/4.3/status", op, v, "200")
				}
			}
			l.NoteMissing(lost)
			l.Close(true)
			row := rowAt(l, "9.3/getUserAuth/divergence", schemas.Parity)
			Expect(row.Verdict()).To(Equal(ledger.Inconclusive), lost.Name())
			Expect(row.Reason).To(Equal(ledger.NotRun), lost.Name())
			Expect(rowAt(l, "9.3/findByUserIds/divergence", schemas.Parity).Verdict()).To(Equal(ledger.Pass),
				lost.Name())
		}
	})

	It("leaves a row failed that fails without it", func() {
		l := failRow(newLedger(), "4.1/Id/required", schemas.V5)
		l.NoteMissing(altered(exchange.Null, "Id"))
		l.Close(true)
		Expect(rowAt(l, "4.1/Id/required", schemas.V5).Verdict()).To(Equal(ledger.Fail))
	})

	It("does not report not-served: what the target did is not known", func() {
		l := newLedger()
		for round := range 2 {
			p := read
			p.Round = round + 1
			l.NoteMissing(p)
		}
		l.Close(true)
		for _, row := range l.Rows() {
			if row.Version == schemas.V5 && row.Requirement.Operations[0] == schemas.GetUserAuth {
				Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
			}
		}
	})

	It("is not compared at open points, of its operation only", func() {
		l := newLedger()
		for _, op := range schemas.Operations() {
			l.Observe("open/4.3/status", op, schemas.V5, "200")
			l.Observe("open/4.3/status", op, schemas.V6, "201")
			l.Observe("open/7/not-json", op, schemas.V5, "400")
			l.Observe("open/7/not-json", op, schemas.V6, "400")
		}
		l.NoteMissing(read)
		l.Close(true)
		Expect(observationOf(l, "open/4.3/status", schemas.GetUserAuth).Agree).To(BeNil())
		Expect(versionsDiverge(observationOf(l, "open/4.3/status", schemas.FindByUserIDs))).To(BeTrue())
		Expect(observationOf(l, "open/7/not-json", schemas.GetUserAuth).Agree).To(HaveValue(BeTrue()),
			"it is another request that tells")
	})

	DescribeTable("is not compared where any exchange tells, a refusal too", func(id string) {
		l := newLedger()
		l.Observe(id, schemas.GetUserAuth, schemas.V6, "seen in a refusal")
		l.Asked(id, schemas.GetUserAuth, schemas.V5)
		l.NoteMissing(altered(exchange.RandomToken, "AccessToken"))
		l.Close(true)
		Expect(observationOf(l, id, schemas.GetUserAuth).Agree).To(BeNil())
	},
		Entry(nil, "open/5.4/header-authentication"), Entry(nil, "open/8/rate-limit"),
		Entry(nil, "open/9.4/deprecation"),
	)

	It("is not compared, however much is missing", func() {
		l := newLedger()
		for i := range 3000 {
			p := read
			p.ID, p.User.UserID = fmt.Sprintf("e%d", i+1), fmt.Sprint(i)
			l.NoteMissing(p)
		}
		l.Observe("open/4.3/status", schemas.FindByUserIDs, schemas.V5, "200")
		l.Observe("open/4.3/status", schemas.FindByUserIDs, schemas.V6, "201")
		l.NoteMissing(in(read, schemas.FindByUserIDs, schemas.V5))
		l.Close(true)
		Expect(observationOf(l, "open/4.3/status", schemas.FindByUserIDs).Agree).To(BeNil())
		Expect(len(l.Missing)).To(BeNumerically("<=", 1000), "of so many only the first are named")
	})
})
