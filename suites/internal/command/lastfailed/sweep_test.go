package lastfailed_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/command/lastfailed"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings/users"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// sweepInto sweeps the users of a users file, or the given ones, into a new folder.
func (s *service) sweepInto(ctx context.Context, users []users.Row) (result *stats.Summary, dir string) {
	GinkgoHelper()
	own := *s.settings
	own.ReportDir, own.UsersFile = GinkgoT().TempDir(), testkit.Write(GinkgoT().TempDir(), "users.ndjson",
		testkit.UsersNDJSON())
	w := sweep.New(&own, testkit.Suite(), sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}},
		sweep.Input{Out: session.WayOut(&own, testkit.Suite()), LastFailed: users})
	return w.Summary(time.Now(), w.Execute(ctx, sweep.Watch{})), own.ReportDir
}

var _ = Describe("Whom a sweep found", func() {
	It("are found alone, too, with fewer requests, and no longer when it is repaired", func(ctx SpecContext) {
		s := serve(mutant("created-on-two-digit-fraction-one-user-v5"))
		whole, dir := s.sweepInto(ctx, nil)
		Expect([]any{whole.Verdict, whole.Complete}).To(Equal([]any{ledger.Fail, true}))
		users, sent := testkit.Must(lastfailed.OfSweep(dir, testkit.Contract())), s.requests.Swap(0)

		again, _ := s.sweepInto(ctx, users)
		Expect([]any{again.Verdict, again.Complete, again.Tally.Users, again.Identity.LastFailed}).To(
			Equal([]any{ledger.Fail, false, int64(1), 1}))
		Expect(again.Tally.Groups).To(HaveLen(len(whole.Tally.Groups)))
		Expect(again.Tally.Groups[0].Sample[0].User).To(Equal(whole.Tally.Groups[0].Sample[0].User))
		Expect(s.requests.Load()).To(BeNumerically("<", sent))

		s.wrong = nil
		again, passed := s.sweepInto(ctx, users)
		Expect([]any{again.Verdict, again.Complete}).To(Equal([]any{ledger.Pass, false}))
		Expect(again.Proves).To(Equal("it covers only the 1 user for whom something was found before"))
		_, err := lastfailed.OfSweep(passed, testkit.Contract())
		Expect(err).To(MatchError(ContainSubstring("nothing was found")))
	})

	It("end the sweep as an error, as any users do, if a version refuses them all that is gone meanwhile",
		func(ctx SpecContext) {
			s := serve(mutant("flags-fraction-v6"))
			whole, dir := s.sweepInto(ctx, nil)
			Expect(whole.Verdict).To(Equal(ledger.Fail))
			wrong := s.wrong
			s.wrong = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "/v5/") {
					http.NotFound(w, r)
					return
				}
				wrong.ServeHTTP(w, r)
			})
			again, refused := s.sweepInto(ctx, testkit.Must(lastfailed.OfSweep(dir, testkit.Contract())))
			Expect(again.Verdict).To(Equal(ledger.Fault))
			f := testkit.Must(folder.Open(refused))
			defer f.Close()
			Expect(sweep.Write(f, nil, again)).To(Succeed())
			_, err := lastfailed.OfSweep(refused, testkit.Contract())
			Expect(err).To(MatchError(ContainSubstring("is not known, as its sweep was not carried out (")))
			Expect(again.Reason).To(And(ContainSubstring("v5 refuses everything"),
				ContainSubstring("v6 serves one of these users, so check the settings of v5")))
			Expect(again.Tally.Groups).To(BeEmpty())
		})

	DescribeTable("are read from a list of differences that a spreadsheet saved:", func(text string) {
		path := testkit.Write(GinkgoT().TempDir(), stats.DifferencesFile, []byte(text))
		users := testkit.Must(lastfailed.OfSweep(path, testkit.Contract()))
		Expect(users).To(HaveLen(1))
		Expect(users[0].UserID).To(Equal("nina; o"))
	},
		Entry("with a byte order mark", "\xef\xbb\xbfuser,id,operation\r\n"+
			"nina; o,fbc1af89-7d69-4938-84f7-18fd250c67f3,getUserAuth\r\n"),
		Entry("with two carriage returns", "user,id,operation\r\r\n"+
			"\"nina; o\",fbc1af89-7d69-4938-84f7-18fd250c67f3,\"getUserAuth\"\r\r\n"),
		Entry("with semicolons", "user;id;operation\n"+
			"\"nina; o\";fbc1af89-7d69-4938-84f7-18fd250c67f3;getUserAuth\n"),
		Entry("with both, and quotation marks", "\xef\xbb\xbf\"user\";\"id\";\"operation\"\n"+
			"\"nina; o\";\"fbc1af89-7d69-4938-84f7-18fd250c67f3\";\"getUserAuth\"\n"),
	)

	It("are read from the list of differences where there are no findings, each once", func(ctx SpecContext) {
		whole, dir := serve(mutant("flags-fraction-v6")).sweepInto(ctx, nil)
		expected := testkit.Must(lastfailed.OfSweep(dir, testkit.Contract()))
		Expect(len(expected)).To(BeNumerically(">", 1))
		Expect(os.Remove(filepath.Join(dir, stats.FindingsFile))).To(Succeed())
		text := "user,id,operation\r\n"
		for _, u := range append(expected, expected[0]) {
			text += `"` + strings.ReplaceAll(u.UserID, `"`, `""`) + `",` + u.ID + ",getUserAuth\r\n"
		}
		for _, name := range []string{"'=1+1", "''=1+1", `DOMAIN\nina`} {
			text += name + ",fbc1af89-7d69-4938-84f7-18fd250c67f3,getUserAuth\r\n"
		}
		testkit.Write(dir, stats.DifferencesFile, []byte(text))
		writeSummary(dir, whole)
		users := testkit.Must(lastfailed.OfSweep(dir, testkit.Contract()))
		Expect(users).To(HaveLen(len(expected) + 3))
		for i, u := range expected {
			Expect(users[i].User).To(Equal(u.User))
		}
		for i, name := range []string{"=1+1", "'=1+1", `DOMAIN\nina`} {
			Expect(users[len(expected)+i].UserID).To(Equal(name))
		}
	})

	DescribeTable("can't be read", func(files map[string]string, says string) {
		dir := GinkgoT().TempDir()
		for name, content := range files {
			testkit.Write(dir, name, []byte(content))
		}
		_, err := lastfailed.OfSweep(dir, testkit.Contract())
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("from a folder without findings", nil, "is no report folder of a sweep"),
		Entry("from findings that have no end", map[string]string{stats.FindingsFile: header("") + finding("1")},
			"has no footer"),
		Entry("in another format, and the release that wrote it is named", map[string]string{
			stats.FindingsFile: `{"line":"header","format":"1.2","suite":"1.4.0 0f1e2d3c"}` + "\n" + footer},
			"release 1.4.0 of the suite wrote it in format 1.2, which this release does not read; sweep again"),
		Entry("if they are hidden", map[string]string{stats.FindingsFile: header("hide") + finding("1") + footer},
			"its users are not in it"),
		Entry("if one is cut", map[string]string{stats.FindingsFile: header("") +
			finding("1… (300 characters in all)") + footer}, "is not there in full"),
		Entry("if one has what can't be seen", map[string]string{stats.FindingsFile: header("") +
			finding(`a\\u200bb`) + footer}, "has an escape"),
		Entry("if one has a byte that is no text", map[string]string{stats.FindingsFile: header("") +
			finding(`a\\x9b`) + footer}, "has an escape"),
		Entry("from differences that name nobody", map[string]string{stats.DifferencesFile: "user,id\r\n"},
			"nothing was found"),
		Entry("from differences alone whose ids are hidden", map[string]string{
			stats.DifferencesFile: "user,id\r\n<6 characters>,<36 characters>\r\n"}, "is no id of a user"),
	)
})

func header(values string) string {
	return `{"line":"header","identity":{"values":"` + values + `"}}` + "\n"
}

func finding(userID string) string {
	return `{"line":"finding","user":{"index":0,"id":"fbc1af89-7d69-4938-84f7-18fd250c67f3","userId":"` + userID +
		`"},"operation":"` + string(schemas.GetUserAuth) + `"}` + "\n"
}

const footer = `{"line":"footer"}` + "\n"

func writeSummary(dir string, whole *stats.Summary) {
	GinkgoHelper()
	file := testkit.Must(os.Create(filepath.Join(dir, stats.SummaryFile)))
	defer file.Close()
	Expect(stats.Write(file, whole)).To(Succeed())
}
