package selftest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
)

// judged is a service, and what a sweep of its users has to make of it.
type judged struct {
	name    string
	target  http.Handler
	users   string // the users file; "": that of all, of whom it is not said who is enrolled
	more    []string
	config  string
	code    int
	says    []string
	getUser map[string]int64 // the outcomes of getUserAuth
	find    map[string]int64 // those of findByUserIds
}

const judgedPeople = 61 // of whom no two neighbours are strewn together

// always gives the same answer to everybody.
func always(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// versions answers each version by another handler.
func versions(v5, v6 http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/v5/") {
			v5.ServeHTTP(w, r)
		} else {
			v6.ServeHTTP(w, r)
		}
	})
}

// some is a right service but for what it shows some of its users.
func some(users int, spoil func(*answer)) http.Handler {
	return plantedOver(peopleOf(judgedPeople, everybody).known(), planting{people: judgedPeople, list: []plant{{users: users, spoil: spoil}}})
}

func judgedServices() []judged {
	known := peopleOf(judgedPeople, everybody)
	right := known.known()
	marked := func(mark string) string {
		return strings.Replace(strings.ReplaceAll(known.csv(), "\n", ","+mark+"\n"), "userId,"+mark, "userId,enrolled", 1)
	}
	one := func(outcome string) map[string]int64 { return map[string]int64{outcome: judgedPeople} }
	two := func(outcome string, n int64) map[string]int64 {
		return map[string]int64{outcome: n, "equal": judgedPeople - n}
	}
	description := swap(record, "v6", `"Description":"[^"]*"`, `"Description":"changed"`)
	return []judged{
		{name: "it is right", target: right, code: 0, getUser: one("equal"), find: one("equal")},
		{name: "it answers everything with a fault of its own", target: always(500, "oops"), code: 1, getUser: one("both-violate"), find: one("both-violate")},
		{name: "it knows nobody's token", target: always(401, ""), code: 1, getUser: one("both-violate"), find: one("both-violate")},
		{name: "it shows a page to everybody", target: always(200, "<html>welcome</html>"), code: 1, getUser: one("both-violate"), find: one("both-violate")},
		{name: "it knows nobody", target: always(404, ""), code: 3, says: []string{"nobody was served"}, getUser: one("nothing-alike"), find: one("nothing-alike")},
		{name: "it has nothing for anybody", target: always(200, "[]"), code: 3, says: []string{"nobody was served"}, getUser: one("nothing-alike"), find: one("nothing-alike")},
		{name: "it knows nobody, who are all enrolled", target: always(404, ""), users: marked("true"), code: 1, getUser: one("both-violate"), find: one("both-violate")},
		{name: "it takes another token", target: referenceWith(known, "another-token-of-somebody"), code: 1, says: []string{"4/getUserAuth/served"}, getUser: one("both-violate"), find: one("both-violate")},
		{name: "its v6 knows nobody", target: versions(right, always(404, "")), code: 1, getUser: one("different"), find: one("different")},
		{name: "its v6 is out of order", target: versions(right, always(502, "")), code: 1, getUser: one("different"), find: one("different")},
		{name: "its versions know nobody in different ways", target: versions(always(404, ""), always(400, "")), code: 3, getUser: one("not-comparable"), find: one("not-comparable")},
		{name: "its versions refuse those who are not enrolled in different ways", target: versions(always(404, ""), always(204, "")), users: marked("false") + "ffffffff-0000-4000-8000-000000000000,x,true\n",
			code: 1, getUser: map[string]int64{"equal-under-rule": judgedPeople, "both-violate": 1}},
		{name: "it is silent about three users", target: some(3, func(*answer) { panic(http.ErrAbortHandler) }), more: []string{"--concurrency", "1"},
			code: 3, getUser: two("not-comparable", 3), find: two("not-comparable", 3)},
		{name: "it is slow about two users", target: some(2, func(*answer) { time.Sleep(600 * time.Millisecond) }), more: []string{"--timeout", "300ms", "--concurrency", "1"},
			code: 3, says: []string{"timeout of v5"}, getUser: two("not-comparable", 2), find: two("not-comparable", 2)},
		{name: "it breaks the contract for one user in both versions", target: some(1, refuse(identifiers, both, 500, "")), code: 1, getUser: one("equal"), find: two("both-violate", 1)},
		{name: "it answers with another user's record", target: some(4, swap(record, both, `"UserId":"[^"]*"`, `"UserId":"somebody"`)), code: 1,
			says: []string{"4.1/user"}, getUser: two("both-violate", 4), find: one("equal")},
		{name: "it writes a GUID otherwise", target: some(5, swap(record, "v6", `"Id":"........-`, `"Id":"ABCDEF00-`)), code: 1, getUser: two("different", 5), find: one("equal")},
		{name: "values differ, and only the shape counts", target: some(6, description), more: []string{"--parity", "shape"}, code: 0, says: []string{"parity: shape"}, getUser: two("equal-under-rule", 6), find: one("equal")},
		{name: "a member is missing, and only the shape counts", target: some(6, swap(record, "v6", `"Description":"[^"]*",`, ``)), more: []string{"--parity", "shape"}, code: 1, getUser: two("different", 6), find: one("equal")},
		{name: "values differ that are ignored", target: some(6, description), config: "parity:\n  ignore:\n    - pointer: /Description\n      reason: it is of no matter\n",
			code: 0, says: []string{"parity.ignore /Description"}, getUser: two("equal-under-rule", 6), find: one("equal")},
		{name: "others differ than those that are ignored", target: some(6, description), config: "parity:\n  ignore:\n    - pointer: /Device/Comment\n      reason: it is of no matter\n",
			code: 1, getUser: two("different", 6), find: one("equal")},
		{name: "values differ, which is waived", target: some(6, description), config: "waivers:\n  - requirement: 9.3/getUserAuth/values\n    reason: it is known\n    until: 2100-01-01\n",
			code: 0, says: []string{"waived"}, getUser: two("different", 6), find: one("equal")},
		{name: "values differ, and what was waived is past its time", target: some(6, description), config: "waivers:\n  - requirement: 9.3/getUserAuth/values\n    reason: it is known\n    until: 2020-01-01\n",
			code: 1, says: []string{"2020-01-01"}, getUser: two("different", 6), find: one("equal")},
		{name: "members in another order", target: some(6, swap(record, "v6", `("Description":"[^"]*"),("ExpirationDate":"[^"]*")`, `$2 , $1`)), code: 0, getUser: one("equal"), find: one("equal")},
		{name: "every second answer of v6 is another one", target: some(6, func(a *answer) {
			if a.is(record, "v6") && a.nth%2 == 1 {
				a.body = strings.Replace(a.body, `"Comment":"made up"`, `"Comment":"odd"`, 1)
			}
		}), code: 1, getUser: two("different", 6), find: one("equal")},
		{name: "one user differs, of whom a sample knows nothing", target: some(1, description), more: []string{"--sample", "10", "--seed", "5"}, code: -1, says: []string{"drawn at random from 61"}},
		{name: "everybody is in the sample", target: right, more: []string{"--sample", "61"}, code: 0, says: []string{"every one of the 61 users"}, getUser: one("equal"), find: one("equal")},
		{name: "a sample of right answers", target: right, more: []string{"--sample", "30"}, code: 0, says: []string{"fewer than 10%", "3/n"}},
		{name: "the same user twice", target: right, users: known.csv() + strings.SplitAfter(known.csv(), "\n")[1], code: 0},
	}
}

