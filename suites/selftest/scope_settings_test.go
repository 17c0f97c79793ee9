package selftest_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
	"authenticator-conformance/schemas"
)

// settingsSpecs shows the settings that change a verdict: parity, divergence, ignored places, waivers.
func settingsSpecs(r *rig) {
	// judged runs against a handler with a configuration file and more flags.
	judged := func(handler http.Handler, config string, more ...string) (*report, *outcome) {
		GinkgoHelper()
		server := count(handler)
		c := r.certify(server.URL, more...)
		c.folder = r.work()
		if config != "" {
			c.args = append(c.args, "--config", write(c.folder, "c.yaml", []byte(config)))
		}
		o := r.call(c)
		return sound(o), o
	}
	// breaking is the reference with the first mutant that breaks just one row.
	breaking := func(id string, version schemas.Version) http.Handler {
		GinkgoHelper()
		list := mutants.All()
		i := slices.IndexFunc(list, func(m mutants.Mutant) bool { return slices.Equal(m.Expect, []string{id}) && m.Version == version })
		Expect(i).To(BeNumerically(">=", 0), "no mutant breaks %s in %s", id, version)
		return list[i].Serve(referenceOf(knownUsers()))
	}

	Describe("Two versions with other values", func() {
		handler := inV6(func(body []byte) []byte {
			return bytes.Replace(body, []byte(`"Comment":"handed out in person"`), []byte(`"Comment":"handed out by post"`), 1)
		})
		It("fail where values are compared", func() {
			report, _ := judged(handler, "")
			Expect(report.Verdict).To(Equal("fail"))
			Expect(report.rows("fail", "inconclusive")).To(Equal([]string{"v5=v6 9.3/getUserAuth/values"}))
		})
		It("pass where only shapes are", func() {
			report, o := judged(handler, "", "--parity", "shape")
			Expect(report.Verdict).To(Equal("pass"), o.said())
			Expect(report.Complete).To(BeTrue())
			Expect(report.rows("pass", "fail", "inconclusive")).NotTo(ContainElement(HaveSuffix("/values")))
		})
		It("pass where the place is ignored", func() {
			report, o := judged(handler, "parity:\n  ignore:\n  - pointer: /Device/Comment\n    reason: free text\n")
			Expect(report.Verdict).To(Equal("pass"), o.said())
		})
		It("fail where another place is ignored, or none any more", func() {
			report, _ := judged(handler, "parity:\n  ignore:\n  - pointer: /Device/Comments\n    reason: free text\n")
			Expect(report.Verdict).To(Equal("fail"))
			report, o := judged(handler, "parity:\n  ignore:\n  - pointer: /Device/Comment\n    reason: free text\n    until: 2020-01-31\n")
			Expect(report.Verdict).To(Equal("fail"))
			Expect(o.stdout+strings.Join(report.Notes, "\n")).To(ContainSubstring("2020-01-31"), "the entry past its date is named")
		})
		It("fail in shape too where a member is missing", func() {
			report, _ := judged(inV6(func(body []byte) []byte { return bytes.Replace(body, []byte(`"Flags":6,`), nil, 1) }), "", "--parity", "shape")
			Expect(report.rows("fail")).To(Equal([]string{"v5=v6 9.3/getUserAuth/shape"}))
		})
	})

	Describe("Two versions that diverge where the document is silent", func() {
		right := referenceOf(knownUsers())
		handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			a := httptest.NewRecorder()
			right.ServeHTTP(a, request)
			w.Header().Set("Content-Type", a.Header().Get("Content-Type"))
			if a.Code == http.StatusOK && request.URL.Path == schemas.Path(schemas.V6, schemas.GetUserAuth) {
				a.Code = http.StatusAccepted
			}
			w.WriteHeader(a.Code)
			_, _ = w.Write(a.Body.Bytes())
		})
		It("pass, and the divergence is shown", func() {
			report, o := judged(handler, "")
			Expect(report.Verdict).To(Equal("pass"), o.said())
			Expect(o.stdout).To(ContainSubstring("open/4.3/status"))
		})
		It("fail where the configuration says so", func() {
			report, _ := judged(handler, "divergence: fail\n")
			Expect(report.Verdict).To(Equal("fail"))
			Expect(report.rows("fail", "inconclusive")).To(Equal([]string{"v5=v6 9.3/getUserAuth/divergence"}))
		})
	})

	Describe("A waiver", func() {
		const id = "4.1/ApplicationId/required"
		entry := func(more ...string) string {
			return "waivers:\n- requirement: " + id + "\n  reason: to be mended in spring\n" + strings.Join(more, "")
		}
		const until, past = "  until: 2037-01-31\n", "  until: 2020-01-31\n"
		It("sets a failure aside", func() {
			for _, config := range []string{entry(until), entry(until, "  version: v5\n"), entry(until, "  verdict: fail\n")} {
				report, o := judged(breaking(id, schemas.V5), config)
				Expect(report.Verdict).To(Equal("pass"), "%s\n%s", config, o.said())
				Expect(report.Complete).To(BeTrue())
				Expect(report.rows("fail")).To(Equal([]string{"v5 " + id}))
				for _, row := range report.Requirements {
					if row.ID == id && row.Version == "v5" {
						Expect(row.Waiver).NotTo(BeNil())
						Expect(row.Waiver.Reason).To(Equal("to be mended in spring"))
						Expect(row.Waiver.Until).To(Equal("2037-01-31"))
					} else {
						Expect(row.Waiver).To(BeNil(), row.String())
					}
				}
			}
		})
		It("sets nothing else aside", func() {
			for name, config := range map[string]string{
				"another version": entry(until, "  version: v6\n"),
				"another verdict": entry(until, "  verdict: inconclusive\n"),
				"past its date":   entry(past),
			} {
				report, o := judged(breaking(id, schemas.V5), config)
				Expect(report.Verdict).To(Equal("fail"), name)
				if name == "past its date" {
					Expect(o.stdout).To(ContainSubstring("2020-01-31"))
					Expect(strings.Join(report.Notes, "\n")).To(ContainSubstring(id))
				}
			}
		})
		It("of what passes is stale, and fails the run", func() {
			report, o := judged(referenceOf(knownUsers()), entry(until))
			Expect(report.Verdict).To(Equal("fail"))
			Expect(report.StaleWaivers).To(ConsistOf(ContainSubstring(id)))
			Expect(o.stdout).To(ContainSubstring("stale"))
		})
		It("of what passes fails nothing once it is past its date", func() {
			report, o := judged(referenceOf(knownUsers()), entry(past))
			Expect(report.Verdict).To(Equal("pass"), o.said())
			Expect(strings.Join(report.Notes, "\n")).To(ContainSubstring(id), "it is named")
		})
		It("sets an inconclusive row aside where it says so, and only then", func() {
			const id = "2.1/Description"
			config := func(verdict string) string {
				return "waivers:\n- requirement: " + id + "\n  verdict: " + verdict + "\n  reason: this deployment has none\n  until: 2037-01-31\n"
			}
			nameless := everyBody(func(body []byte) []byte {
				return bytes.ReplaceAll(body, []byte(`"Description":`), []byte(`"Text":`))
			})
			report, o := judged(nameless, "")
			Expect(report.Verdict).To(Equal("inconclusive"), o.said())
			Expect(report.rows("inconclusive")).To(Equal([]string{"v5 " + id, "v6 " + id}))
			report, o = judged(nameless, config("inconclusive"))
			Expect(report.Verdict).To(Equal("pass"), o.said())
			report, _ = judged(nameless, config("fail"))
			Expect(report.Verdict).To(Equal("inconclusive"))
		})
	})
}

// inV6 is the reference with altered bodies of success in v6.
func inV6(alter func([]byte) []byte) http.Handler {
	return altered(func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/v6/") }, alter)
}

// everyBody is the reference with altered bodies of success in both versions.
func everyBody(alter func([]byte) []byte) http.Handler {
	return altered(func(*http.Request) bool { return true }, alter)
}

func altered(concerns func(*http.Request) bool, alter func([]byte) []byte) http.Handler {
	right := referenceOf(knownUsers())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := httptest.NewRecorder()
		right.ServeHTTP(a, r)
		body := a.Body.Bytes()
		if a.Code == http.StatusOK && concerns(r) {
			body = alter(body)
		}
		w.Header().Set("Content-Type", a.Header().Get("Content-Type"))
		w.WriteHeader(a.Code)
		_, _ = w.Write(body)
	})
}
