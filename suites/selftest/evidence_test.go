package selftest_test

import (
	"encoding/json"
	"fmt"
	"maps"
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

// odds are texts that could do something wherever they came out as they are.
func odds() []string {
	return []string{
		"</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "]]><![CDATA[ <!-- -->", "\x1b[2J\x1b]0;owned\a\u009b31m\u0085", "a\u202eb\u2066c\u200f\u061c\u2028d",
		"\x00\x01\b\x7f\ufeff\ufffe", "\n::error file=x,line=1::owned\n%0A::set-output name=x::y", "##[error]x ##vso[task.complete result=Succeeded;]", "| a | `b` | **c** | ~~d~~\n# verdict: pass\n```\n[x](javascript:alert(1))",
		"{{red}}{{/}} %s%d %!v(MISSING) $(id) ${x}", "' onmouseover='alert(1)' x=\"", "&lt;b&gt;&#x3c;i&#x3e; \\u003cscript\\u003e", "verdict: pass (complete), 1 requests, 0 throttled",
	}
}

// evidenceSpecs show what the files of a run hold of what was sent and what came back.
func evidenceSpecs(r *rig) {
	type har struct {
		Log struct {
			Entries []struct {
				Exchange string `json:"_exchange"`
				Request  struct{ URL string }
				Response struct{ Status int }
			}
		}
	}
	archive := func(o *outcome) har {
		GinkgoHelper()
		var h har
		Expect(json.Unmarshal([]byte(filesOf(o.reports())["evidence.har"]), &h)).To(Succeed())
		return h
	}
	// again judges the evidence of a run in a folder of its own, and expects the same files.
	again := func(was *outcome) {
		GinkgoHelper()
		o := r.call(command{args: []string{"judge", filepath.Join(was.reports(), "evidence.har")}})
		Expect(o.code).To(Equal(was.code), o.said())
		Expect(filesOf(o.reports())).To(Equal(filesOf(was.reports())))
	}

	Describe("The evidence of a run", func() {
		It("has an entry for each request that reached the target, and each exchange that the report names", func() {
			server := count(rewritten(referenceOf(knownUsers()), func(path, body string) string {
				if strings.Contains(path, "/v6/") {
					return strings.ReplaceAll(body, `"Flags":`, `"Flags":"x","Was":`)
				}
				return body
			}))
			o := r.call(r.certify(server.URL))
			report := sound(o)
			entries := archive(o).Log.Entries
			Expect(entries).To(HaveLen(int(server.requests.Load())))
			Expect(int64(len(entries))).To(Equal(report.Counts.Requests))
			ids := map[string]bool{}
			for _, e := range entries {
				Expect(ids).NotTo(HaveKey(e.Exchange), "nothing was throttled")
				ids[e.Exchange] = true
				Expect(e.Request.URL).To(HavePrefix(server.URL))
			}
			named := 0
			for _, row := range report.Requirements {
				for _, f := range row.Findings {
					Expect(ids).To(HaveKey(f.Exchange))
					named++
				}
			}
			Expect(named).To(BeNumerically(">", 0))
			again(o)
		})

		It("has each answer of a request that was throttled", func() {
			calls := 0
			right := referenceOf(knownUsers())
			server := count(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				if calls++; calls%40 == 1 {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				right.ServeHTTP(w, request)
			}))
			o := r.call(r.certify(server.URL, "--concurrency", "1"))
			report := sound(o)
			Expect(report.Verdict).To(Equal("pass"), report.accused())
			Expect(report.Counts.Throttled).To(BeNumerically(">", 1))
			last := map[string]int{}
			for _, e := range archive(o).Log.Entries {
				last[e.Exchange] = e.Response.Status
			}
			Expect(archive(o).Log.Entries).To(HaveLen(len(last) + int(report.Counts.Throttled)))
			Expect(slices.Collect(maps.Values(last))).NotTo(ContainElement(http.StatusTooManyRequests))
			again(o)
		})
	})

	Describe("An odd text does nothing", func() {
		It("in any field, header, refusal, name of a user or identifier", func() {
			users := slices.Clone(knownUsers()[:1])
			for i, text := range odds() {
				users = append(users, fixtures.User{ID: fmt.Sprintf("0f6a2f4e-9a1d-4c53-8a55-%012d", i), UserID: strings.Map(inUserID, text), Enrolled: i%3 != 2, Name: text})
			}
			right := reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
			server := httptest.NewServer(oddly(right))
			DeferCleanup(server.Close)
			folder := r.work()
			o := r.call(command{args: []string{"run", "--target-url", server.URL, "--users", usersFile(folder, users), "--divergence", "fail"}, env: credentials(), folder: folder})
			report := sound(o)
			Expect(report.Verdict).To(Equal("fail"), report.accused())
			Expect(unreadable(o)).To(BeEmpty())
			Expect(forged(o.stdout, report.Verdict)).To(BeEmpty())
			again(o)
		})
	})

	ordinaryHeaderSpecs(r)
}

// inUserID leaves of a text what a users file may have in a userId.
func inUserID(c rune) rune {
	if c < ' ' || c == 0x7f {
		return '.'
	}
	return c
}

// oddly puts odd texts into whatever a service answers, another one at each call.
func oddly(right http.Handler) http.Handler {
	texts, next := odds(), make(chan int, 1)
	next <- 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := <-next
		next <- n + 1
		text := texts[n%len(texts)]
		a := httptest.NewRecorder()
		right.ServeHTTP(a, r)
		quoted, _ := json.Marshal(text) // a text always has a JSON form
		inText := string(quoted[1 : len(quoted)-1])
		body := a.Body.String()
		if a.Code == http.StatusOK {
			body = strings.NewReplacer(`"Description":"`, `"Description":"`+inText, `"Comment":"`, `"Comment":"`+inText, `"ModeId":"`, `"ModeId":"`+inText,
				`"Device":{`, `"Device":{"`+inText+`":1,`, `["`, `["`+inText+`","`, `"Flags":`, `"Flags":"`+inText+`","Was":`).Replace(body)
		} else {
			body = text + body
		}
		header := strings.Map(inUserID, text)
		for _, name := range []string{"Content-Type", "WWW-Authenticate", "Sunset", "Deprecation", "Set-Cookie", "Location", "X-Echo", "RateLimit-" + fmt.Sprint(n%len(texts))} {
			w.Header().Set(name, header)
		}
		w.WriteHeader(a.Code)
		_, _ = w.Write([]byte(body))
	})
}
