package asker_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestAsker(t *testing.T) { testkit.Specs(t, "asker") }

// limit ends a spec that hangs because the asker is broken.
const limit = 30 * time.Second

// clock is a clock that only waits move. It notes them.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
	held  chan time.Time // if set, a wait ends only when the spec moves the clock
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, d)
	if c.held != nil {
		return c.held
	}
	c.now = c.now.Add(d)
	over := make(chan time.Time, 1)
	over <- c.now
	return over
}

// move moves a clock that is held.
func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	now := c.now
	c.mu.Unlock()
	c.held <- now
}

// waited lists the waits, such as "1s 2s".
func (c *clock) waited() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Trim(fmt.Sprint(c.waits), "[]")
}

// request is one request as the target saw it.
type request struct {
	number  int    // from 1
	id      string // of its exchange
	user    string // the UserId asked for
	control bool
}

// script is a target. answer returns the status of its answer to each request, for which it may set headers; 0 is no
// answer. What is answered 200 has the user's record.
type script struct {
	mu     sync.Mutex
	answer func(h http.Header, r request) int
	number int
	log    []string // the ids of what was sent
	clock  *clock
	client *counting
}

// counting is a client that counts how often it is told to read the tokens again, and to take the other connection.
type counting struct {
	*client.Client
	renewed, alternated int
}

func (c *counting) Renew() {
	c.renewed++
	c.Client.Renew()
}

func (c *counting) Alternate() {
	c.alternated++
	c.Client.Alternate()
}

// byNumber answers with statuses in turn; the last one stays.
func byNumber(statuses ...int) *script {
	return &script{answer: func(_ http.Header, r request) int { return statuses[min(r.number, len(statuses))-1] }}
}

// byID answers the requests with these ids with statuses in turn, of which the last one stays, and all others with 200.
func byID(answers map[string][]int) *script {
	asked := map[string]int{}
	return &script{answer: func(_ http.Header, r request) int {
		list := answers[r.id]
		if list == nil {
			return 200
		}
		asked[r.id]++
		return list[min(asked[r.id], len(list))-1]
	}}
}

// sent lists the ids of what was sent since the last call.
func (s *script) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := strings.Join(s.log, " ")
	s.log = nil
	return list
}

// ids returns the ids of what was sent since the last call.
func (s *script) ids() []string { return strings.Fields(s.sent()) }

var exchangeID = regexp.MustCompile(`exchange ([^ ]+)\)`)

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var members struct{ UserId string } //nolint:revive,staticcheck // as in the document
	_ = json.Unmarshal(body, &members)
	w.Header().Set("Connection", "close") // else the HTTP library sends again what it sent over a kept connection
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	now := request{number: s.number, user: members.UserId, id: exchangeID.FindStringSubmatch(r.UserAgent())[1]}
	now.control = now.id[0] == 'c'
	s.log = append(s.log, now.id)
	status := s.answer(w.Header(), now)
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	if status == http.StatusOK || w.Header().Get("With") == "data" {
		fmt.Fprintf(w, `{"UserId":%q,"Flags":1,"ModeType":2,"IsLocked":false}`, members.UserId)
	}
}

// newAsker returns an asker of a script, by the script's clock.
func newAsker(s *script, changes ...func(*asker.Options)) *asker.Asker {
	GinkgoHelper()
	s.clock = newClock()
	o := asker.Options{Suite: testkit.Suite(), Settings: testkit.Settings(testkit.Serve(s), nil), Clock: s.clock,
		Again: "run again"}
	for _, change := range changes {
		change(&o)
	}
	s.client = &counting{Client: client.New(o.Settings, testkit.Contract(), "1", "run", client.Options{})}
	o.Client = s.client
	a := asker.New(o)
	DeferCleanup(s.client.Close)
	return a
}

// with changes the settings.
func with(change func(*settings.Settings)) func(*asker.Options) {
	return func(o *asker.Options) { change(o.Settings) }
}

// wellFormed returns the request for a user.
func wellFormed(id, user string) exchange.Probe {
	return exchange.Probe{ID: id, Operation: schemas.GetUserAuth, Version: schemas.V5, Segment: "v5", Round: 1,
		User: exchange.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: user, Enrolled: true}}
}

// mutated returns a request that should be refused.
func mutated(id string, kind exchange.Kind, field string) exchange.Probe {
	p := wellFormed(id, "alice")
	p.Kind, p.Field = kind, field
	return p
}

// shown lists exchanges as "id status".
func shown(list []*exchange.Exchange) string {
	var texts []string
	for _, ex := range list {
		texts = append(texts, fmt.Sprint(ex.Probe.ID, " ", ex.Status))
	}
	return strings.Join(texts, ", ")
}

func shownControls(answers asker.Answers) string {
	var list []*exchange.Exchange
	for _, c := range answers.Controls {
		list = append(list, c.Answer)
	}
	return shown(list)
}
