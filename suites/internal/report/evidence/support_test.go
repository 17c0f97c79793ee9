package evidence_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestEvidence(t *testing.T) { testkit.Specs(t, "evidence") }

// token looks like no other text, so that what is found of it can only come from it.
const token = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"

// agent is the User-Agent of all requests here.
const agent = "authenticator-conformance/0.0.0 (run r; exchange e)"

var (
	alice = exchange.User{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "alice", Enrolled: true,
		Name: "a user"}
	finishedAt = time.Date(2026, 3, 4, 5, 7, 0, 987654321, time.UTC)
	elsewhere  = time.FixedZone("elsewhere", 3600)
)

// fixture is a run of which nothing is sent, and where its evidence is kept.
type fixture struct {
	run    *run.Run
	out    *sanitize.Output
	writer *evidence.Writer
}

// openFixture returns a fixture whose files are in a folder.
func openFixture(dir string, change ...func(*settings.Settings)) (*fixture, error) {
	s := testkit.Settings(&url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/base"}, nil)
	testkit.EachTarget(func(t *settings.Target) { t.ApplicationID = "an-application" })(s)
	s.Users = []exchange.User{alice}
	s.Effective = []settings.Effective{{Name: "rate", Value: "0", Source: "default"}}
	for _, c := range append([]func(*settings.Settings){withSecret(token)}, change...) {
		c(s)
	}
	out := sanitize.New(s, testkit.Contract(), "")
	w, err := evidence.NewWriter(dir, out)
	if err != nil {
		return nil, err
	}
	f := &fixture{run.New(s, testkit.Suite(), "0.0.0", run.Input{Recorder: w}), out, w}
	f.run.Finished = finishedAt
	return f, nil
}

// newFixture returns a fixture that lasts until the spec ends.
func newFixture(change ...func(*settings.Settings)) *fixture {
	GinkgoHelper()
	f := testkit.Must(openFixture(GinkgoT().TempDir(), change...))
	DeferCleanup(f.writer.Close)
	return f
}

func withSecret(secret string) func(*settings.Settings) {
	return func(s *settings.Settings) {
		s.Secrets = []string{secret}
		testkit.EachTarget(func(t *settings.Target) { t.AccessToken = secret })(s)
	}
}

// withHeaders are sent with every request; their values are secrets.
func withHeaders(list ...settings.Header) func(*settings.Settings) {
	return func(s *settings.Settings) {
		testkit.EachTarget(func(t *settings.Target) { t.Headers = list })(s)
		for _, h := range list {
			s.Secrets = append(s.Secrets, h.Value)
		}
	}
}

// answeredExchange is the first well-formed request for alice, with an answer of JSON.
func answeredExchange(id, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Probe: exchange.Probe{ID: id, Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", User: alice,
			Round: 1},
		Started:  time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC),
		Duration: 1234567 * time.Nanosecond,
		Status:   http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
		Body: []byte(body),
	}
}

// exchangesOfEachSort are exchanges of each sort. The fifth was in flight when the run ended.
func exchangesOfEachSort() []*exchange.Exchange {
	read, broken := answeredExchange("e1", `{"Id":"x"}`), answeredExchange("e3", "abc\xff")
	read.Started = read.Started.In(elsewhere)
	read.Header["Vary"], read.Header["X-Odd"] = []string{"b", "a", "b", ""}, []string{"tab\tand \"quotes\" and \\"}
	reset := answeredExchange("e4", "")
	reset.Status, reset.Proto, reset.Header, reset.Body = 0, "", http.Header{}, nil
	reset.Fault = &exchange.Fault{Kind: exchange.Transport, Detail: "connection reset"}
	ended := answeredExchange("e5", "")
	ended.Body, ended.Fault = nil, &exchange.Fault{Kind: exchange.Ended, Detail: "the run ended"}
	ended.Probe.Round = 2
	redirect := answeredExchange("e6", "")
	redirect.Status = 302
	redirect.Header.Set("Location", "http://elsewhere.example/")
	redirect.Probe.Kind, redirect.Probe.Field = exchange.Null, "UserId"
	get := answeredExchange("e7", "null")
	get.Probe.Kind = exchange.WrongMethod
	return []*exchange.Exchange{read, answeredExchange("e2", ""), broken, reset, ended, redirect, get}
}

// mutatedProbes are the probes of a run that are not well-formed.
func mutatedProbes(base exchange.Probe) []exchange.Probe {
	sent := testkit.Suite().Mutations(base.Operation, base.Version, func(*spec.Requirement) bool { return true })
	return exchange.Mutated(base, slices.DeleteFunc(sent,
		func(m exchange.Mutation) bool { return m == spec.WellFormed }))
}

// keepAll has exchanges kept one after the other.
func (f *fixture) keepAll(list ...*exchange.Exchange) {
	for _, ex := range list {
		f.writer.Sent(f.writer.Sending(), f.run.Requests, ex, agent)
	}
}

// writeArchive returns the evidence as it stands, with a record.
func (f *fixture) writeArchive(record evidence.Record) []byte {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(f.writer.WriteArchive(&b, record)).To(Succeed())
	return b.Bytes()
}

// makeArchive returns the evidence as it stands, of a run that was carried out.
func (f *fixture) makeArchive() []byte {
	GinkgoHelper()
	return f.writeArchive(evidence.RecordOf(f.run.Result(nil), f.out))
}

// smallArchive is an archive with an entry of each sort.
func smallArchive() []byte {
	GinkgoHelper()
	f := newFixture()
	f.keepAll(exchangesOfEachSort()...)
	return f.makeArchive()
}

// parseArchive reads an archive again.
func parseArchive(archive []byte) *evidence.Evidence {
	GinkgoHelper()
	return testkit.Must(evidence.Parse(bytes.NewReader(archive), schemas.Versions()))
}

// readBack keeps an exchange and reads it again from the archive.
func (f *fixture) readBack(ex *exchange.Exchange) *evidence.Entry {
	GinkgoHelper()
	f.keepAll(ex)
	return testkit.Must(parseArchive(f.makeArchive()).Entry(ex.Probe.ID))
}

// idsOf are the exchange ids in an archive, as far as a plain reader finds them.
func idsOf(archive []byte) []string {
	var h struct {
		Log struct {
			Entries []struct {
				Exchange string `json:"_exchange"`
			} `json:"entries"`
		} `json:"log"`
	}
	if json.Unmarshal(archive, &h) != nil {
		return nil
	}
	ids := []string{}
	for _, e := range h.Log.Entries {
		ids = append(ids, e.Exchange)
	}
	return ids
}

// verdictsOn says which requirements an exchange witnesses, and in which ways it breaks others.
func verdictsOn(ex *exchange.Exchange) string {
	result := testkit.Suite().Judge(ex)
	list := []string{fmt.Sprintf("served %v, telling %v", result.Answer.Served(), result.Answer.DisclosesData())}
	for id, row := range result.Rows {
		line := fmt.Sprintf("%s: %d witnesses, %d findings", id, row.Witnesses, row.Count)
		for _, f := range row.Findings {
			line += ", " + f.Kind
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}
