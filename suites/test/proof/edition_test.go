package proof_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// object is a decoded JSON object.
type object = map[string]any

// deviation is how a service deviates from a right one.
type deviation struct {
	record  func(v schemas.Version, record, device object) // changes a record
	lenient schemas.Version                                // findByUserIds needs no ApplicationId in this version
}

// serveEdition serves an edition by the reference, with a deviation. In v7 each record has a Colour, and each device a
// Battery.
func serveEdition(contract *schemas.Contract, d deviation) *url.URL {
	GinkgoHelper()
	users := testkit.Must(fixtures.Users())
	right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID, Contract: contract})
	return testkit.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := schemas.Version(strings.Split(r.URL.Path+"//", "/")[2])
		sent, _ := io.ReadAll(r.Body)
		request := object{}
		if json.Unmarshal(sent, &request) == nil && v == d.lenient && request["ApplicationId"] == nil &&
			strings.HasSuffix(r.URL.Path, "findByUserIds") {
			request["ApplicationId"] = fixtures.ApplicationID
			sent, _ = json.Marshal(request)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
		answer := httptest.NewRecorder()
		right.ServeHTTP(answer, r)
		body, record := answer.Body.Bytes(), object{}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if decoder.Decode(&record) == nil && record["CreatedOn"] != nil {
			device, _ := record["Device"].(object)
			if device == nil {
				device = object{} // this user has none
			}
			if v == "v7" {
				record["Colour"], device["Battery"] = "red", 80
			}
			if d.record != nil {
				d.record(v, record, device)
			}
			body, _ = json.Marshal(record)
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	}))
}

// settingsFor tests the given versions of a service.
func settingsFor(base *url.URL, versions ...schemas.Version) *settings.Settings {
	return testkit.Settings(base, kit.Users(), func(s *settings.Settings) {
		s.Versions, s.Concurrency = versions, 4
		shared := s.Targets[schemas.V5]
		s.Targets = map[schemas.Version]*settings.Target{}
		for _, v := range versions {
			s.Targets[v] = shared
		}
	})
}

// failingRows returns the rows of a report that fail, as "2.1/Id v5".
func failingRows(r *report.Report) []string {
	rows := []string{}
	for _, row := range r.Requirements {
		if row.Verdict == ledger.Fail {
			rows = append(rows, row.ID+" "+string(row.Version))
		}
	}
	return rows
}

