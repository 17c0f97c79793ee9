package evidence_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
	"slices"
)

// token looks like no other text, so that what is found of it can only come from it.
const token = "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K"

// agent is the User-Agent of all requests here.
const agent = "authenticator-conformance/0.0.0 (run r; exchange e)"

var alice = settings.User{ID: "fbc1af89-7d69-4938-84f7-18fd250c67f3", UserID: "alice", Enrolled: true, Name: "a user"}

// fixture is a run of which nothing is sent, and where its evidence is kept.
type fixture struct {
	run    *run.Run
	out    *sanitize.Output
	writer *evidence.Writer
}

// settingsOf are those of a run that sends nothing anywhere.
func settingsOf(change ...func(*settings.Settings)) *settings.Settings {
	base, err := url.Parse("http://127.0.0.1:1/base")
	if err != nil {
		panic(err) // it is a constant
	}
	s := &settings.Settings{
		URLs:          map[schemas.Version]*url.URL{schemas.V5: base, schemas.V6: base},
		AccessToken:   token,
		ApplicationID: "an-application",
		Users:         []settings.User{alice},
		Versions:      schemas.Versions(),
		Concurrency:   1,
		Timeout:       time.Second,
		Deadline:      time.Second,
		ParityMode:    settings.ParityValue,
		Divergence:    settings.DivergenceReport,
		Effective:     []settings.Effective{{Name: "rate", Value: "0", Source: "default"}},
		Secrets:       []string{token},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

// openFixture gives a desk whose files are removed by end.
func openFixture(dir string, s *settings.Settings) (*fixture, error) {
	w, err := evidence.NewWriter(dir)
	if err != nil {
		return nil, err
	}
	d := &fixture{run.New(s, testkit.Suite(), "0.0.0", w), sanitize.New(s, testkit.Contract(), ""), w}
	d.run.Finished = finishedAt()
	w.ForRun(d.run.Requests, d.out)
	return d, nil
}

// newFixture is a desk until the spec ends.
func newFixture(change ...func(*settings.Settings)) *fixture {
	GinkgoHelper()
	d, err := openFixture(GinkgoT().TempDir(), settingsOf(change...))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(d.writer.Close)
	return d
}

// withHeaders are sent with every request; their values are secrets.
func withHeaders(list ...settings.Header) func(*settings.Settings) {
	return func(s *settings.Settings) {
		s.Headers = list
		for _, h := range list {
			s.Secrets = append(s.Secrets, h.Value)
		}
	}
}

// readProbe is the first well-formed request for alice.
func readProbe(id string) exchange.Probe {
	return exchange.Probe{ID: id, Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", User: alice,
		Round: 1}
}

// answeredExchange is an exchange with an answer of JSON.
func answeredExchange(id, body string) *exchange.Exchange {
	return &exchange.Exchange{
		Probe: readProbe(id), Started: time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC),
		Duration: 1234567 * time.Nanosecond,
		Status:   http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/json"}},
		Body: []byte(body),
	}
}

// keep has exchanges kept one after the other.
func (f *fixture) keep(list ...*exchange.Exchange) {
	for _, ex := range list {
		f.writer.Sent(f.writer.Sending(), ex, agent)
	}
}

// archive is the evidence as it stands, of a run that was carried out.
func (f *fixture) archive() []byte {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(f.writer.WriteArchive(&b, evidence.RecordOf(f.run, f.out, nil))).To(Succeed())
	return b.Bytes()
}

func finishedAt() time.Time { return time.Date(2026, 3, 4, 5, 7, 0, 987654321, time.UTC) }

// parseArchive reads an archive again.
func parseArchive(archive []byte) *evidence.Evidence {
	GinkgoHelper()
	e, err := evidence.Parse(bytes.NewReader(archive), schemas.Versions())
	Expect(err).NotTo(HaveOccurred())
	return e
}

// har is what a reader of archives looks at who does not know this suite.
type har struct {
	Log struct {
		Version string
		Entries []harEntry
	}
}

type harEntry struct {
	StartedDateTime string
	Time            float64
	Request         struct {
		Method, URL string
		Headers     []pair
		PostData    *struct{ MimeType, Text string }
	}
	Response struct {
		Status      int
		StatusText  string
		RedirectURL string
		Headers     []pair
		Content     struct {
			Size                     int
			MimeType, Text, Encoding string
		}
	}
	Exchange string `json:"_exchange"`
	Cut      *exchange.Cut
	Probe    struct{ User struct{ UserID, Name string } } `json:"_probe"`
}

type pair struct{ Name, Value string }

// headerValue is that of a header; "" where there is none of the name.
func headerValue(list []pair, name string) string {
	for _, p := range list {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func entriesOf(archive []byte) []harEntry {
	GinkgoHelper()
	var h har
	Expect(json.Unmarshal(archive, &h)).To(Succeed())
	Expect(h.Log.Version).To(Equal("1.2"))
	return h.Log.Entries
}

// onlyEntry is that of an archive of one exchange.
func onlyEntry(archive []byte) harEntry {
	GinkgoHelper()
	entries := entriesOf(archive)
	Expect(entries).To(HaveLen(1))
	return entries[0]
}

// writeFile puts a file into a folder of this spec's own, and gives its path.
func writeFile(content []byte) string {
	GinkgoHelper()
	file, err := os.CreateTemp(GinkgoT().TempDir(), "*.har")
	Expect(err).NotTo(HaveOccurred())
	_, err = file.Write(content)
	Expect(err).NotTo(HaveOccurred())
	Expect(file.Close()).To(Succeed())
	return file.Name()
}

// mutatedProbes are the probes of a run that are not well-formed.
func mutatedProbes(d *fixture, base exchange.Probe) []exchange.Probe {
	sent := d.run.Suite.Mutations(base.Operation, base.Version, func(*spec.Requirement) bool { return true })
	return exchange.Mutated(base, slices.DeleteFunc(sent,
		func(m exchange.Mutation) bool { return m == spec.WellFormed }))
}
