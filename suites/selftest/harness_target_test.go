package selftest_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
)

// usersFile is the users file of the reference.
var usersFile = func() string {
	path, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "users.yaml"))
	mustSucceed(err)
	return path
}()

// referenceFor is the reference service for some users, with the credentials of the fixtures.
func referenceFor(users []fixtures.User) http.Handler {
	return kit.Reference(users, fixtures.AccessToken)
}

// writeCertificates writes a private CA (ca.pem) and a certificate for 127.0.0.1 that it has signed (server.pem,
// server.key).
func writeCertificates(folder string) {
	authority, err := kit.NewAuthority()
	mustSucceed(err)
	server, err := authority.Issue(kit.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	mustSucceed(err)
	writeFile(folder, "ca.pem", string(authority.PEM))
	writeFile(folder, "server.pem", string(server.PEM))
	writeFile(folder, "server.key", string(server.Key))
}

// rewriteBodies changes the bodies of a handler's 200 answers.
func rewriteBodies(handler http.Handler, change func(path, body string) string) http.Handler {
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

// isV6 reports whether a path is one of v6.
func isV6(path string) bool { return strings.Contains(path, "/v6/") }

// target is a server that counts its requests, and can call a hook when one arrives.
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

// disturb runs a command, and calls do when the nth request from now on arrives, before it is answered.
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

// delayAnswers delays each answer, so that a run takes long enough to be disturbed. A request that ends during the
// delay gets no answer.
func delayAnswers(handler http.Handler, delay time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(delay):
			handler.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// certifyTarget returns a run against a target, with the users and credentials of the reference. More flags may be
// added.
func certifyTarget(url string, more ...string) command {
	return command{args: append([]string{"run", "--target-url", url, "--users", usersFile}, more...),
		env: credentialsOfReference()}
}

// sweepOf returns a sweep of the users in a file, with the credentials of the reference. More flags may be added.
func sweepOf(url, users string, more ...string) command {
	return command{args: append([]string{"sweep", "--target-url", url, "--users", users}, more...),
		env: credentialsOfReference()}
}
