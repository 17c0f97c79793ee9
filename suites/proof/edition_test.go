package proof_test

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// edition returns the contract with other versions.
func edition(versions string) *schemas.Contract {
	GinkgoHelper()
	files := fstest.MapFS{}
	names, err := fs.Glob(schemas.Files(), "*")
	Expect(err).NotTo(HaveOccurred())
	for _, name := range names {
		content, err := fs.ReadFile(schemas.Files(), name)
		Expect(err).NotTo(HaveOccurred())
		files[name] = &fstest.MapFile{Data: content}
	}
	files["versions.yaml"] = &fstest.MapFile{Data: []byte(versions)}
	contract, err := schemas.LoadFiles(files)
	Expect(err).NotTo(HaveOccurred())
	return contract
}

// withSeventh serves /api/v7 as the reference serves /api/v6, after change has changed the records.
func withSeventh(users []fixtures.User, change func(record map[string]any)) http.Handler {
	right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, isSeventh := strings.CutPrefix(r.URL.Path, "/api/v7/")
		if !isSeventh {
			right.ServeHTTP(w, r)
			return
		}
		r.URL.Path = "/api/v6/" + path
		answer := httptest.NewRecorder()
		right.ServeHTTP(answer, r)
		body, record := answer.Body.Bytes(), map[string]any{}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if decoder.Decode(&record) == nil && record["CreatedOn"] != nil {
			change(record)
			body, _ = json.Marshal(record)
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = io.Copy(w, bytes.NewReader(body))
	})
}

// judgedBy carries out a run of an edition, and returns its report.
func judgedBy(ctx SpecContext, contract *schemas.Contract, change func(record map[string]any)) *report.Report {
	GinkgoHelper()
	users, err := fixtures.Users()
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(withSeventh(users, change))
	DeferCleanup(server.Close)
	base, err := url.Parse(server.URL)
	Expect(err).NotTo(HaveOccurred())
	suite, err := conformance.Specification(contract)
	Expect(err).NotTo(HaveOccurred())
	s := &settings.Settings{URLs: map[schemas.Version]*url.URL{}, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID, Versions: contract.Versions, Concurrency: 8, Timeout: 10 * time.Second,
		Deadline: time.Minute, ParityMode: settings.ParityValue, Divergence: settings.DivergenceFail}
	for _, v := range contract.Versions {
		s.URLs[v] = base
	}
	for _, u := range users {
		s.Users = append(s.Users, settings.User(u))
	}
	r := run.New(s, suite, "0.0.0", nil)
	ended := r.Execute(ctx)
	Expect(ended).NotTo(HaveOccurred())
	return report.New(r, sanitize.New(s, contract, report.Name), ended)
}

// failing returns the rows of a report that fail, as "2.1/Id v5".
func failing(r *report.Report) []string {
	rows := []string{}
	for _, row := range r.Requirements {
		if row.Verdict == ledger.Fail {
			rows = append(rows, row.ID+" "+string(row.Version))
		}
	}
	return rows
}

var _ = Describe("An edition of the contract with other versions", func() {
	const three = "versions: [{name: v5}, {name: v6}, {name: v7}]\npairs: [{from: v5, to: v6}, {from: v6, to: v7}]"
	unchanged := func(map[string]any) {}

	It("judges three versions, and compares the neighbouring ones", func(ctx SpecContext) {
		r := judgedBy(ctx, edition(three), unchanged)
		Expect(failing(r)).To(BeEmpty())
		Expect(r.Verdict).To(Equal(ledger.Pass))
		versions := map[schemas.Version]int{}
		for _, row := range r.Requirements {
			versions[row.Version]++
		}
		Expect(versions).To(And(HaveLen(5), HaveKeyWithValue(schemas.Version("v7"), versions["v6"]),
			HaveKeyWithValue(schemas.Version("v6=v7"), versions["v5=v6"])))
		Expect(r.Observations[0].Seen).To(HaveKey(schemas.Version("v7")))
		Expect(json.Marshal(r.Observations[0])).To(ContainSubstring(`,"v7":"`))
	})

	DescribeTable("finds what the newest version does otherwise there, and nowhere else",
		func(ctx SpecContext, change func(map[string]any), rows ...string) {
			Expect(failing(judgedBy(ctx, edition(three), change))).To(ConsistOf(rows))
		},
		Entry("another value", func(r map[string]any) {
			if r["Description"] != nil {
				r["Description"] = "another one"
			}
		}, "9.3/getUserAuth/values v6=v7"),
		Entry("a broken field", func(r map[string]any) { r["CreatedOn"] = "yesterday" }, "2.1/CreatedOn v7",
			"9.3/getUserAuth/values v6=v7"),
		Entry("one more member", func(r map[string]any) { r["Colour"] = "red" }, "9.3/getUserAuth/shape v6=v7",
			"9.3/getUserAuth/divergence v6=v7"),
	)

	It("judges one version, and compares nothing", func(ctx SpecContext) {
		r := judgedBy(ctx, edition("versions: [{name: v7}]"), unchanged)
		Expect(r.Verdict).To(Equal(ledger.Pass))
		for _, row := range r.Requirements {
			Expect(row.Version).To(Equal(schemas.Version("v7")))
		}
	})
})
