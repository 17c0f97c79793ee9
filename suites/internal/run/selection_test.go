package run_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/run"
)

// describePlan lists the probes of a plan, without doubles, as "operation version name" with rounds left out.
func describePlan(r *run.Run) []string {
	var list []string
	for _, p := range r.Plan() {
		name := p.Name()
		if p.WellFormed() {
			name = "read"
		}
		list = append(list, fmt.Sprintf("%s %s %s", p.Operation, p.Version, name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var _ = Describe("A run with a filter", func() {
	DescribeTable("sends only what its rows need",
		func(ctx SpecContext, keys []string, expected ...string) {
			s := &stage{}
			r := readyRun(s)
			selectRows(r, keys...)
			Expect(describePlan(r)).To(Equal(expected))
			plan := len(r.Plan())
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(s.requests()).To(HaveLen(plan))
			for _, row := range r.Ledger.Rows() {
				if slices.Contains(keys, row.Key.String()) {
					Expect(row.Verdict()).To(Equal(ledger.Pass), row.Key.String())
				} else {
					Expect(row.Verdict()).To(Equal(ledger.Inconclusive), row.Key.String())
					Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
				}
			}
			Expect(r.Ledger.Complete()).To(BeFalse())
		},
		Entry("a field", []string{"2.1/Id v5"}, "getUserAuth v5 read"),
		Entry("identifiers", []string{"2.3/identifiers v6"}, "findByUserIds v6 read"),
		Entry("an open point", []string{"open/4.3/cardinality v6"}, "getUserAuth v6 read"),
		Entry("parity needs both versions", []string{"9.3/findByUserIds/shape v5=v6"}, "findByUserIds v5 read",
			"findByUserIds v6 read"),
		Entry("a required field", []string{"4.1/Id/required v6"}, "getUserAuth v6 absent Id", "getUserAuth v6 null Id",
			"getUserAuth v6 read"),
		Entry("a required token", []string{"4.2/AccessToken/required v5"},
			"findByUserIds v5 absent AccessToken", "findByUserIds v5 empty token", "findByUserIds v5 null AccessToken",
			"findByUserIds v5 read"),
		Entry("bad tokens", []string{"5.1/getUserAuth/token v5"}, "getUserAuth v5 changed token",
			"getUserAuth v5 random token", "getUserAuth v5 read"),
		Entry("an open point of required fields", []string{"open/7/missing-field v6"},
			"findByUserIds v6 absent AccessToken", "findByUserIds v6 absent ApplicationId",
			"findByUserIds v6 absent UserId", "findByUserIds v6 read",
			"getUserAuth v6 absent AccessToken", "getUserAuth v6 absent ApplicationId", "getUserAuth v6 absent Id",
			"getUserAuth v6 absent UserId", "getUserAuth v6 read"),
		Entry("an open point of refusals", []string{"open/7/not-json v5"},
			"findByUserIds v5 body that is no JSON", "findByUserIds v5 read", "getUserAuth v5 body that is no JSON",
			"getUserAuth v5 read"),
		Entry("adjacent versions", []string{"open/9.4/neighbours v6"},
			"getUserAuth v6 neighbouring release v4", "getUserAuth v6 neighbouring release v7", "getUserAuth v6 read"),
	)

	It("reads one user only, if its rows need just a user who is served", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s)
		selectRows(r, "4.1/Id/required v5")
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(s.requests()).To(HaveLen(2 + 2))
		for _, request := range s.requests() {
			Expect(request.user()).To(Equal(threeUsers()[0].UserID))
		}
	})

	It("sends no bad token if the filter leaves those rows out", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s)
		var keys []string
		for _, q := range r.Contract.Requirements {
			if q.Kind != schemas.Excluded && q.Risk != schemas.AuthFailure {
				for _, v := range []schemas.Version{schemas.V5, schemas.V6, schemas.Parity} {
					keys = append(keys, q.ID+" "+string(v))
				}
			}
		}
		selectRows(r, keys...)
		Expect(r.Execute(ctx)).To(Succeed())
		for _, request := range s.requests() {
			Expect(wrongRequest(request)).To(BeFalse(), request.body)
			Expect(request.members()["AccessToken"]).NotTo(BeAssignableToTypeOf(float64(0)),
				"a token of another type is a bad token too")
		}
		Expect(findRow(r, "5.1/getUserAuth/token", schemas.V5).Reason).To(Equal(ledger.NotRun))
	})
})

