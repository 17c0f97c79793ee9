package selftest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
)

// entry is what tells one entry of an archive from another.
type entry struct {
	Exchange    string `json:"_exchange"`
	Unjudgeable string `json:"_unjudgeable"`
	Cut         *struct{ Size int }
	Probe       struct {
		Operation, Version, Alteration, Field string
		Round                                 int
	} `json:"_probe"`
}

// without is an archive that lacks the entries told; it gives how many these are.
func without(archive string, lost func(entry) bool) (content []byte, gone int) {
	GinkgoHelper()
	var har struct {
		Log map[string]json.RawMessage `json:"log"`
	}
	Expect(json.Unmarshal([]byte(archive), &har)).To(Succeed())
	var entries []json.RawMessage
	Expect(json.Unmarshal(har.Log["entries"], &entries)).To(Succeed())
	entries = slices.DeleteFunc(entries, func(text json.RawMessage) bool {
		var e entry
		Expect(json.Unmarshal(text, &e)).To(Succeed())
		if lost(e) {
			gone++
			return true
		}
		return false
	})
	var err error
	har.Log["entries"], err = json.Marshal(entries)
	Expect(err).NotTo(HaveOccurred())
	content, err = json.Marshal(har)
	Expect(err).NotTo(HaveOccurred())
	return content, gone
}

