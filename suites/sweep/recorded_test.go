package sweep_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
	"authenticator-conformance/suites/sweep/record"
)

// recording makes a sweep record v5 in a file.
func recording(path string) change {
	return func(s *settings.Settings, _ *sweep.Options) {
		s.Versions, s.Record = []schemas.Version{"v5"}, path
		delete(s.Targets, "v6")
	}
}

// build makes a sweep be of a build of the product.
func build(name string) change {
	return func(s *settings.Settings, _ *sweep.Options) { s.Subject.Build = name }
}

// recordV5 records v5 of a target for so many users, and returns the path.
func recordV5(target *url.URL, users int, changes ...change) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")
	out := carryOut(newSweep(target, inventedUsers(users), append(changes, recording(path))...))
	Expect(out.Error).To(BeNil())
	return path
}

// against makes a sweep compare with a record of v5, which is not asked.
func against(path string) change {
	return func(s *settings.Settings, _ *sweep.Options) {
		s.Recorded = map[schemas.Version]*exchange.Recorded{"v5": {From: path}}
		s.Targets["v5"] = &settings.Target{}
	}
}

// replacing answers the requests for the users with a number in list, of one version, with a changed body.
func replacing(service http.Handler, v schemas.Version, change func(body []byte, user int,
	n int64) []byte) *fakeTarget {
	var n atomic.Int64
	return serveExcept(service, func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
		if !strings.Contains(r.URL.Path, "/"+string(v)+"/") {
			return false
		}
		answer := &recorder{header: http.Header{}, status: 200}
		service.ServeHTTP(answer, r)
		body := change(answer.body.Bytes(), user, n.Add(1))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.status)
		_, _ = w.Write(body) // a client that went away has no use for the error
		return true
	})
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func differing(out *sweepRun) (users []int64) {
	for _, f := range out.findings {
		if f.Differs() && !slices.Contains(users, f.User.Index) {
			users = append(users, f.User.Index)
		}
	}
	return users
}