// J13: altered requests tell something only where the well-formed one is served with what a refusal must not hold.
var _ = Describe("The user of altered requests", func() {
	nothing := func(value any) any {
		record := value.(map[string]any)
		return map[string]any{"Id": record["Id"], "UserId": record["UserId"], "Flags": json.Number("1"),
			"ModeType": json.Number("1")}
	}
	refuse := func(user int, version string) *stage {
		return &stage{before: func(w http.ResponseWriter, s sent, number int) bool {
			if number <= 24 && s.user() == threeUsers()[user].UserID && (version == "" || s.version() == version) {
				w.WriteHeader(http.StatusNotFound)
				return true
			}
			return false
		}}
	}
	// whose request without an ApplicationId it was, "" where none was sent.
	userOf := func(s *stage, version, operation string) string {
		user := ""
		for _, request := range s.requests() {
			members := request.members()
			if _, has := members["ApplicationId"]; members != nil && !has && request.version() == version &&
				request.operation() == operation {
				user = request.user()
			}
		}
		return user
	}

	It("is the first that the version served, each version for itself", func(ctx SpecContext) {
		s := refuse(0, "v6")
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		for _, op := range schemas.Operations() {
			Expect(userOf(s, "v5", string(op))).To(Equal(threeUsers()[0].UserID))
			Expect(userOf(s, "v6", string(op))).To(Equal(threeUsers()[2].UserID))
		}
		Expect(findRow(r, "4.1/Id/required", schemas.V6).Verdict()).To(Equal(ledger.Pass))
	})

	It("is the first whose answer discloses data", func(ctx SpecContext) {
		first := threeUsers()[0].UserID
		s := &stage{twist: func(c call, value any) any {
			if c.user == first && c.operation == schemas.GetUserAuth {
				return nothing(value)
			}
			return value
		}}
		Expect(readyRun(s).Execute(ctx)).To(Succeed())
		Expect(userOf(s, "v5", "getUserAuth")).To(Equal(threeUsers()[2].UserID))
		Expect(userOf(s, "v5", "findByUserIds")).To(Equal(first))
	})

	It("is the first whose answers all disclose data", func(ctx SpecContext) {
		first := threeUsers()[0].UserID
		s := &stage{twist: func(c call, value any) any {
			if c.user == first && c.operation == schemas.GetUserAuth && c.number == 2 {
				return nothing(value)
			}
			return value
		}}
		Expect(readyRun(s).Execute(ctx)).To(Succeed())
		for _, v := range schemas.Versions() {
			Expect(userOf(s, string(v), "getUserAuth")).To(Equal(threeUsers()[2].UserID))
		}
	})

	It("is none if no user's answer discloses data: then no mutation is sent, and nothing passes",
		func(ctx SpecContext) {
			s := &stage{twist: func(c call, value any) any {
				if c.operation == schemas.FindByUserIDs {
					return []any{}
				}
				return nothing(value)
			}}
			r := readyRun(s)
			Expect(r.Execute(ctx)).To(Succeed())
			for _, row := range r.Ledger.Rows() {
				if row.Requirement.Risk != schemas.Read {
					Expect(row.Verdict()).To(Equal(ledger.Inconclusive), row.Key.String())
					Expect(row.Reason).To(Equal(ledger.NotServed), row.Key.String())
				}
			}
		})

	It("is looked for among the others if a filter let the run read only the first", func(ctx SpecContext) {
		s := refuse(0, "v5")
		r := readyRun(s)
		selectRows(r, "4.1/Id/required v5")
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(findRow(r, "4.1/Id/required", schemas.V5).Verdict()).To(Equal(ledger.Pass))
		requests := s.requests()
		Expect(requests[len(requests)-1].user()).To(BeElementOf(threeUsers()[2].UserID, ""))
	})

	It("is never one who is not enrolled", func(ctx SpecContext) {
		s := refuse(0, "")
		Expect(readyRun(s).Execute(ctx)).To(Succeed())
		Expect(userOf(s, "v5", "getUserAuth")).To(Equal(threeUsers()[2].UserID))
	})

	It("is never one who is not enrolled, even if a record comes back for that user", func(ctx SpecContext) {
		s, unenrolled := refuse(0, ""), threeUsers()[1].UserID
		refused := s.before
		s.before = func(w http.ResponseWriter, now sent, number int) bool {
			if now.user() != unenrolled {
				return refused(w, now, number)
			}
			_, _ = fmt.Fprintf(w, `{"UserId":%q,"Description":"desk","Flags":1,"ModeType":2}`, unenrolled)
			return true
		}
		Expect(readyRun(s).Execute(ctx)).To(Succeed())
		Expect(userOf(s, "v5", "getUserAuth")).To(Equal(threeUsers()[2].UserID))
	})
})
