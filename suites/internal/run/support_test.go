package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/run"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

// limit ends a spec that would hang where the run is broken.
const limit = 60 * time.Second

// sent is one request as the target saw it.
type sent struct {
	id, method, path string
	body             string // the token as a placeholder
}

func (s sent) version() string   { return strings.Split(s.path, "/")[2] }
func (s sent) operation() string { return s.path[strings.LastIndexByte(s.path, '/')+1:] }

// members are those of the request's body; nil where it is no JSON object.
func (s sent) members() map[string]any {
	var members map[string]any
	_ = json.Unmarshal([]byte(s.body), &members) // a body that is none has no members
	return members
}

// user is the UserId asked for, "" where there is none.
func (s sent) user() string {
	user, _ := s.members()["UserId"].(string)
	return user
}

// call is one well-formed request that the reference served.
type call struct {
	version   schemas.Version
	operation schemas.Operation
	user      string
	number    int // the how-manieth of its version, operation and user, from 1
}

// stage is a target: the reference, with what a spec changes of it.
type stage struct {
	mu      sync.Mutex
	log     []sent
	counts  map[string]int
	release chan struct{} // closed before the target is: what holds an answer back must wait for it

	// before, where set, may answer in the reference's place; it then returns true.
	before func(w http.ResponseWriter, s sent, number int) bool
	// twist, where set, changes the decoded body of what the reference served.
	twist func(c call, value any) any
}

var exchangeID = regexp.MustCompile(`exchange (e[0-9]+)\)`)

func (s *stage) requests() []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

func (s *stage) handler(reference http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		now := sent{method: r.Method, path: r.URL.Path,
			body: strings.ReplaceAll(string(body), fixtures.AccessToken, "$AUTHN_ACCESS_TOKEN")}
		if found := exchangeID.FindStringSubmatch(r.UserAgent()); found != nil {
			now.id = found[1]
		}
		s.mu.Lock()
		s.log = append(s.log, now)
		number := len(s.log)
		s.mu.Unlock()
		if s.before != nil && s.before(w, now, number) {
			return
		}
		answer := httptest.NewRecorder()
		reference.ServeHTTP(answer, r)
		text := answer.Body.Bytes()
		if answer.Code == http.StatusOK && s.twist != nil {
			text = s.changed(now, text)
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(text) // a client that went away has no use for the error
	})
}

func (s *stage) changed(now sent, text []byte) []byte {
	value, err := strictjson.Decode(text)
	if err != nil {
		panic(err) // the reference answers JSON
	}
	c := call{version: schemas.Version(now.version()), operation: schemas.Operation(now.operation()), user: now.user()}
	key := fmt.Sprint(c.version, c.operation, c.user)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[key]++
	c.number = s.counts[key]
	changed, err := json.Marshal(s.twist(c, value))
	if err != nil {
		panic(err) // a decoded value can be written
	}
	return changed
}

// three users are enough for most specs: one with every value, one without an authenticator, another with every value.
func threeUsers() []fixtures.User {
	all, err := fixtures.Users()
	Expect(err).NotTo(HaveOccurred())
	i := slices.IndexFunc(all, func(u fixtures.User) bool { return !u.Enrolled })
	return []fixtures.User{all[0], all[i], all[len(all)-1]}
}

// readyRun puts a stage up and prepares a run against it, for three users.
func readyRun(s *stage, change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	return newRunFor(s, threeUsers(), change...)
}

// newRunFor puts a stage up and prepares a run against it, for users whom the reference knows.
func newRunFor(s *stage, users []fixtures.User, change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	s.counts, s.release = map[string]int{}, make(chan struct{})
	o := reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID}
	server := httptest.NewServer(s.handler(reference.New(o)))
	DeferCleanup(server.Close)
	DeferCleanup(func() { close(s.release) })
	return runAgainst(server.URL, users, change...)
}

func runAgainst(address string, users []fixtures.User, change ...func(*settings.Settings)) *run.Run {
	GinkgoHelper()
	config := testkit.Settings(testkit.Must(url.Parse(address)), users, change...)
	return run.New(config, testkit.Suite(), "0.0.0", nil)
}

func withConcurrency(n int) func(*settings.Settings) {
	return func(s *settings.Settings) { s.Concurrency = n }
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

// selectRows selects rows, "id version" each.
func selectRows(r *run.Run, keys ...string) {
	selected := map[ledger.Key]bool{}
	for _, key := range keys {
		id, version, _ := strings.Cut(key, " ")
		selected[ledger.Key{ID: id, Version: schemas.Version(version)}] = true
	}
	r.Select(selected)
}
