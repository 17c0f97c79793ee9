package session_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestSession(t *testing.T) { testkit.Specs(t, "session") }

// serve serves the reference or, with a name, one of its mutants.
func serve(mutant string) *url.URL {
	GinkgoHelper()
	handler := reference.New(reference.Options{Users: users(), AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
	if mutant != "" {
		m, known := mutants.Find(mutant)
		Expect(known).To(BeTrue())
		handler = m.Handler(handler)
	}
	return testkit.Serve(handler)
}

func users() []fixtures.User { return testkit.Must(fixtures.Users()) }

func only(v schemas.Version) func(*settings.Settings) {
	return func(s *settings.Settings) {
		s.Versions, s.Targets = []schemas.Version{v}, map[schemas.Version]*settings.Target{v: s.Targets[v]}
	}
}

func readV5(from string) func(*settings.Settings) {
	return func(s *settings.Settings) {
		s.Targets["v5"] = &settings.Target{}
		s.Recorded = map[schemas.Version]*exchange.Recorded{"v5": {From: from}}
	}
}

// rows are the rows that have a verdict other than pass.
func rows(r *report.Report) (list []string) {
	for _, row := range r.Requirements {
		if row.Verdict != ledger.Pass {
			list = append(list, row.ID+" "+string(row.Version)+" "+string(row.Verdict))
		}
	}
	return list
}

var _ = Describe("A run with a version that was recorded", func() {
	It("asks the other one alone, compares, certifies nothing, and can be judged again", func(ctx SpecContext) {
		target := serve("")
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5")), testkit.Suite())
		for _, from := range []string{folder, filepath.Join(folder, report.EvidenceFile)} {
			r, into := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(from)), testkit.Suite())
			Expect(rows(r)).To(BeEmpty())
			Expect([]any{r.Verdict, r.Complete, r.Certifies}).To(Equal([]any{ledger.Pass, true, false}))
			Expect(slices.ContainsFunc(r.Requirements, func(row report.Row) bool { return row.Version == "v5" })).To(
				BeFalse(), "nothing is judged in v5")
			d := r.Document()
			Expect(d.Scope).To(Equal("It certifies nothing: v5 was recorded, not asked."))
			Expect(strings.Join(d.Lead, " ")).To(And(ContainSubstring("v5 recorded 20"),
				ContainSubstring("before the other version was asked")))
			again, _ := testkit.JudgeAgain(ctx, into, testkit.Suite())
			Expect(again.Verdict).To(Equal(ledger.Pass))
			Expect(again.Requirements).To(HaveLen(len(r.Requirements)))
			Expect(again.Recorded["v5"].Digest).To(Equal(r.Recorded["v5"].Digest))
		}
	})

	It("finds the differences that the live pair shows, and diverges at no point for what it did not send",
		func(ctx SpecContext) {
			for _, name := range []string{"created-on-two-digit-fraction-v5", "created-on-no-zone-v6",
				"authentication-count-limit-fraction-one-user-v6"} {
				target := serve(name)
				live, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users()), testkit.Suite())
				_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5")), testkit.Suite())
				r, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(folder)), testkit.Suite())
				Expect(rows(r)).To(Equal(slices.DeleteFunc(rows(live), func(row string) bool {
					return strings.Contains(row, " v5 ")
				})), name)
			}
			target := serve("")
			_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5")), testkit.Suite())
			r, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(folder)), testkit.Suite())
			for _, o := range r.Observations {
				Expect(o.Agree == nil || *o.Agree).To(BeTrue(), o.ID)
			}
		})

	It("says first that the record is of the built-in reference", func(ctx SpecContext) {
		target := serve("")
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5"),
			func(s *settings.Settings) { s.Embedded = true }), testkit.Suite())
		r, into := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(folder)), testkit.Suite())
		again, _ := testkit.JudgeAgain(ctx, into, testkit.Suite())
		for _, one := range []*report.Report{r, again} {
			Expect(one.Target["v5"]).To(Equal(report.BuiltInReference))
			Expect(one.Document().Lead).To(ContainElement(
				ContainSubstring(", of " + report.BuiltInReference + ", record ")))
		}
	})

	It("calls nobody equal whom the record lacks", func(ctx SpecContext) {
		target := serve("")
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users()[1:], only("v5")), testkit.Suite())
		r, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(folder)), testkit.Suite())
		Expect(r.Verdict).To(Equal(ledger.Inconclusive))
		Expect(rows(r)).To(ContainElements("9.3/getUserAuth/values v5=v6 inconclusive",
			"9.3/findByUserIds/shape v5=v6 inconclusive"))
		const user = `for user "10021" (an ordinary user, every field has a value)`
		Expect(r.Missing).To(Equal([]string{"the record of v5 has no answer of getUserAuth " + user,
			"the record of v5 has no answer of findByUserIds " + user}))
		d := r.Document()
		Expect(d.Verdict).To(ContainSubstring("the record does not have every user of the users file"))
		Expect(testkit.ItemsOf(d, "inconclusive")[0].Text).To(Equal("4 checks left out, as the record does not have " +
			"every user: leave the others out of the users file, or name a record that has them."))
	})

	It("counts what changed from call to call in the record as in a live version", func(ctx SpecContext) {
		n := 0
		target := testkit.Serve(testkit.Changing(reference.New(reference.Options{Users: users(),
			AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}),
			func(v schemas.Version, record map[string]any) {
				if record["Description"] = "a text"; v == "v5" {
					n++
					record["Description"] = string(kit.Encode(n))
				}
			}))
		live, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users()), testkit.Suite())
		Expect(rows(live)).To(Equal([]string{"9.3/getUserAuth/values v5=v6 fail"}))
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5")), testkit.Suite())
		r, _ := testkit.RunAndReport(ctx, testkit.Settings(target, users(), readV5(folder)), testkit.Suite())
		Expect(rows(r)).To(Equal(rows(live)))
		Expect(r.Unsteady).To(ContainElement(And(HaveField("Operation", schemas.GetUserAuth),
			HaveField("Pointer", "/Description"), HaveField("Users", HaveKeyWithValue(schemas.V6, 0)))))
	})

	It("is refused evidence that was changed, or whose statement can't be read", func(ctx SpecContext) {
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(serve(""), users(), only("v5")), testkit.Suite())
		path := filepath.Join(folder, report.EvidenceFile)
		testkit.Write(folder, report.EvidenceFile, append(testkit.Read(path), ' '))
		for _, from := range []string{folder, path} {
			_, err := session.New(testkit.Settings(serve(""), users(), readV5(from)), testkit.Suite(), nil)
			Expect(err).To(MatchError(And(HavePrefix(path+" was changed since it was recorded"),
				HaveSuffix("; name the unchanged file, or one in a folder without the statement"))))
		}
	})

	It("is refused evidence that has no answer of the version, or only values that are hidden", func(ctx SpecContext) {
		target := serve("")
		_, folder := testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v6")), testkit.Suite())
		_, err := session.New(testkit.Settings(target, users(), readV5(folder)), testkit.Suite(), nil)
		Expect(err).To(MatchError(ContainSubstring("has no answer of v5")))
		Expect(os.Remove(filepath.Join(folder, report.EvidenceFile))).To(Succeed())
		_, err = session.New(testkit.Settings(target, users(), readV5(folder)), testkit.Suite(), nil)
		Expect(err).To(MatchError(HavePrefix(folder +
			" has no evidence.har, so nothing is recorded in it: its run was not")))
		_, folder = testkit.RunAndReport(ctx, testkit.Settings(target, users(), only("v5"),
			func(s *settings.Settings) { s.Values = settings.ValuesHide }), testkit.Suite())
		_, err = session.New(testkit.Settings(target, users(), readV5(folder)), testkit.Suite(), nil)
		Expect(err).To(MatchError(ContainSubstring("hidden")))
	})
})
