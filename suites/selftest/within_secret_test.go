package selftest_test

import (
	"encoding/base64"
	"fmt"
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

// twice is a run and what judging its evidence came to, in a folder of its own.
type twice struct{ run, again *outcome }

// twice carries a run out against a handler, ends the target, and judges the evidence.
func (r *rig) twice(handler http.Handler, token, config string) twice {
	server := httptest.NewServer(handler)
	c := r.certify(server.URL)
	c.folder, c.env = r.work(), []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
	if config != "" {
		c.args = append(c.args, "--config", write(c.folder, "c.yaml", []byte(config)))
	}
	t := twice{run: r.call(c)}
	server.Close()
	t.again = r.call(command{args: []string{"judge", filepath.Join(t.run.reports(), "evidence.har")}})
	return t
}

// within is a service whose versions differ in an undocumented member, only in what a secret is there.
type within struct{ name, token, v5, v6 string }

func withinSecrets() []within {
	const digits = "4815162342108"
	plain := `"` + plainToken + `"`
	return []within{
		{"a number", digits, digits, "1111111111111"},
		{"a number in a text", digits, `"` + digits + `"`, `"[secret:13]"`},
		{"base64 for plain text", plainToken, plain, `"` + base64.StdEncoding.EncodeToString([]byte(plainToken)) + `"`},
		{"one letter in another case", plainToken, plain, `"Q` + plainToken[1:] + `"`},
		{"the name of a member", plainToken, `{` + plain + `:1}`, `{"[secret:40]":1}`},
		{"the name of the token's variable", plainToken, plain, `"$AUTHN_ACCESS_TOKEN"`},
		{"the text that stands for a secret", plainToken, plain, `"[secret:40]"`},
		{"the text that stands for a secret, in escapes", plainToken, plain, `"\u005bsecret:40]"`},
		{"two parts of it", plainToken, `"` + plainToken[:20] + `"`, `"` + plainToken[20:] + `"`},
		{"what stands for the text that stands for a secret", plainToken, `"[secret:40]"`, `"[said-secret:40]"`},
	}
}

// differenceWithinSpecs show that taking secrets out hides no difference.
func differenceWithinSpecs(r *rig) {
	list := withinSecrets()
	var jobs []func() twice
	for _, w := range list {
		jobs = append(jobs, func() twice {
			right := reference.New(reference.Options{Users: knownUsers(), AccessToken: w.token, ApplicationID: fixtures.ApplicationID})
			return r.twice(rewritten(right, func(path, body string) string {
				value := w.v5
				if strings.Contains(path, "/v6/") {
					value = w.v6
				}
				return strings.Replace(body, `"Description":`, `"Extra":`+value+`,"Description":`, 1)
			}), w.token, "")
		})
	}
	results := runAhead(r, jobs...)

	Describe("A difference within a secret is one, in the run and in its evidence:", func() {
		for i, w := range list {
			It(w.name, func() {
				was, now := sound(results.result(i).run), sound(results.result(i).again)
				Expect(was.rows("fail")).To(ContainElement(HavePrefix("v5=v6 9.3/getUserAuth/")))
				Expect(now.Verdict).NotTo(Equal("pass"))
				for _, row := range was.rows("fail") {
					Expect(now.rows("pass")).NotTo(ContainElement(row))
				}
			})
		}
	})
}

// ordinaryHeaderSpecs show that a secret which is no secret to the suite or to the target hinders no run.
func ordinaryHeaderSpecs(r *rig) {
	// Of a value that the target uses too, the evidence may not tell enough to be judged again, and must say so then.
	told := []string{"127.0.0.1", "getUserAuth", "http://127.0.0.1", "inconclusive", "no-cache, no-store", "well-formed"}
	list := slices.Sorted(slices.Values(append([]string{"application/json", "authenticator-conformance/0.1.0", "RegistrationDate", "Smartcard"}, told...)))
	var jobs []func() twice
	for _, text := range list {
		jobs = append(jobs, func() twice {
			return r.twice(referenceOf(knownUsers()), fixtures.AccessToken, fmt.Sprintf("target:\n  headers:\n    X-Caller: %q\n", text))
		})
	}
	results := runAhead(r, jobs...)

	Describe("A header whose value stands in the suite's own words, or in the target's, hinders no run:", func() {
		for i, text := range list {
			It(text, func() {
				run, again := results.result(i).run, results.result(i).again
				Expect(sound(run).Verdict).To(Equal("pass"), run.said())
				if slices.Contains(told, text) {
					Expect(again.code).To(Equal(0), again.said())
					Expect(filesOf(again.reports())).To(Equal(filesOf(run.reports())))
					return
				}
				Expect(sound(again).rows("fail")).To(BeEmpty())
				Expect(again.code).To(BeElementOf(0, 3), again.said())
			})
		}
	})
}