var _ = Describe("A recorded version", func() {
	It("is compared with another as if it were asked: exactly the users differ whose answers do", func() {
		path := recordV5(serveAll(validFor(60)).URL, 60)
		changed := replacing(validFor(60), "v6", func(body []byte, user int, _ int64) []byte {
			switch user {
			case 7:
				return bytes.Replace(body, []byte(`"CreatedBy":"reference"`), []byte(`"CreatedBy":"other"`), 1)
			case 21:
				return bytes.Replace(body, []byte(`"CreatedBy":"reference"`), []byte(`"CreatedBy":null`), 1)
			case 33:
				return []byte(`null`)
			case 48:
				return append(append([]byte("["), body...), ']')
			}
			return body
		})
		out := carryOut(newSweep(changed.URL, inventedUsers(60), against(path)))
		Expect(out.Verdict).To(Equal(ledger.Fail))
		Expect(differing(out)).To(Equal([]int64{7, 21, 33, 48}))
		Expect(out.findings).To(ContainElement(And(HaveField("Pointer", "/CreatedBy"),
			HaveField("Values", HaveKeyWithValue(schemas.Version("v5"), `"reference"`)))))
		Expect(out.Traffic.Requests).To(BeNumerically("<", 150), "v5 was not asked")
		Expect(out.Recorded["v5"].Users).To(BeEquivalentTo(60))
		text := out.Document().Lead[len(out.Document().Lead)-1]
		Expect(text).To(ContainSubstring("v5 recorded 20"))
		Expect(text).To(ContainSubstring("certifies nothing"))
		out.Folder = "night"
		Expect(testkit.DocumentLines(out.Document())).To(ContainSubstring(
			"conformance sweep --last-failed night --recorded v5=" + path + " --report-dir night-again"))
	})

	It("is shown with its day beside the day of the other version, in findings and in the list of who differs", func() {
		path := recordV5(serveAll(validFor(3)).URL, 3)
		setDay(path, "2026-01-02")
		changed := replacing(validFor(3), "v6", func(body []byte, user int, _ int64) []byte {
			return bytes.Replace(body, []byte(`"reference"`), fmt.Appendf(nil, `"%d"`, user), 1)
		})
		w := newSweep(changed.URL, inventedUsers(3), against(path))
		out, today := carryOut(w), time.Now().UTC().Format(time.DateOnly)
		for _, f := range out.findings {
			Expect(f.Expected).To(HavePrefix("what v5 showed on 2026-01-02 (ru"))
			Expect(f.Actual).To(HavePrefix("v6 showed on " + today))
		}
		f := testkit.Must(folder.Open(w.Settings.ReportDir))
		defer f.Close()
		Expect(sweep.Write(f, nil, out.Summary, record.Source{Folder: f.Dir(), Digest: out.Findings})).To(Succeed())
		head, _, _ := strings.Cut(string(testkit.Read(f.Dir(), stats.DifferencesFile)), "\r\n")
		Expect(head).To(HaveSuffix(",v5 recorded on 2026-01-02,v6 on " + today))
	})

	It("is the same however its users are ordered, and counts who is in the record or in the users file alone", func() {
		path := recordV5(serveAll(validFor(40)).URL, 40)
		others := inventedUsers(43)[5:]
		slices.Reverse(others)
		out := carryOut(newSweep(serveAll(validFor(43)).URL, others, against(path), withConcurrency(8)))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 35, stats.NotComparable: 3}))
		Expect(out.Verdict).To(Equal(ledger.Inconclusive))
		Expect(out.Recorded["v5"].Lacking).To(BeEquivalentTo(3))
		Expect(out.Recorded["v5"].Unmatched).To(BeEquivalentTo(5))
		Expect(out.Proves).To(Equal("it covers 35 of the 38 users of the population; 3 are not in the record of v5; " +
			"5 users of the record of v5 are not in the users file, and were not asked"))
		for _, share := range out.Tally.Outcomes {
			Expect(share[stats.NotComparable].Why).To(Equal(map[string]int64{"the record of v5 does not have the " +
				"user": 3}))
		}
	})

	It("is compared only where its body was kept", func() {
		large := replacing(validFor(3), "v5", func(body []byte, user int, _ int64) []byte {
			if user == 1 {
				return bytes.Replace(body, []byte(`"reference"`), []byte(`"`+strings.Repeat("x", 2<<20)+`"`), 1)
			}
			return body
		})
		path := recordV5(large.URL, 3)
		out := carryOut(newSweep(serveAll(validFor(3)).URL, inventedUsers(3), against(path)))
		Expect(out.Tally.Outcomes[schemas.GetUserAuth][stats.NotComparable].Why).To(Equal(
			map[string]int64{"the record of v5 has only a digest of the answer": 1}))
		Expect(out.Recorded["v5"].Withheld).To(BeEquivalentTo(2), "of both calls")
	})

	It("counts with what changed from call to call in the record, or in the live version", func() {
		counting := func(v schemas.Version) *url.URL {
			return replacing(validFor(5), v, func(body []byte, _ int, n int64) []byte {
				return bytes.Replace(body, []byte(`"reference"`), fmt.Appendf(nil, `"%s %d"`, v, n), 1)
			}).URL
		}
		for _, c := range []struct {
			v5, v6  *url.URL
			verdict ledger.Verdict
		}{
			{counting("v5"), serveAll(validFor(5)).URL, ledger.Fail},
			{serveAll(validFor(5)).URL, counting("v6"), ledger.Fail},
			{counting("v5"), counting("v6"), ledger.Inconclusive},
		} {
			out := carryOut(newSweep(c.v6, inventedUsers(5), against(recordV5(c.v5, 5))))
			Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Unsteady: 5}))
			Expect(out.Verdict).To(Equal(c.verdict), out.Reason)
		}
	})

	It("is no reason to wait, or to ask again: controls are of the live version alone", func() {
		path := recordV5(serveAll(validFor(30)).URL, 30)
		target := serveExcept(validFor(30), untilControls(50, 401, `{}`))
		out := carryOut(newSweep(target.URL, inventedUsers(30), against(path), withConcurrency(1)))
		Expect(out.Verdict).To(Equal(ledger.Pass), out.Reason)
		Expect(out.Traffic.Controls).To(BeNumerically(">", 0))
		Expect(out.Traffic.Interruptions).To(BeEquivalentTo(1))
	})

	It("can be read by the shards of a sweep, which are merged", func() {
		path := recordV5(serveAll(validFor(40)).URL, 40)
		target := serveAll(validFor(39)).URL
		var names []string
		var shards []*stats.Summary
		for i := range 2 {
			w := newSweep(target, inventedUsers(39), against(path),
				func(_ *settings.Settings, o *sweep.Options) { o.Shard = stats.Shard{Index: i + 1, Of: 2} })
			names, shards = append(names, fmt.Sprint(i)), append(shards, carryOut(w).Summary)
		}
		whole := testkit.Must(stats.Merge(names, shards, time.Now()))
		Expect(whole.Verdict).To(Equal(ledger.Pass))
		Expect(whole.Recorded["v5"].Unmatched).To(BeEquivalentTo(1))
	})

	It("is the same after stops at any moment, of both halves", func(ctx SpecContext) {
		target := serveAll(validFor(80))
		path := filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")
		w := newSweep(target.URL, inventedUsers(80), recording(path))
		for range 4 {
			target.stopAfter(ctx, w, 50)
			w = newSweep(target.URL, nil, recording(path), resumeSweep(w))
		}
		Expect(carryOut(w).Tally.Users).To(BeEquivalentTo(80))
		changed := replacing(validFor(80), "v6", func(body []byte, user int, _ int64) []byte {
			if user%20 == 3 {
				return bytes.Replace(body, []byte(`"reference"`), []byte(`"other"`), 1)
			}
			return body
		})
		w = newSweep(changed.URL, inventedUsers(80), against(path))
		for range 3 {
			changed.stopAfter(ctx, w, 40)
			w = newSweep(changed.URL, nil, against(path), resumeSweep(w))
		}
		out := carryOut(w)
		Expect(differing(out)).To(Equal([]int64{3, 23, 43, 63}))
		Expect(out.Recorded["v5"].Unmatched).To(BeZero())
		Expect(out.Recorded["v5"].Users).To(BeEquivalentTo(80))

		other := newSweep(changed.URL, nil, against(recordV5(target.URL, 80)), resumeSweep(w))
		Expect(other.Execute(ctx, sweep.Watch{})).To(MatchError(ContainSubstring("another record of a version")))
	}, SpecTimeout(5*time.Minute))

	It("lists a user who got no answer at first once, with the answers that came at the end", func() {
		var first atomic.Bool
		target := serveExcept(validFor(20), func(w http.ResponseWriter, r *http.Request, user int, _ int64) bool {
			if user != 3 || first.Swap(true) {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		})
		path := recordV5(target.URL, 20)
		out := carryOut(newSweep(serveAll(validFor(20)).URL, inventedUsers(20), against(path)))
		Expect(out.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 20}))
		Expect(out.Recorded["v5"].Users).To(BeEquivalentTo(20))
	})
})

