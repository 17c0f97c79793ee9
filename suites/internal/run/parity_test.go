package run_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

const (
	shapeOfRecord  = "9.3/getUserAuth/shape"
	valuesOfRecord = "9.3/getUserAuth/values"
	valuesOfList   = "9.3/findByUserIds/values"
	shapeOfList    = "9.3/findByUserIds/shape"
)

// inSix changes what v6 answers for the last user, in one operation.
func inSix(op schemas.Operation, change func(value any) any) func(call, any) any {
	return func(c call, value any) any {
		if c.version == schemas.V6 && c.operation == op && c.user == lastUser() {
			return change(value)
		}
		return value
	}
}

// member changes a member of a record, "Device.Model" one of its device.
func member(name string, change func(object map[string]any, name string)) func(any) any {
	return func(value any) any {
		object := value.(map[string]any)
		inner, inDevice := strings.CutPrefix(name, "Device.")
		if inDevice {
			object = object["Device"].(map[string]any)
		}
		change(object, inner)
		return value
	}
}

func put(name string, value any) func(any) any {
	return member(name, func(object map[string]any, name string) { object[name] = value })
}

func leaveOut(name string) func(any) any {
	return member(name, func(object map[string]any, name string) { delete(object, name) })
}

// causesOf writes what failed in a row: kind, place, how often.
func causesOf(row *ledger.Row) []string {
	list := []string{}
	for _, c := range row.Causes {
		list = append(list, fmt.Sprintf("%s at %q, %d", c.Kind, c.Pointer, c.Count))
	}
	return list
}

var _ = Describe("two versions that differ in one thing, for one user of many (J14)", func() {
	DescribeTable("fail in one row, for one cause, and in nothing else",
		func(ctx SpecContext, twist func(call, any) any, id, cause string, also ...string) {
			r := readyRun(&stage{twist: twist}, concurrently(4))
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(unlike(r)).To(ConsistOf(append(also, id+" v5=v6 fail")))
			found := row(r, id, schemas.Parity)
			Expect(causesOf(found)).To(Equal([]string{cause}))
			f := found.Findings[0]
			Expect(f.Probe.Operation).To(BeEquivalentTo(strings.Split(id, "/")[1]))
			Expect(f.Probe.User.UserID).To(Equal(lastUser()))
			Expect(report.Expected(nil, f)).To(HavePrefix("what v5 shows (e"))
			Expect(report.Actual(nil, f)).To(HavePrefix("v6 shows: "))
		},
		Entry("a value", inSix(schemas.GetUserAuth, put("CreatedBy", "x")), valuesOfRecord, `value at "/CreatedBy", 1`),
		Entry("a null for a value", inSix(schemas.GetUserAuth, put("ModeTypeName", nil)), shapeOfRecord,
			`type at "/ModeTypeName", 1`),
		Entry("an identifier missing", inSix(schemas.FindByUserIDs, func(value any) any { return value.([]any)[1:] }),
			valuesOfList, `element missing at "/*", 1`),
		Entry("served against refused", inSix(schemas.GetUserAuth,
			func(any) any { return map[string]any{"error": "no"} }), shapeOfRecord, `served against refused at "", 1`,
			"4/getUserAuth/served v6 fail"),
	)

	DescribeTable("do not differ where nothing counts",
		func(ctx SpecContext, twist func(call, any) any, change ...func(*settings.Settings)) {
			r := readyRun(&stage{twist: twist}, change...)
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(unlike(r)).To(BeEmpty())
		},
		Entry("values, compared by shape", inSix(schemas.GetUserAuth, put("CreatedBy", "x")),
			func(s *settings.Settings) { s.ParityMode = settings.ParityShape }),
		Entry("an ignored place", inSix(schemas.GetUserAuth, put("CreatedBy", "x")),
			func(s *settings.Settings) { s.Ignore = []settings.Ignore{{Pointer: "/CreatedBy", Reason: "known"}} }),
	)
})

