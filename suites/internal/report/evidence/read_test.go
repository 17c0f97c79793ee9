package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// That evidence is judged as its run was is proved for every service of the fixtures (suites/test/proof).
var _ = Describe("Evidence that is read again", func() {
	It("holds the exchanges that were kept, of each sort", func() {
		f := newFixture()
		f.keepAll(exchangesOfEachSort()...)
		e := parseArchive(f.makeArchive())
		for _, ex := range exchangesOfEachSort() {
			is := testkit.Must(e.Entry(ex.Probe.ID))
			Expect(is).To(Equal(testkit.Must(f.writer.Entry(ex.Probe.ID))), ex.Probe.ID)
			Expect(is.Started.Equal(ex.Started)).To(BeTrue())
			Expect(is.Started.Location()).To(Equal(time.UTC), "the place of the machine must not show")
			if ex.Unkept() == nil {
				Expect(is.Body).To(BeEquivalentTo(ex.Body))
			}
			Expect([]any{is.Probe, is.Duration, is.Status, is.Header, is.Fault, is.Method}).To(
				Equal([]any{ex.Probe, ex.Duration, ex.Status, ex.Header, ex.Fault, ex.Probe.Method()}))
		}
	})

	It("finds each probe again by what it is, not by its id", func(ctx SpecContext) {
		f := newFixture()
		var probes []exchange.Probe
		for _, op := range schemas.Operations() {
			base := exchange.Probe{Operation: op, User: alice}
			for _, base.Version = range schemas.Versions() {
				probes = append(probes, mutatedProbes(base)...)
			}
			probes = append(probes, exchange.Rounds(base, schemas.Versions(), 1, 5)...)
		}
		for i := range probes {
			probes[i].ID = fmt.Sprintf("e%d", i+1)
			ex := answeredExchange("", fmt.Sprint(i))
			ex.Probe = probes[i]
			f.keepAll(ex)
		}
		e := parseArchive(f.makeArchive())
		for i, p := range probes {
			p.ID = "another"
			ex := testkit.Must(e.Do(ctx, p))
			Expect(string(ex.Body)).To(Equal(fmt.Sprint(i)), p.Name())
			Expect(ex.Probe.ID).To(Equal(probes[i].ID), "it is named as in the run")
			ex.Body = nil
			Expect(testkit.Must(e.Do(ctx, p)).Body).NotTo(BeNil(), "who judges it may let go of its body")
		}
	})

	It("has no answer of another user, none of the end of the run, and none that is cut",
		func(ctx SpecContext) {
			f := newFixture()
			ended := exchangesOfEachSort()[4]
			cut := answeredExchange("e3", `"`+strings.Repeat("a", 1<<20)+`"`)
			cut.Probe.Round = 4
			f.keepAll(ended, cut, answeredExchange("e4", "{}"))
			e := parseArchive(f.makeArchive())
			another := answeredExchange("e5", "{}")
			another.Probe.User.UserID = "bob"
			for _, ex := range []*exchange.Exchange{ended, cut, another} {
				_, err := e.Do(ctx, ex.Probe)
				Expect(err).To(MatchError(exchange.ErrNotRecorded))
			}
			Expect(e.Entry("e3")).NotTo(BeNil(), "it is still shown")

			interrupted, cancel := context.WithCancelCause(ctx)
			cancel(errors.New("interrupted"))
			_, err := e.Do(interrupted, answeredExchange("e4", "").Probe)
			Expect(err).To(MatchError("interrupted"), "it ends with whoever judges it")
		})

	It("has the controls before and after the last exchange of a probe, of its operation and version", func() {
		f := newFixture()
		ask := func(id string, change func(*exchange.Probe)) *exchange.Exchange {
			ex := answeredExchange(id, "{}")
			ex.Probe.Round, ex.Probe.Control = 0, true
			change(&ex.Probe)
			return ex
		}
		bad := func(p *exchange.Probe) { p.Control, p.Kind, p.Field, p.Round = false, exchange.Null, "Id", 1 }
		f.keepAll(ask("e1", func(*exchange.Probe) {}), ask("e2", bad), ask("e3", func(*exchange.Probe) {}),
			ask("c1", func(*exchange.Probe) {}), ask("c2", func(p *exchange.Probe) { p.Version = schemas.V6 }),
			ask("e2", bad), ask("c3", func(p *exchange.Probe) { p.Operation = schemas.FindByUserIDs }),
			ask("e3", func(*exchange.Probe) {}), ask("e4", func(p *exchange.Probe) { bad(p); p.Field = "UserId" }))
		e := parseArchive(f.makeArchive())
		before, after := e.Around(ask("e2", bad).Probe)
		Expect([]string{before.Probe.ID, after.Probe.ID}).To(Equal([]string{"c1", "e3"}))
		before, after = e.Around(ask("e4", func(p *exchange.Probe) { bad(p); p.Field = "UserId" }).Probe)
		Expect(before.Probe.ID).To(Equal("e3"))
		Expect(after).To(BeNil())
		before, after = e.Around(ask("e9", func(p *exchange.Probe) { bad(p); p.Field = "ApplicationId" }).Probe)
		Expect(before).To(BeNil())
		Expect(after).To(BeNil())
	})

	It("has the record of its run", func() {
		day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
		f := newFixture(func(s *settings.Settings) {
			s.Versions = []schemas.Version{schemas.V6}
			s.ParityMode, s.Divergence, s.LabelFilter, s.Focus = settings.ParityShape, settings.DivergenceFail,
				"read && !v5", "Id|<&>"
			s.Ignore = []settings.Ignore{{Pointer: "/Flags", Reason: "it changes", Where: "c.yaml:3"},
				{Pointer: "/*/Id", Reason: "r", Until: day, Where: "c.yaml:5"}}
			s.Waivers = []ledger.Waiver{{Requirement: "2.1/Id", Version: schemas.V6, Verdict: ledger.Fail,
				Reason: "later", Until: day, Where: "c.yaml:9"}}
			t := s.Targets[schemas.V6]
			t.Headers = []settings.Header{{Name: "X-Tenant", Value: "tenant-one"}}
			t.CAFile, t.ClientCertFile, t.ClientKeyFile = "ca.pem", "client.pem", "client.key"
			t.TokenVariable, t.InClear = "AUTHN_ACCESS_TOKEN_V6", true
		})
		f.run.Finished = finishedAt.In(elsewhere)
		for _, why := range []error{nil, errors.New("interrupted by the signal")} {
			record := evidence.RecordOf(f.run.Result(why), f.out)
			record.Counts = exchange.Counts{Requests: math.MaxInt64, Throttled: 3, Repeated: 4}
			e := parseArchive(f.writeArchive(record))
			Expect(e.Record).To(Equal(record))
			const base = "http://127.0.0.1:1/base"
			past := e.Run()
			Expect([]any{past.ID, past.Started, past.Finished, past.Err, past.Counts, past.Target}).To(
				Equal([]any{f.run.ID, f.run.Started.UTC().Round(0), finishedAt, why, record.Counts,
					map[schemas.Version]string{schemas.V5: base, schemas.V6: base}}))
			s, was := e.Settings, f.run.Settings
			Expect([]any{s.Versions, s.ParityMode, s.Divergence, s.LabelFilter, s.Focus, s.Ignore, s.Waivers, s.Users,
				s.Effective}).To(Equal([]any{was.Versions, was.ParityMode, was.Divergence,
				was.LabelFilter, was.Focus, was.Ignore, was.Waivers, was.Users, was.Effective}))
			Expect(s.Targets).To(HaveLen(1))
			for v, t := range s.Targets {
				stored := *was.Targets[v]
				stored.AccessToken = ""
				for i := range stored.Headers {
					stored.Headers = []settings.Header{{Name: stored.Headers[i].Name}} // its value is a secret
				}
				Expect(t).To(Equal(&stored))
			}
		}
	})

	It("is the same with a byte order mark, which its copy does not have", func() {
		plain := smallArchive()
		path := testkit.Write(GinkgoT().TempDir(), "evidence.har", append([]byte("\xef\xbb\xbf"), plain...))
		e := testkit.Must(evidence.Read(path, schemas.Versions()))
		Expect(e.Digest()).To(Equal(exchange.DigestOf(plain)))
		var copied bytes.Buffer
		Expect(e.WriteArchive(&copied)).To(Succeed())
		Expect(copied.Bytes()).To(Equal(plain))
	})

	It("is read if the URL of its target contains the token", func() {
		for _, secret := range []string{"127.0.0.1", "127.0.0.1:1", "http://127.0.0.1:1/base", "0.1:1/base"} {
			f := newFixture(withSecret(secret))
			f.keepAll(answeredExchange("e1", "{}"))
			base := f.out.Clean(f.run.Base(schemas.V5))
			Expect(base).To(ContainSubstring("[redacted]"))
			Expect(parseArchive(f.makeArchive()).Run().Target).To(
				Equal(map[schemas.Version]string{schemas.V5: base, schemas.V6: base}))
		}
	})
})