// lackingSpecs show that evidence which lacks something certifies nothing, and accuses nobody.
func lackingSpecs(r *rig) {
	run := func(handler http.Handler, token string) (*report, string) {
		GinkgoHelper()
		server := httptest.NewServer(handler)
		defer server.Close()
		c := r.certify(server.URL)
		c.env = []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
		o := r.call(c)
		return sound(o), filesOf(o.reports())["evidence.har"]
	}
	judge := func(archive []byte) (*report, *outcome) {
		GinkgoHelper()
		folder := r.work()
		write(folder, "e.har", archive)
		o := r.call(command{args: []string{"judge", "e.har"}, folder: folder})
		return sound(o), o
	}
	// open asserts that a report leaves open what it lacks, and blames the target for nothing.
	open := func(was, now *report, o *outcome, lacking int) {
		GinkgoHelper()
		Expect(o.code).To(Equal(3), o.said())
		Expect(now.Complete).To(BeFalse())
		Expect(lackingOf(o)).To(HaveLen(lacking))
		Expect(o.stdout).To(ContainSubstring("lacking"))
		Expect(filesOf(o.reports())["summary.md"]).NotTo(MatchRegexp("^.*pass"))
		Expect(filesOf(o.reports())["statement.json"]).NotTo(ContainSubstring("PASSED"))
		for i, row := range now.Requirements {
			if row.Verdict != was.Requirements[i].Verdict {
				Expect(row.Verdict).To(Equal("inconclusive"), row.String())
				Expect(row.Reason).To(HaveValue(Equal("not-run")), row.String())
			}
		}
	}

	Describe("Evidence that lacks an exchange certifies nothing", Ordered, func() {
		var was *report
		var archive string
		BeforeAll(func() {
			was, archive = run(referenceOf(knownUsers()), fixtures.AccessToken)
			Expect(was.Verdict).To(Equal("pass"))
		})

		for name, lost := range map[string]func(entry) bool{
			"one read of v5": func(e entry) bool { return e.Exchange == "e1" },
			"one read of v6": func(e entry) bool { return e.Probe.Version == "v6" && e.Probe.Round == 2 && e.Exchange == "e4" },
			"a request without a field": func(e entry) bool {
				return e.Probe.Alteration == "absent" && e.Probe.Field == "UserId" && e.Probe.Version == "v5"
			},
			"a bad token":           func(e entry) bool { return e.Probe.Alteration == "changed token" && e.Probe.Version == "v6" },
			"only what is observed": func(e entry) bool { return e.Probe.Alteration == "method GET" },
		} {
			It(name, func() {
				content, gone := without(archive, lost)
				Expect(gone).To(BeNumerically(">", 0), "there is no such entry")
				now, o := judge(content)
				open(was, now, o, gone)
			})
		}

		It("all of it", func() {
			content, _ := without(archive, func(entry) bool { return true })
			now, o := judge(content)
			Expect(o.code).To(Equal(3))
			Expect(now.rows("inconclusive")).To(HaveLen(len(was.Requirements)))
			for _, row := range now.Requirements {
				Expect(row.Reason).To(HaveValue(Equal("not-run")), row.String())
			}
		})

		It("a body of which only the beginning is kept", func() {
			was, archive := run(inV6(func(body []byte) []byte { return append(body, strings.Repeat(" ", 1<<20)...) }), fixtures.AccessToken)
			Expect(was.Verdict).To(Equal("pass"))
			now, o := judge([]byte(archive))
			Expect(lackingOf(o)).NotTo(BeEmpty())
			open(was, now, o, len(lackingOf(o)))
		})

		It("an answer that reads otherwise without the token: a GUID in the place of a GUID", func() {
			const token = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
			right := reference.New(reference.Options{Users: knownUsers(), AccessToken: token, ApplicationID: fixtures.ApplicationID})
			was, archive := run(rewritten(right, func(_, body string) string {
				before, after, found := strings.Cut(body, `"ModeId":"`)
				if !found || len(after) < 36 {
					return body
				}
				return before + `"ModeId":"` + token + after[36:]
			}), token)
			Expect(was.Verdict).To(Equal("pass"), was.accused())
			Expect(archive).NotTo(ContainSubstring(token))
			now, o := judge([]byte(archive))
			Expect(lackingOf(o)).NotTo(BeEmpty())
			open(was, now, o, len(lackingOf(o)))
		})
	})

	differenceWithinSpecs(r)

	It("Users whose identifiers are parts of the token are told apart in the evidence", func() {
		const token = "abcdefghijklmnop"
		users := []fixtures.User{{ID: knownUsers()[0].ID, UserID: "abcdefgh", Enrolled: true}, {ID: knownUsers()[0].ID, UserID: "ijklmnop", Enrolled: true}}
		right := reference.New(reference.Options{Users: users, AccessToken: token, ApplicationID: fixtures.ApplicationID})
		server := httptest.NewServer(rewritten(right, func(_, body string) string {
			if strings.Contains(body, `"UserId":"abcdefgh"`) {
				return strings.Replace(body, `"IsLocked":`, `"IsLocked":"x","Was":`, 1)
			}
			return body
		}))
		defer server.Close()
		folder := r.work()
		o := r.call(command{args: []string{"run", "--target-url", server.URL, "--users", usersFile(folder, users)}, folder: folder,
			env: []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}})
		Expect(sound(o).rows("fail")).To(ContainElement("v5 2.1/IsLocked"))
		now, _ := judge([]byte(filesOf(o.reports())["evidence.har"]))
		Expect(now.rows("pass")).NotTo(ContainElement("v5 2.1/IsLocked"))
		Expect(now.Verdict).NotTo(Equal("pass"))
	})

	It("Evidence of a run that was cut off says again why", func() {
		server := httptest.NewServer(referenceOf(knownUsers()))
		defer server.Close()
		o := r.call(r.certify(server.URL, "--rate", "20", "--deadline", "1s"))
		was := sound(o)
		Expect(was.Verdict).To(Equal("error"))
		again := r.call(command{args: []string{"judge", filepath.Join(o.reports(), "evidence.har")}})
		now := sound(again)
		Expect(now.Verdict).To(Equal("error"))
		Expect(now.Error).To(HaveValue(Equal(*was.Error)))
	})
}

// lackingOf are the exchanges that a report says the evidence lacks.
func lackingOf(o *outcome) []string {
	GinkgoHelper()
	var r struct{ Lacking []string }
	Expect(json.Unmarshal([]byte(filesOf(o.reports())["report.json"]), &r)).To(Succeed())
	return r.Lacking
}

// rewritten is a service with other bodies of success.
func rewritten(right http.Handler, change func(path, body string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := httptest.NewRecorder()
		right.ServeHTTP(a, r)
		body := a.Body.String()
		if a.Code == http.StatusOK {
			body = change(r.URL.Path, body)
		}
		w.Header().Set("Content-Type", a.Header().Get("Content-Type"))
		w.WriteHeader(a.Code)
		_, _ = w.Write([]byte(body))
	})
}
