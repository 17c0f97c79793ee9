package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestRun(t *testing.T) { testkit.Specs(t, "run") }

// limit ends a spec that would hang where the run is broken.
const limit = 5 * time.Minute

// sent is one request as the target saw it.
type sent struct {
	id, method, path string
	version          schemas.Version
	operation        schemas.Operation
	body             string         // the tokens as placeholders
	members          map[string]any // of the body; nil where it is no JSON object
	user             string         // the UserId asked for, "" where there is none
	from             string         // the client's end of the connection
	number           int            // of the request, from 1
	call             int            // of its version, operation and user that the reference serves, from 1
}

// hasBadToken reports whether a request has a token that may count towards a lockout, which J13 puts last.
func (s sent) hasBadToken() bool {
	token, has := s.members["AccessToken"]
	return has && token != nil && token != "" && token != "$AUTHN_ACCESS_TOKEN"
}

// isWellFormed reports whether a request has all fields of its operation and the real token, and so should be served.
func (s sent) isWellFormed() bool {
	names := []string{"UserId", "AccessToken", "ApplicationId"}
	if s.operation == schemas.GetUserAuth {
		names = append(names, "Id")
	}
	return len(s.members) == len(names) && s.members["AccessToken"] == "$AUTHN_ACCESS_TOKEN" && s.user != "" &&
		!slices.ContainsFunc(names, func(name string) bool { text, _ := s.members[name].(string); return text == "" })
}

// stage is a target: the reference, with what a spec changes of it.
type stage struct {
	mu     sync.Mutex
	log    []sent
	counts map[string]int

	// before, where set, may answer in the reference's place; it then returns true.
	before func(w http.ResponseWriter, s sent) bool
	// twist, where set, changes the decoded body of what the reference served.
	twist func(s sent, value any) any
}

var (
	exchangeID   = regexp.MustCompile(`exchange (e[0-9]+)\)`)
	placeholders = strings.NewReplacer(fixtures.AccessToken, "$AUTHN_ACCESS_TOKEN",
		exchange.BadTokens(fixtures.AccessToken).Changed, "$CHANGED_TOKEN")
)

func (s *stage) sentRequests() []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// receiveRequest logs a request.
func (s *stage) receiveRequest(r *http.Request) sent {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	parts := strings.Split(r.URL.Path, "/")
	now := sent{method: r.Method, path: r.URL.Path, from: r.RemoteAddr, body: placeholders.Replace(string(body)),
		version: schemas.Version(parts[2]), operation: schemas.Operation(parts[len(parts)-1])}
	_ = json.Unmarshal([]byte(now.body), &now.members) // a body that is none has no members
	now.user, _ = now.members["UserId"].(string)
	if found := exchangeID.FindStringSubmatch(r.UserAgent()); found != nil {
		now.id = found[1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now.number = len(s.log) + 1
	s.log = append(s.log, now)
	return now
}

func (s *stage) handlerFor(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.receiveRequest(r)
		if s.before != nil && s.before(w, now) {
			return
		}
		answer := httptest.NewRecorder()
		service.ServeHTTP(answer, r)
		text := answer.Body.Bytes()
		if value, err := strictjson.Decode(text); answer.Code == http.StatusOK && s.twist != nil && err == nil {
			s.mu.Lock()
			key := fmt.Sprint(now.version, now.operation, now.user)
			s.counts[key]++
			now.call = s.counts[key]
			text, _ = json.Marshal(s.twist(now, value)) // a decoded value can be written
			s.mu.Unlock()
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(text) // a client that went away has no use for the error
	})
}

func anyRequest(sent) bool { return true }

// answerWith answers the requests of which it is true with a status, a body and headers.
func answerWith(which func(sent) bool, status int, body string, headers ...string) *stage {
	return &stage{before: func(w http.ResponseWriter, s sent) bool {
		if !which(s) {
			return false
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}}
}

// dropRequests closes the connections of the requests of which it is true without an answer.
func dropRequests(which func(sent) bool) *stage {
	return &stage{before: func(_ http.ResponseWriter, s sent) bool {
		if which(s) {
			panic(http.ErrAbortHandler)
		}
		return false
	}}
}

// changeRecords changes the records that are served to the requests of which it is true.
func changeRecords(which func(sent) bool, change func(s sent, record map[string]any)) *stage {
	return &stage{twist: func(s sent, value any) any {
		if record, ok := value.(map[string]any); ok && which(s) {
			change(s, record)
		}
		return value
	}}
}

// threeUsers are enough for most specs: one with every value, one without an authenticator, another with every value.
var threeUsers = func() []fixtures.User {
	all, err := fixtures.Users()
	if err != nil {
		panic(err) // they are part of the program
	}
	i := slices.IndexFunc(all, func(u fixtures.User) bool { return !u.Enrolled })
	return []fixtures.User{all[0], all[i], all[len(all)-1]}
}()

// manyUsers are so many, of whom those with the given numbers are not enrolled.
func manyUsers(n int, unenrolled ...int) []fixtures.User {
	list := make([]fixtures.User, n)
	for i := range list {
		list[i] = fixtures.User{ID: fmt.Sprintf("3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b%04d", i),
			UserID: fmt.Sprintf("u-%d", i), Enrolled: !slices.Contains(unenrolled, i)}
	}
	return list
}

// prepareRun puts a stage up and prepares a run against it, for three users.
func prepareRun(s *stage, change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	return prepareRunFor(s, threeUsers, change...)
}

// prepareRunFor puts a stage up and prepares a run against it, for users whom the reference knows.
func prepareRunFor(s *stage, users []fixtures.User, change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	return prepareWaiting(time.Millisecond, s, users, change...)
}

// prepareWaiting prepares a run whose first pause is so long.
func prepareWaiting(wait time.Duration, s *stage, users []fixtures.User,
	change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	s.counts = map[string]int{}
	o := reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	target := testkit.Serve(s.handlerFor(reference.New(o)))
	asksOne := func(s *settings.Settings) { s.Concurrency = 0 } // as that of every run
	return run.New(testkit.Settings(target, users, append(change, asksOne)...), testkit.Suite(), "0.0.0",
		run.Input{FirstWait: wait})
}

func withVersions(list ...schemas.Version) func(*settings.Settings) {
	return func(s *settings.Settings) { s.Versions = list }
}

// rowsNotPassing lists the rows whose verdict is not pass, as "id version verdict".
func rowsNotPassing(r *run.Run) []string {
	list := []string{}
	for _, row := range r.Ledger.Rows() {
		if row.Verdict() != ledger.Pass {
			list = append(list, fmt.Sprintf("%s %s", row.Key, row.Verdict()))
		}
	}
	return list
}

func findRow(r *run.Run, id string, v schemas.Version) *ledger.Row {
	GinkgoHelper()
	found := r.Ledger.Row(ledger.Key{ID: id, Version: v})
	Expect(found).NotTo(BeNil(), "%s of %s", id, v)
	return found
}

// selectRows selects rows, "id version" each. Without any, everything stays selected.
func selectRows(r *run.Run, keys ...string) {
	selected := map[ledger.Key]bool{}
	for _, key := range keys {
		id, version, _ := strings.Cut(key, " ")
		selected[ledger.Key{ID: id, Version: schemas.Version(version)}] = true
	}
	if len(keys) > 0 {
		r.Select(selected)
	}
}