// referenceWith is the reference with another token than is sent.
func referenceWith(p people, token string) http.Handler {
	return replacing(p.known(), fixtures.AccessToken, token)
}

// replacing hands requests on with another text in their bodies.
func replacing(right http.Handler, old, now string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what can't be read is refused
		r.Body = io.NopCloser(strings.NewReader(strings.Replace(string(body), old, now, 1)))
		right.ServeHTTP(w, r)
	})
}

func sweepJudgedSpecs(r *rig) {
	list := judgedServices()
	var jobs []func() *outcome
	for _, j := range list {
		jobs = append(jobs, func() *outcome {
			server := httptest.NewServer(j.target)
			defer server.Close()
			c := r.sweepOf(server.URL, "users.csv", j.more...)
			c.folder = r.work()
			users := j.users
			if users == "" {
				users = peopleOf(judgedPeople, everybody).csv()
			}
			write(c.folder, "users.csv", []byte(users))
			if j.config != "" {
				c.args = append(c.args, "--config", write(c.folder, "c.yaml", []byte(j.config)))
			}
			return r.call(c)
		})
	}
	results := runAhead(r, jobs...)

	Describe("judges a service", func() {
		for i, j := range list {
			It(j.name, func() {
				o := results.result(i)
				report, _ := swept(o)
				if j.code >= 0 {
					Expect(o.code).To(Equal(j.code), o.said())
				}
				for _, words := range j.says {
					Expect(o.stdout).To(ContainSubstring(words))
				}
				for operation, outcomes := range map[string]map[string]int64{record: j.getUser, identifiers: j.find} {
					if outcomes == nil {
						continue
					}
					for outcome, share := range report.Tally.Outcomes[operation] {
						Expect(share.Count).To(Equal(outcomes[outcome]), "%s %s\n%s", operation, outcome, o.said())
					}
				}
			})
		}
	})
}
