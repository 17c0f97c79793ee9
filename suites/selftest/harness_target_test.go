package selftest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/fixtures"
	referenceservice "authenticator-conformance/fixtures/reference"
)

// usersFile is the users file of the reference.
var usersFile = func() string {
	path, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "users.yaml"))
	must(err)
	return path
}()

// knownUsers are the users of the reference.
func knownUsers() []fixtures.User {
	users, err := fixtures.Users()
	must(err)
	return users
}

// reference is the reference service for some users, with the credentials of the fixtures.
func reference(users []fixtures.User) http.Handler { return referenceWith(users, fixtures.AccessToken) }

// referenceWith is the reference service that takes another token.
func referenceWith(users []fixtures.User, token string) http.Handler {
	return referenceservice.New(referenceservice.Options{
		Users: users, AccessToken: token, ApplicationID: fixtures.ApplicationID,
	})
}

// rewritten changes the body of each successful answer of a service.
func rewritten(handler http.Handler, change func(path, body string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		body := answer.Body.String()
		if answer.Code == http.StatusOK {
			body = change(r.URL.Path, body)
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write([]byte(body))
	})
}

// isV6 reports whether a path is of v6.
func isV6(path string) bool { return strings.Contains(path, "/v6/") }

// target is a server that counts its requests, and can do something in the middle of one.
type target struct {
	*httptest.Server
	requests atomic.Int64

	mu   sync.Mutex
	left int64 // requests until hook is called
	hook func()
}

// startTarget serves a handler on a port of this machine.
func startTarget(handler http.Handler) *target {
	t := &target{}
	t.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.requests.Add(1)
		t.count()
		handler.ServeHTTP(w, r)
	}))
	return t
}

func (t *target) count() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left--; t.left == 0 && t.hook != nil {
		t.hook()
	}
}

// disturb runs a command, and does something when the nth request from now on arrives: before it is answered.
func (t *target) disturb(c command, nth int64, do func(p *os.Process)) *result {
	started := make(chan *os.Process, 1)
	c.onStart = func(p process) { started <- p.Process }
	t.mu.Lock()
	t.left, t.hook = nth, func() { do(<-started) }
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.hook = nil
	}()
	return c.run()
}

// slow delays each answer, so that a run has a middle. A request that ends meanwhile gets none.
func slow(handler http.Handler, delay time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(delay):
			handler.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// certify is a run against a target, with the users and credentials of the reference. More flags may follow.
func certify(url string, more ...string) command {
	return command{args: append([]string{"run", "--target-url", url, "--users", usersFile}, more...),
		env: credentials()}
}

// sweepOf is a sweep of the users of a file, with the credentials of the reference. More flags may follow.
func sweepOf(url, users string, more ...string) command {
	return command{args: append([]string{"sweep", "--target-url", url, "--users", users}, more...), env: credentials()}
}