var _ = Describe("What is no evidence of this suite", func() {
	DescribeTable("is refused with the place where that shows", func(old, new string, says ...string) {
		archive := new
		if old != "" {
			Expect(string(smallArchive())).To(ContainSubstring(old))
			archive = strings.Replace(string(smallArchive()), old, new, 1)
		}
		path := testkit.Write(GinkgoT().TempDir(), "any.har", []byte(archive))
		_, err := evidence.Read(path, schemas.Versions())
		for _, words := range append(says, path, "evidence.har") {
			Expect(err).To(MatchError(ContainSubstring(words)))
		}
	},
		testkit.Entries("refused"), Entry("100,000 levels", "", `{"log":{"x":`+strings.Repeat("[", 100_000)),
	)

	It("is what another release wrote in another format, which is named", func() {
		archive := strings.Replace(string(smallArchive()), `"version":"`+report.Version, `"version":"1.4.0`, 1)
		for _, format := range []string{"1", "2", "4"} {
			path := testkit.Write(GinkgoT().TempDir(), "any.har",
				[]byte(strings.Replace(archive, `"_run":{"format":3`, `"_run":{"was":7,"format":`+format, 1)))
			_, err := evidence.Read(path, schemas.Versions())
			Expect(err).To(MatchError(path + ": release 1.4.0 of the suite wrote it in format " + format +
				", which this release does not read; judge it with that release, or run again"))
		}
	})

	It("is an archive that was cut at any byte", func() {
		f := newFixture()
		f.keepAll(exchangesOfEachSort()[2])
		archive := bytes.TrimRight(f.makeArchive(), "\n")
		for size := range len(archive) {
			_, err := evidence.Parse(bytes.NewReader(archive[:size]), schemas.Versions())
			Expect(err).To(HaveOccurred(), "the first %d bytes of %d", size, len(archive))
		}
		Expect(evidence.Parse(bytes.NewReader(archive), schemas.Versions())).NotTo(BeNil())
	})

	It("is a file that is missing, or a folder", func() {
		folder := GinkgoT().TempDir()
		for _, path := range []string{filepath.Join(folder, "evidence.har"), folder} {
			_, err := evidence.Read(path, schemas.Versions())
			Expect(err).To(MatchError(And(ContainSubstring(path), ContainSubstring("evidence.har"))))
		}
	})

	It("is a file that changes while it is judged", func() {
		path := testkit.Write(GinkgoT().TempDir(), "evidence.har", smallArchive())
		e := testkit.Must(evidence.Read(path, schemas.Versions()))
		var same bytes.Buffer
		Expect(e.WriteArchive(&same)).To(Succeed())
		Expect(same.Bytes()).To(Equal(testkit.Read(path)))
		Expect(os.WriteFile(path, append(smallArchive(), ' '), 0o600)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(And(ContainSubstring(path), ContainSubstring("changed"))))
		Expect(os.Remove(path)).To(Succeed())
		Expect(e.WriteArchive(&bytes.Buffer{})).To(MatchError(ContainSubstring(path)))
	})

	It("is no archive that has more in it than this suite wrote", func() {
		// A tool that adds a page, a comment or a member of its own takes nothing away.
		text := strings.Replace(string(smallArchive()), `"entries":[`,
			`"pages":[{"id":"p"}],"comment":"seen","browser":{"name":"x","version":"1"},"entries":[`, 1)
		text = strings.Replace(text, `"cache":{}`, `"cache":{"comment":"c"},"pageref":"p","_more":{"deep":[1,null]}`, 1)
		e := parseArchive([]byte(text))
		for i := range exchangesOfEachSort() {
			Expect(e.Entry(fmt.Sprintf("e%d", i+1))).NotTo(BeNil())
		}
	})
})