// sweptRows returns the rows of which a sweep has findings.
func sweptRows(summary *stats.Summary) (rows []string) {
	for _, g := range summary.Tally.Groups {
		if row := g.Requirement + " " + string(g.Version); !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

var _ = Describe("An edition of the contract with a made-up v7", func() {
	const v6, v7 = schemas.Version("v6"), schemas.Version("v7")
	in := func(wanted schemas.Version, change func(record, device object)) deviation {
		return deviation{record: func(v schemas.Version, record, device object) {
			if v == wanted {
				change(record, device)
			}
		}}
	}
	calls := 0

	DescribeTable("has the right rows and verdicts in a run, the same run judged again, and a sweep of v6 and v7",
		func(ctx SpecContext, d deviation, rows ...string) {
			contract := testkit.WithSeventh()
			suite, base := testkit.SuiteOf(contract), serveEdition(contract, d)
			r, dir := testkit.RunAndReport(ctx, settingsFor(base, v6, v7), suite)
			Expect(failingRows(r)).To(ConsistOf(rows))
			Expect(r.Verdict == ledger.Pass).To(Equal(len(rows) == 0))
			Expect(rowsOf(r)).To(And(HaveKey("v7 2.1/Colour"), Not(HaveKey("v6 2.1/Colour")),
				HaveKey("v6 4.2/ApplicationId/required"), Not(HaveKey("v7 4.2/ApplicationId/required")),
				HaveKey("v6=v7 9.3/getUserAuth/shape")))

			again, digest := testkit.JudgeAgain(ctx, dir, suite)
			Expect(digest).To(Equal(contract.Digest))
			Expect(rowsOf(again)).To(Equal(rowsOf(r)))

			swept := testkit.Sweep(ctx, settingsFor(base, v6, v7), suite)
			requests := func(row string) bool { return strings.HasPrefix(row, "4") } // a sweep sends no such request
			Expect(sweptRows(swept)).To(ConsistOf(slices.DeleteFunc(slices.Clone(rows), requests)))
			Expect(swept.Verdict == ledger.Pass).To(Equal(len(swept.Tally.Groups) == 0))
		},
		Entry("of a right service", deviation{}),
		Entry("of one that needs no ApplicationId in v7, where it is not required", deviation{lenient: v7}),
		Entry("of one that needs none in v6", deviation{lenient: v6}, "4.2/ApplicationId/required v6"),
		Entry("whose new field is broken", in(v7, func(r, _ object) { r["Colour"] = 7 }), "2.1/Colour v7"),
		Entry("whose new field of the device is broken", in(v7, func(_, d object) { d["Battery"] = "80" }),
			"2.2/Battery v7"),
		Entry("whose new fields are absent or null for most", in(v7, func(r, d object) {
			if r["Description"] == nil {
				r["Colour"] = nil
				delete(d, "Battery")
			}
		})),
		Entry("whose new field is another at every call", in(v7, func(r, _ object) {
			calls++
			r["Colour"] = strings.Repeat("!", calls%7)
		})),
		Entry("that shows anything in v6 where v7 has its new field", in(v6, func(r, _ object) { r["Colour"] = 7 })),
		Entry("with another value in v7", in(v7, func(r, _ object) {
			if r["Description"] != nil {
				r["Description"] = "another one"
			}
		}), "9.3/getUserAuth/values v6=v7"),
		Entry("with a broken field in v6", in(v6, func(r, _ object) { r["CreatedOn"] = "yesterday" }),
			"2.1/CreatedOn v6",
			"9.3/getUserAuth/values v6=v7"),
		Entry("with a member in v7 that no version has", in(v7, func(r, _ object) { r["Weight"] = 1 }),
			"9.3/getUserAuth/shape v6=v7"),
	)

	It("compares neighbouring versions where all are tested", func(ctx SpecContext) {
		contract := testkit.WithSeventh()
		r, _ := testkit.RunAndReport(ctx, settingsFor(serveEdition(contract, in("v7",
			func(r, _ object) { r["Weight"] = 1 })),
			contract.Versions...),
			testkit.SuiteOf(contract))
		Expect(failingRows(r)).To(ConsistOf("9.3/getUserAuth/shape v6=v7"))
		Expect(json.Marshal(r.Observations[0])).To(MatchRegexp(`"v5":"[^}]*"v6":"[^}]*"v7":"`))
	})

	It("is gated, by versions and pairs of its own", func(ctx SpecContext) {
		contract := testkit.WithSeventh()
		suite := testkit.SuiteOf(contract)
		right, _ := testkit.RunAndReport(ctx, settingsFor(serveEdition(contract, deviation{}), v6, v7), suite)
		path := filepath.Join(GinkgoT().TempDir(), "baseline.json")
		Expect(gate.Write(path, right)).To(Succeed())

		wrong := serveEdition(contract, in(v7, func(r, _ object) { r["Colour"] = 7 }))
		s := settingsFor(wrong, v6, v7)
		s.Baseline = path
		r, _ := testkit.RunAndReport(ctx, s, suite)
		Expect(r.Verdict).To(Equal(ledger.Fail))
		Expect(r.Gate.New).To(HaveLen(1))

		Expect(gate.Write(path, r)).To(Succeed())
		r, _ = testkit.RunAndReport(ctx, s, suite)
		Expect(r.Verdict).To(Equal(ledger.Pass))
		Expect(r.Gate.Known).To(HaveLen(1))
	})

	It("is shown on the page", func(ctx SpecContext) {
		contract := testkit.WithSeventh()
		suite := testkit.SuiteOf(contract)
		_, dir := testkit.RunAndReport(ctx, settingsFor(serveEdition(contract, deviation{}), v6, v7), suite)
		page := testkit.Must(os.ReadFile(filepath.Join(dir, report.PageFile)))
		Expect(string(page)).To(And(ContainSubstring(`<th scope="col">v7</th>`), ContainSubstring("2.1/Colour"),
			ContainSubstring("v6 and v7 answer getUserAuth with the same shape"),
			ContainSubstring("the column v6=v7 compares both")))

	})
})

var _ = Describe("An edition of the contract with one version", func() {
	It("judges that version, and compares nothing", func(ctx SpecContext) {
		contract := testkit.EditionWith(map[string]func(string) string{
			"versions.yaml": func(string) string { return "versions: [{name: v7}]" }})
		r, dir := testkit.RunAndReport(ctx, settingsFor(serveEdition(contract, deviation{}), "v7"),
			testkit.SuiteOf(contract))
		Expect(r.Verdict).To(Equal(ledger.Pass))
		for _, row := range r.Requirements {
			Expect(row.Version).To(Equal(schemas.Version("v7")))
		}
		Expect(filepath.Join(dir, report.PageFile)).To(BeAnExistingFile())
	})
})