var _ = Describe("A sweep that records", func() {
	It("judges the version by its contract, and says what it recorded", func() {
		path := filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")
		out := carryOut(newSweep(testkit.Serve(wrongForAll(3)), inventedUsers(3), recording(path)))
		Expect(out.Verdict).To(Equal(ledger.Fail))
		Expect(out.Tally.Findings[schemas.GetUserAuth].Violations).To(BeEquivalentTo(3))
		Expect(out.Recording.Users).To(BeEquivalentTo(3))
		Expect(strings.Join(out.Document().Lead, "\n")).To(ContainSubstring("Record in " + path))
		Expect(testkit.Must(os.Stat(path)).Mode().Perm()).To(BeEquivalentTo(0o600))
	})

	It("never replaces a finished record, or a file of anybody else", func(ctx SpecContext) {
		target := serveAll(validFor(5)).URL
		path := recordV5(target, 5)
		again := newSweep(target, inventedUsers(5), recording(path), func(_ *settings.Settings, o *sweep.Options) {
			o.Restart = true
		})
		Expect(again.Execute(ctx, sweep.Watch{})).To(MatchError(ContainSubstring(
			"is a finished record, which is never replaced")))
		foreign := testkit.Write(GinkgoT().TempDir(), "users.csv", []byte("id,userId\n"))
		again = newSweep(target, inventedUsers(5), recording(foreign))
		Expect(again.Execute(ctx, sweep.Watch{})).To(MatchError(ContainSubstring("is no record; it is not replaced")))
		Expect(string(testkit.Read(foreign))).To(Equal("id,userId\n"))
	})

	DescribeTable("refuses, before it asks anything, a part that does not belong to the first one in the folder: ",
		func(ctx SpecContext, users, of int, says string, changes ...change) {
			target := serveAll(validFor(31))
			dir := filepath.Join(GinkgoT().TempDir(), "v5")
			part := func(index, of int) change {
				return func(s *settings.Settings, o *sweep.Options) {
					recording(dir)(s, o)
					o.Shard = stats.Shard{Index: index, Of: of}
				}
			}
			_ = carryOut(newSweep(target.URL, inventedUsers(30), part(1, 2), build("b6")))
			asked := target.requests.Load()
			second := newSweep(target.URL, inventedUsers(users), append([]change{part(2, of)}, changes...)...)
			found := testkit.Write(second.Settings.ReportDir, stats.FindingsFile, []byte("of an earlier sweep"))
			Expect(second.Execute(ctx, sweep.Watch{})).To(MatchError(And(
				HavePrefix("--record: "+dir+"/v5-1-of-2.ndjson.gz, "), MatchRegexp(says))))
			Expect(target.requests.Load()).To(Equal(asked))
			Expect(string(testkit.Read(found))).To(Equal("of an earlier sweep"))

			right := carryOut(newSweep(target.URL, inventedUsers(30), part(2, 2)))
			Expect(right.Verdict).To(Equal(ledger.Pass), right.Reason)
			both := carryOut(newSweep(target.URL, inventedUsers(30), against(dir)))
			Expect(both.listOutcomes()).To(Equal(map[stats.Outcome]int64{stats.Equal: 30}))
		},
		Entry("of a users file that was exported again", 31, 2, `its users file \(sha256:.*, not sha256:`),
		Entry("of the same host by another name", 30, 2,
			`its target \(http://127.0.0.1:\d+, not http://localhost:\d+\): `,
			change(func(s *settings.Settings, _ *sweep.Options) {
				other := *s.Targets["v5"].URL
				other.Host = "localhost:" + other.Port()
				s.Targets["v5"].URL = &other
			})),
		Entry("of another build", 30, 2, `its product \(.*b6.*, not .*b7`, build("b7")),
		Entry("with another application id", 30, 2, "its settings of parity or waivers, or application id",
			change(func(s *settings.Settings, _ *sweep.Options) { s.Targets["v5"].ApplicationID += "2" })),
		Entry("of three", 30, 3, `its number of shards \(2, not 3\)`),
		Entry("of another version", 30, 2, `its version \(v5, not v6\)`,
			change(func(s *settings.Settings, _ *sweep.Options) {
				s.Versions = []schemas.Version{"v6"}
				s.Targets = map[schemas.Version]*settings.Target{"v6": s.Targets["v5"]}
			})),
	)

	It("replaces a record that was not finished only to start again", func(ctx SpecContext) {
		target := serveAll(validFor(100))
		path := filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")
		target.stopAfter(ctx, newSweep(target.URL, inventedUsers(100), recording(path)), 220)
		_, err := sweep.OpenRecord(&settings.Settings{Recorded: map[schemas.Version]*exchange.Recorded{
			"v5": {From: path}}}, testkit.Contract())
		Expect(err).To(MatchError(ContainSubstring("the record has no footer")))
		Expect(newSweep(target.URL, inventedUsers(100), recording(path)).Execute(ctx, sweep.Watch{})).To(MatchError(
			ContainSubstring("continue its sweep with --resume, or give it up with --restart")))
		out := carryOut(newSweep(target.URL, inventedUsers(100), recording(path),
			func(_ *settings.Settings, o *sweep.Options) { o.Restart = true }))
		Expect(out.Recording.Users).To(BeEquivalentTo(100))
	}, SpecTimeout(5*time.Minute))

	It("writes no secret that the target echoes", func() {
		target := replacing(validFor(3), "v5", func(body []byte, _ int, _ int64) []byte {
			return bytes.Replace(body, []byte(`"reference"`), []byte(`"`+fixtures.AccessToken+`"`), 1)
		})
		path := recordV5(target.URL, 3)
		lines := unpack(path)
		Expect(lines).NotTo(ContainSubstring(fixtures.AccessToken))
		Expect(lines).To(ContainSubstring("user-2"))
	})

	It("shows its progress with the size of the record", func(ctx context.Context) {
		var last sweep.Progress
		w := newSweep(serveAll(validFor(30)).URL, inventedUsers(30),
			recording(filepath.Join(GinkgoT().TempDir(), "v5.ndjson.gz")))
		Expect(w.Execute(ctx, sweep.Watch{Progress: func(p sweep.Progress) { last = p }})).To(Succeed())
		Expect(last.String()).To(ContainSubstring("record 0."))
	})
})

