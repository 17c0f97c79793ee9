package selftest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

// ids are those of DESIGN section 4, written out once more: a row that is lost by accident is missed here.
func ids() []string {
	fields := func(section, names string) (list []string) {
		for _, name := range strings.Fields(names) {
			list = append(list, section+"/"+name)
		}
		return list
	}
	list := slices.Concat(
		fields("2.1", "AuthenticationCountLimit CreatedOn Description ExpirationDate Flags Id IsDisabled IsLocked ModeDeviceName ModeId ModeType ModeTypeName UserId SerialNumber Device CreatedBy"),
		fields("2.2", "Id AuthType SerialNumber RegistrationDate IsEnabled LastUserId Comment Model"),
		fields("2.3", "identifiers"),
		fields("4.1", "Id/required UserId/required AccessToken/required ApplicationId/required user"),
		fields("4.2", "UserId/required AccessToken/required ApplicationId/required"))
	for _, operation := range []string{"getUserAuth", "findByUserIds"} {
		list = append(list, "4/"+operation+"/served", "5.1/"+operation+"/token",
			"9.3/"+operation+"/shape", "9.3/"+operation+"/values", "9.3/"+operation+"/divergence")
	}
	return list
}

// heard is what a target was sent.
type heard struct {
	mu       sync.Mutex
	requests []asked
}

type asked struct {
	method, path string
	members      map[string]any // nil where the body is no JSON object
}

// listening serves a handler and remembers what it was sent.
func (h *heard) listening(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what can't be read is no object
		a := asked{method: r.Method, path: r.URL.Path}
		_ = json.Unmarshal(body, &a.members)
		h.mu.Lock()
		h.requests = append(h.requests, a)
		h.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(w, r)
	})
}

// wellFormed tells whether a request has every field and the right credentials.
func (a asked) wellFormed() bool {
	for _, field := range []string{"UserId", "AccessToken", "ApplicationId"} {
		if text, ok := a.members[field].(string); !ok || text == "" {
			return false
		}
	}
	id, hasID := a.members["Id"].(string)
	return a.method == http.MethodPost && a.members["AccessToken"] == fixtures.AccessToken && a.members["ApplicationId"] == fixtures.ApplicationID &&
		hasID == strings.HasSuffix(a.path, "getUserAuth") && (!hasID || id != "") && len(a.members) <= 4
}

// badToken tells whether a request may count as a failed login.
func (a asked) badToken() bool {
	token, given := a.members["AccessToken"]
	return given && token != nil && token != "" && token != fixtures.AccessToken
}