var _ = Describe("a row of parity", func() {
	It("has nothing to compare where no answer of both versions is a record or a list", func(ctx SpecContext) {
		r := readyRun(&stage{twist: func(_ call, _ any) any { return true }})
		Expect(r.Execute(ctx)).To(Succeed())
		for _, id := range []string{shapeOfRecord, valuesOfRecord, shapeOfList, valuesOfList} {
			Expect(row(r, id, schemas.Parity).Verdict()).To(Equal(ledger.Inconclusive), id)
			Expect(row(r, id, schemas.Parity).Reason).To(Equal(ledger.NotComparable), id)
		}
	})
	It("does not hold against each other how two versions say that a user has nothing", func(ctx SpecContext) {
		r := readyRun(&stage{before: func(w http.ResponseWriter, now sent, _ int) bool {
			if now.user() != threeUsers()[1].UserID {
				return false
			}
			if now.version() == "v6" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = io.WriteString(w, "[]") // a client that went away has no use for the error
			return true
		}})
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(unlike(r)).To(BeEmpty())
	})
	It("of values has nothing to compare where one version refuses each user", func(ctx SpecContext) {
		r := readyRun(&stage{twist: func(c call, value any) any {
			if c.version == schemas.V6 {
				return nil
			}
			return value
		}})
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(row(r, shapeOfRecord, schemas.Parity).Verdict()).To(Equal(ledger.Fail))
		Expect(row(r, valuesOfRecord, schemas.Parity).Verdict()).To(Equal(ledger.Inconclusive))
	})
	It("of divergence fails where the setting says so, and does not exist elsewhere", func(ctx SpecContext) {
		content := func(s *settings.Settings) { s.Divergence = settings.DivergenceFail }
		r := readyRun(&stage{twist: inSix(schemas.GetUserAuth, func(value any) any { return value })}, content)
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(unlike(r)).To(BeEmpty())
		diverging := readyRun(&stage{twist: func(c call, value any) any {
			if record, ok := value.(map[string]any); ok {
				record["Extra"] = "x"
				if c.version == schemas.V6 {
					delete(record, "Extra")
				}
			}
			return value
		}}, content)
		Expect(diverging.Execute(ctx)).To(Succeed())
		Expect(unlike(diverging)).To(ConsistOf(shapeOfRecord+" v5=v6 fail", "9.3/getUserAuth/divergence v5=v6 fail"))
		Expect(causesOf(row(diverging, "9.3/getUserAuth/divergence", schemas.Parity))).To(
			Equal([]string{`open/2/undocumented-members at "", 1`}))
		Expect(readyRun(&stage{}).Ledger.Row(ledger.Key{ID: "9.3/getUserAuth/divergence", Version: schemas.Parity})).To(
			BeNil())
	})
	It("counts every user and keeps the first fifty findings", func(ctx SpecContext) {
		var users []settings.User
		for i := range 60 {
			users = append(users, settings.User{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
				UserID: fmt.Sprint("made-up-", i), Enrolled: true})
		}
		r := many(users, func(c call, value any) any {
			if c.version == schemas.V6 && c.operation == schemas.GetUserAuth {
				return put("CreatedBy", "x")(value)
			}
			return value
		})
		Expect(r.Execute(ctx)).To(Succeed())
		found := row(r, valuesOfRecord, schemas.Parity)
		Expect(found.Count).To(Equal(60))
		Expect(found.Findings).To(HaveLen(check.MaxFindings))
		Expect(causesOf(found)).To(Equal([]string{`value at "/CreatedBy", 60`}))
	}, NodeTimeout(limit))
})

var _ = Describe("parity.ignore", func() {
	It("names what hid nothing and what is past its date, which hides nothing", func(ctx SpecContext) {
		now := time.Now()
		r := readyRun(&stage{twist: inSix(schemas.GetUserAuth, put("CreatedBy", "x"))}, func(s *settings.Settings) {
			s.Ignore = []settings.Ignore{
				{Pointer: "/CreatedBy", Reason: "past", Until: now.AddDate(0, 0, -2), Where: "file:1"},
				{Pointer: "/Description", Reason: "nothing", Where: "file:2"},
			}
		})
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(unlike(r)).To(Equal([]string{valuesOfRecord + " v5=v6 fail"}))
		Expect(r.Notes()).To(HaveExactElements(
			And(ContainSubstring("/CreatedBy"), ContainSubstring("file:1"), ContainSubstring("ended")),
			And(ContainSubstring("/Description"), ContainSubstring("file:2"), ContainSubstring("hid nothing"))))
	})
	It("names nothing that hid a difference", func(ctx SpecContext) {
		r := readyRun(&stage{twist: inSix(schemas.GetUserAuth, put("CreatedBy", "x"))}, func(s *settings.Settings) {
			s.Ignore = []settings.Ignore{{Pointer: "/CreatedBy", Reason: "known", Until: time.Now(), Where: "file:1"}}
		})
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(r.Notes()).To(BeEmpty())
	})
})