// setDay rewrites a record as if it were made on a day.
func setDay(path, day string) {
	GinkgoHelper()
	at := testkit.Must(time.Parse(time.DateOnly, day))
	text := regexp.MustCompile(`"at":\d+`).ReplaceAllString(unpack(path), fmt.Sprintf(`"at":%d`, at.UnixMilli()))
	text = regexp.MustCompile(`"started":"[^"]*"`).ReplaceAllString(text, `"started":"`+day+`T00:00:00Z"`)
	lines, content := strings.SplitAfter(text, "\n"), []byte(nil)
	last := len(lines) - 2 // nothing follows the last line break
	for _, member := range []string{lines[0], strings.Join(lines[1:last], ""), lines[last]} {
		if strings.HasPrefix(member, `{"line":"footer"`) {
			member = regexp.MustCompile(`"digest":"[^"]*"`).ReplaceAllString(member,
				fmt.Sprintf(`"digest":"sha256:%x"`, sha256.Sum256(content)))
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_ = testkit.Must(io.WriteString(w, member))
		Expect(w.Close()).To(Succeed())
		content = append(content, packed.Bytes()...)
	}
	testkit.Write(filepath.Dir(path), filepath.Base(path), content)
}

// unpack returns the lines of a record.
func unpack(path string) string {
	GinkgoHelper()
	reader := testkit.Must(gzip.NewReader(bytes.NewReader(testkit.Read(path))))
	return string(testkit.Must(io.ReadAll(reader)))
}