func scopeSpecs(r *rig) {
	// narrowed runs against the reference with more settings, and gives what it was sent.
	narrowed := func(more ...string) (*report, *outcome, []asked) {
		GinkgoHelper()
		var h heard
		server := count(h.listening(referenceOf(knownUsers())))
		o := r.call(r.certify(server.URL, more...))
		return sound(o), o, h.requests
	}

	Describe("The catalogue", func() {
		It("lists every id of the design, and is what a run judges", func() {
			o := r.call(command{args: []string{"requirements"}})
			Expect(o.code).To(BeZero(), o.said())
			var documented, others []string
			for line := range strings.Lines(o.stdout) {
				fields := strings.Fields(line)
				Expect(len(fields)).To(BeNumerically(">", 4), line)
				Expect(fields[1]).To(HavePrefix("§"))
				if fields[2] == "documented" {
					documented = append(documented, fields[0])
				} else {
					Expect(fields[2]).To(BeElementOf("open", "excluded"))
					Expect(fields[0]).To(HavePrefix(fields[2] + "/"))
					others = append(others, fields[0])
				}
			}
			Expect(documented).To(ConsistOf(ids()))
			Expect(others).NotTo(BeEmpty())
			report, _, _ := narrowed("--divergence", "fail")
			Expect(append(report.rows("pass"), report.rows("fail", "inconclusive")...)).To(ConsistOf(documentedRows()))
		})
	})

	DescribeTable("The plan is what a run sends", func(more ...string) {
		server := count(referenceOf(knownUsers()))
		c := r.certify(server.URL, more...)
		c.args[0] = "plan"
		planned := r.call(c)
		Expect(planned.code).To(BeZero(), planned.said())
		Expect(server.requests.Load()).To(BeZero(), "the plan sent a request")
		lines := strings.Split(strings.TrimSuffix(planned.stdout, "\n"), "\n")
		total, err := strconv.Atoi(lines[len(lines)-1])
		Expect(err).NotTo(HaveOccurred())
		Expect(lines).To(HaveLen(total + 1))
		Expect(planned.stdout).NotTo(ContainSubstring(fixtures.AccessToken))
		Expect(odd(planned.stdout)).To(BeEmpty())

		report, _, requests := narrowed(more...)
		Expect(report.Counts.Requests).To(Equal(int64(total)))
		var foreseen, sent []string
		for _, line := range lines[:total] {
			columns := strings.Split(line, "\t")
			foreseen = append(foreseen, columns[2]+" "+strings.TrimPrefix(columns[3], server.URL))
		}
		for _, a := range requests {
			sent = append(sent, a.method+" "+a.path)
		}
		Expect(sent).To(ConsistOf(foreseen))
	},
		Entry("whole"),
		Entry("of one version", "--versions", "v6"),
		Entry("without bad tokens", "--label-filter", "!auth-failure"),
		Entry("of well-formed requests", "--label-filter", "read"),
		Entry("of refusals", "--label-filter", "negative && v5"),
		Entry("of one operation", "--label-filter", "findByUserIds"),
		Entry("of one section", "--label-filter", "5.1"),
		Entry("of parity", "--label-filter", "v5=v6"),
		Entry("of one row", "--focus", "v6 4.1/Id/required"),
		Entry("of an open point", "--focus", "open/7/wrong-method"),
		Entry("of shapes", "--parity", "shape"),
	)

	It("judges the embedded reference where there is no target", func() {
		o := r.call(command{args: []string{"run"}})
		report := sound(o)
		Expect(report.Verdict).To(Equal("pass"), o.said())
		Expect(report.Complete).To(BeTrue())
	})

	It("certifies one version alone", func() {
		report, _, requests := narrowed("--versions", "v6")
		Expect(report.Verdict).To(Equal("pass"))
		Expect(report.Complete).To(BeTrue())
		Expect(report.Versions).To(Equal([]string{"v6"}))
		Expect(report.rows("fail", "inconclusive")).To(BeEmpty())
		Expect(report.rows("pass")).To(HaveEach(HavePrefix("v6 ")))
		for _, a := range requests {
			Expect(a.path).NotTo(HavePrefix("/api/v5/"))
		}
	})

	It("sends no bad token where the filter says so", func() {
		report, o, requests := narrowed("--label-filter", "!auth-failure")
		Expect(report.Verdict).To(Equal("pass"), o.said())
		Expect(report.Complete).To(BeFalse())
		Expect(report.rows("inconclusive")).To(ConsistOf("v5 5.1/getUserAuth/token", "v6 5.1/getUserAuth/token", "v5 5.1/findByUserIds/token", "v6 5.1/findByUserIds/token"))
		Expect(requests).NotTo(BeEmpty())
		for _, a := range requests {
			Expect(a.badToken()).To(BeFalse(), "%v", a)
		}
	})

	It("sends well-formed requests only, where the filter says so", func() {
		report, o, requests := narrowed("--label-filter", "read")
		Expect(report.Verdict).To(Equal("pass"), o.said())
		Expect(report.Complete).To(BeFalse())
		Expect(requests).NotTo(BeEmpty())
		for _, a := range requests {
			Expect(a.wellFormed()).To(BeTrue(), "%v", a)
		}
	})

	It("sends reads of one operation only, where the focus is a field of the record", func() {
		report, o, requests := narrowed("--focus", "2.1/CreatedOn")
		Expect(report.Verdict).To(Equal("pass"), o.said())
		Expect(report.Complete).To(BeFalse())
		Expect(report.rows("pass")).To(ConsistOf("v5 2.1/CreatedOn", "v6 2.1/CreatedOn"))
		Expect(requests).NotTo(BeEmpty())
		for _, a := range requests {
			Expect(a.wellFormed()).To(BeTrue(), "%v", a)
			Expect(a.path).To(HaveSuffix("/getUserAuth"))
		}
	})

	It("sends bad tokens last, and to one user", func() {
		_, _, requests := narrowed()
		first := slices.IndexFunc(requests, asked.badToken)
		Expect(first).To(BeNumerically(">", 0))
		users := map[any]bool{}
		for _, a := range requests[first:] {
			Expect(a.badToken()).To(BeTrue(), "%v came after a bad token", a)
		}
		for _, a := range requests {
			if !a.wellFormed() && a.members["UserId"] != nil && a.members["UserId"] != "user-unknown-to-the-target" {
				users[a.members["UserId"]] = true
			}
		}
		delete(users, 12345.0) // the wrong type
		Expect(users).To(HaveLen(1))
	})

	It("names every command where none or an unknown one is given", func() {
		for _, args := range [][]string{nil, {"rnu"}, {"run", "--help", "--nonsense"}, {"plan", "--nonsense"}, {"requirements", "now"}, {"serve", "--mutant", "no-such"}, {"serve", "--address", "0.0.0.0:0"}} {
			o := r.call(command{args: args})
			Expect(o.code).To(Equal(2), "%v: %s", args, o.said())
			Expect(o.stderr).To(HavePrefix("error: "), "%v", args)
		}
	})

	It("leaves nothing but its reports in the report folder", func() {
		o := r.call(command{args: []string{"run"}})
		names, err := filepath.Glob(filepath.Join(o.reports(), "*"))
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(ContainElements(HaveSuffix("/report.json"), HaveSuffix("/junit.xml")))
		for _, name := range names {
			Expect(filepath.Base(name)).To(BeElementOf("report.json", "junit.xml", "report.html", "evidence.har", "summary.md", "statement.json"), "no temporary file stays behind")
		}
	})
	settingsSpecs(r)
}
