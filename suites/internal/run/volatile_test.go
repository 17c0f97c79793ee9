package run_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("what changes between identical calls (J15)", func() {
	execute := func(ctx SpecContext, twist func(call, any) any, change ...func(*settings.Settings)) *run.Run {
		r := readyRun(&stage{twist: twist}, change...)
		Expect(r.Execute(ctx)).To(Succeed())
		return r
	}
	volatile := []ledger.Volatile{{Operation: schemas.GetUserAuth, Pointer: "/CreatedBy"}}

	It("in both versions passes and is listed", func(ctx SpecContext) {
		r := execute(ctx, changing(schemas.Versions()...))
		Expect(unlike(r)).To(BeEmpty())
		Expect(r.Ledger.Volatile).To(Equal(volatile))
	})
	It("in one version only, again and again, fails", func(ctx SpecContext) {
		for _, v := range schemas.Versions() {
			r := execute(ctx, changing(v))
			Expect(unlike(r)).To(Equal([]string{valuesOfRecord + " v5=v6 fail"}))
			Expect(causesOf(row(r, valuesOfRecord, schemas.Parity))).To(
				Equal([]string{`volatile in one version at "/CreatedBy", 1`}))
			Expect(report.Actual(nil, row(r, valuesOfRecord, schemas.Parity).Findings[0])).To(
				ContainSubstring(string(v) + " only"))
			Expect(r.Ledger.Volatile).To(BeEmpty())
		}
	})
	It("in one version, once, is volatile", func(ctx SpecContext) {
		for _, v := range schemas.Versions() {
			r := execute(ctx, func(c call, value any) any {
				if record, ok := value.(map[string]any); ok && c.user == lastUser() {
					record["CreatedBy"] = "after"
					if c.version == v && c.number == 1 {
						record["CreatedBy"] = "before"
					}
				}
				return value
			})
			Expect(unlike(r)).To(BeEmpty())
			Expect(r.Ledger.Volatile).To(Equal(volatile), string(v))
		}
	})
	It("in one version, once, and then always differs from the other, fails: only its first answer is right", func(ctx SpecContext) {
		r := execute(ctx, func(c call, value any) any {
			if record, ok := value.(map[string]any); ok && c.user == lastUser() && c.version == schemas.V6 &&
				c.number > 1 {
				record["CreatedBy"] = "after"
			}
			return value
		})
		Expect(unlike(r)).To(Equal([]string{valuesOfRecord + " v5=v6 fail"}))
		Expect(r.Ledger.Volatile).To(BeEmpty())
	})
	It("leaves the rest of the answer compared", func(ctx SpecContext) {
		r := execute(ctx, func(c call, value any) any {
			value = changing(schemas.Versions()...)(c, value)
			return inSix(schemas.GetUserAuth, put("Description", "x"))(c, value)
		})
		Expect(unlike(r)).To(Equal([]string{valuesOfRecord + " v5=v6 fail"}))
		Expect(causesOf(row(r, valuesOfRecord, schemas.Parity))).To(Equal([]string{`value at "/Description", 1`}))
	})
	It("in one version does not hide that the other refuses", func(ctx SpecContext) {
		r := execute(ctx, func(c call, value any) any {
			if c.version == schemas.V6 && c.operation == schemas.GetUserAuth && c.user == lastUser() {
				return nil
			}
			return changing(schemas.V5)(c, value)
		})
		Expect(row(r, shapeOfRecord, schemas.Parity).Verdict()).To(Equal(ledger.Fail))
	})
	It("is a finding of shape where only shapes are compared and a member comes and goes in one version",
		func(ctx SpecContext) {
			r := execute(ctx, func(c call, value any) any {
				if c.version == schemas.V6 && c.operation == schemas.GetUserAuth && c.user == lastUser() &&
					c.number%2 == 0 {
					return leaveOut("Description")(value)
				}
				return value
			}, func(s *settings.Settings) { s.ParityMode = settings.ParityShape })
			Expect(unlike(r)).To(Equal([]string{shapeOfRecord + " v5=v6 fail"}))
		})

	// A, B, A in v5 and A, B, C in v6 are both volatile: nothing else may seem to diverge for how often it was seen.
	It("makes nothing diverge that does not", func(ctx SpecContext) {
		texts := map[schemas.Version][]string{schemas.V5: {"a", "b", "a", "b", "a"},
			schemas.V6: {"a", "b", "c", "d", "e"}}
		r := execute(ctx, func(c call, value any) any {
			if record, ok := value.(map[string]any); ok && c.user == lastUser() {
				record["Description"], record["CreatedBy"] = nil, texts[c.version][c.number-1]
			}
			return value
		}, func(s *settings.Settings) { s.Divergence = settings.DivergenceFail })
		Expect(r.Ledger.Volatile).To(Equal(volatile))
		for _, o := range r.Ledger.Observations() {
			Expect(o.Agree == nil || *o.Agree).To(BeTrue(), "%s: %v", o.Requirement.ID, o.Seen)
		}
	})
})
