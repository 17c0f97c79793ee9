package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

var _ = Describe("Evidence that is read again", func() {
	It("holds the exchanges that were kept, of each sort", func() {
		d := newFixture()
		d.keep(exchangesOfEachSort()...)
		e := parseArchive(d.archive())
		for _, ex := range exchangesOfEachSort() {
			was, err := d.writer.Entry(ex.Probe.ID)
			Expect(err).NotTo(HaveOccurred())
			is, err := e.Entry(ex.Probe.ID)
			Expect(err).NotTo(HaveOccurred())
			Expect(is).To(Equal(was), ex.Probe.ID)
			Expect(is.Probe).To(Equal(ex.Probe))
			Expect(is.Started.Equal(ex.Started)).To(BeTrue())
			Expect(is.Duration).To(Equal(ex.Duration))
			Expect(is.Status).To(Equal(ex.Status))
			if ex.Unkept() == nil {
				Expect(is.Body).To(BeEquivalentTo(ex.Body))
			}
			Expect(is.Fault).To(Equal(ex.Fault))
			Expect(is.Header).To(HaveLen(len(ex.Header)))
			Expect(is.Method).To(Equal(ex.Probe.Method()))
		}
	})

	DescribeTable("keeps durations to the nanosecond", func(duration time.Duration) {
		d := newFixture()
		ex := answeredExchange("e1", "{}")
		ex.Duration = duration
		d.keep(ex)
		k, err := parseArchive(d.archive()).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(k.Duration).To(Equal(duration))
	},
		Entry(nil, time.Duration(0)), Entry(nil, time.Nanosecond), Entry(nil, 999*time.Nanosecond),
		Entry(nil, 333333*time.Nanosecond),
		Entry(nil, 1234567891*time.Nanosecond), Entry(nil, 10*time.Minute-time.Nanosecond),
		Entry(nil, 24*time.Hour-time.Nanosecond),
	)

	It("keeps any duration and moment that a run can have", func() {
		random := rand.New(rand.NewPCG(3, 4))
		d := newFixture()
		var list []*exchange.Exchange
		for i := range 50 {
			ex := answeredExchange(fmt.Sprintf("e%d", i+1), "{}")
			ex.Duration = time.Duration(random.Int64N(int64(11 * time.Minute)))
			ex.Started = ex.Started.Add(time.Duration(random.Int64N(int64(24 * time.Hour)))).
				In(time.FixedZone("elsewhere", random.IntN(43200)))
			list = append(list, ex)
		}
		d.keep(list...)
		e := parseArchive(d.archive())
		for _, ex := range list {
			k, err := e.Entry(ex.Probe.ID)
			Expect(err).NotTo(HaveOccurred())
			Expect(k.Duration).To(Equal(ex.Duration))
			Expect(k.Started.Equal(ex.Started)).To(BeTrue())
			Expect(k.Started.Location()).To(Equal(time.UTC), "the place of the machine must not show")
		}
	})

	It("keeps headers with their values in order", func() {
		d := newFixture()
		ex := answeredExchange("e1", "{}")
		ex.Header = http.Header{"Vary": {"b", "a", "b"}, "X-Empty": {""}, "X-Odd": {"tab\tand \"quotes\" and \\"},
			"Www-Authenticate": {"Negotiate"}}
		d.keep(ex)
		k, err := parseArchive(d.archive()).Entry("e1")
		Expect(err).NotTo(HaveOccurred())
		Expect(k.Header).To(Equal(ex.Header))
	})

	It("keeps headers that are no UTF-8 so that they are judged alike", func() {
		d := newFixture()
		ex := answeredExchange("e1", "{}")
		ex.Header = http.Header{"Sunset": {"J\xfcrgen"}, "Content-Type": {"text/\xff; charset=\xe9"},
			"Ratelimit-\xff": {"1"}}
		d.keep(ex)
		again, err := parseArchive(d.archive()).Do(context.Background(), ex.Probe)
		if err != nil {
			Expect(err).To(MatchError(exchange.ErrNotRecorded))
			return
		}
		Expect(kindsOfFindings(again)).To(Equal(kindsOfFindings(ex)))
	})

	It("finds each probe again by what it is, not by its id", func() {
		d := newFixture()
		var probes []exchange.Probe
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				base := exchange.Probe{Operation: op, Version: v, User: alice}
				probes = append(probes, mutatedProbes(d, base)...)
			}
			probes = append(probes, exchange.Rounds(exchange.Probe{Operation: op, User: alice}, schemas.Versions(), 1,
				5)...)
		}
		for i := range probes {
			probes[i].ID = fmt.Sprintf("e%d", i+1)
			ex := answeredExchange("", fmt.Sprint(i))
			ex.Probe = probes[i]
			d.keep(ex)
		}
		e := parseArchive(d.archive())
		for i, p := range probes {
			p.ID = "another"
			ex, err := e.Do(context.Background(), p)
			Expect(err).NotTo(HaveOccurred(), p.Name())
			Expect(string(ex.Body)).To(Equal(fmt.Sprint(i)), p.Name())
			Expect(ex.Probe.ID).To(Equal(probes[i].ID), "it is named as in the run")
			ex.Body = nil
			again, err := e.Do(context.Background(), p)
			Expect(err).NotTo(HaveOccurred())
			Expect(again.Body).NotTo(BeNil(), "who judges it may let go of its body")
		}
		unknownUser := probes[0]
		unknownUser.User.UserID = "bob"
		_, err := e.Do(context.Background(), unknownUser)
		Expect(err).To(MatchError(exchange.ErrNotRecorded))
	})

	It("never returns a request that was in flight when the run ended", func() {
		d := newFixture()
		ended := exchangesOfEachSort()[4]
		Expect(ended.Fault.Kind).To(Equal(exchange.Ended))
		d.keep(ended)
		_, err := parseArchive(d.archive()).Do(context.Background(), ended.Probe)
		Expect(err).To(MatchError(exchange.ErrNotRecorded))
	})

	It("ends with whoever judges it", func() {
		d := newFixture()
		d.keep(answeredExchange("e1", "{}"))
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("interrupted"))
		_, err := parseArchive(d.archive()).Do(ctx, readProbe("e1"))
		Expect(err).To(MatchError("interrupted"))
	})

	It("is the same record, to its end and where there was none", func() {
		day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
		d := newFixture(func(s *settings.Settings) {
			s.Versions = []schemas.Version{schemas.V6}
			s.ParityMode, s.Divergence, s.LabelFilter, s.Focus = settings.ParityShape, settings.DivergenceFail,
				"read && !v5", "Id|<&>"
			s.Ignore = []settings.Ignore{{Pointer: "/Flags", Reason: "it changes", Where: "c.yaml:3"},
				{Pointer: "/*/Id", Reason: "r", Until: day, Where: "c.yaml:5"}}
			s.Waivers = []settings.Waiver{{Requirement: "2.1/Id", Version: schemas.V6, Verdict: settings.WaiveFail,
				Reason: "later", Until: day, Where: "c.yaml:9"}}
			s.Headers = []settings.Header{{Name: "X-Tenant", Value: "tenant-one"}}
			s.CAFile, s.ClientCertFile, s.ClientKeyFile = "ca.pem", "client.pem", "client.key"
		})
		for _, why := range []error{nil, errors.New("interrupted by the signal")} {
			d.run.Finished = finishedAt().In(time.FixedZone("elsewhere", 3600))
			record := evidence.RecordOf(d.run, d.out, why)
			var b bytes.Buffer
			Expect(d.writer.WriteArchive(&b, record)).To(Succeed())
			e := parseArchive(b.Bytes())
			Expect(e.Record).To(Equal(record))
			Expect(e.Run().Finished).To(Equal(finishedAt()))
			if why == nil {
				Expect(e.Run().Err).NotTo(HaveOccurred())
			} else {
				Expect(e.Run().Err).To(MatchError(why.Error()))
			}
			s, was := e.Settings, d.run.Settings
			Expect([]any{s.Versions, s.ParityMode, s.Divergence, s.LabelFilter, s.Focus, s.Ignore, s.Waivers,
				s.Users, s.Effective, s.ApplicationID}).To(Equal([]any{was.Versions, was.ParityMode, was.Divergence,
				was.LabelFilter, was.Focus, was.Ignore, was.Waivers, was.Users, was.Effective, was.ApplicationID}))
			Expect(s.Headers).To(Equal([]settings.Header{{Name: "X-Tenant"}}), "their values are secrets")
			Expect(s.AccessToken).To(BeEmpty())
			Expect(e.Run().Target).To(HaveKeyWithValue(schemas.V6, was.URLs[schemas.V6].String()))
			Expect([]any{e.Run().ID, e.Run().Started}).To(Equal([]any{d.run.ID, d.run.Started.UTC().Round(0)}))
		}
	})

	DescribeTable("is read if the URL of its target contains a secret", func(header string) {
		d := newFixture(withHeaders(settings.Header{Name: "X-Forwarded-Host", Value: header}))
		d.keep(answeredExchange("e1", "{}"))
		base := d.out.Clean(d.run.Base(schemas.V5))
		Expect(base).To(ContainSubstring("redacted-"))
		Expect(parseArchive(d.archive()).Run().Target).To(
			Equal(map[schemas.Version]string{schemas.V5: base, schemas.V6: base}))
	},
		Entry("its host", "127.0.0.1"), Entry("its whole authority", "127.0.0.1:1"),
		Entry("all of it", "http://127.0.0.1:1/base"),
		Entry("a part of it", "0.1:1/base"),
	)

	It("counts as the run counted", func() {
		d := newFixture()
		record := evidence.RecordOf(d.run, d.out, nil)
		record.Counts = exchange.Counts{Requests: math.MaxInt64, Throttled: 3, Repeated: 4}
		var b bytes.Buffer
		Expect(d.writer.WriteArchive(&b, record)).To(Succeed())
		Expect(parseArchive(b.Bytes()).Counts()).To(Equal(record.Counts))
	})
})
