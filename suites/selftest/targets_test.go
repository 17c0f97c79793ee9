package selftest_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
)

// knownUsers are the users of the embedded reference. They are part of the program, so that they can always be read.
func knownUsers() []fixtures.User {
	users, err := fixtures.Users()
	if err != nil {
		panic(err)
	}
	return users
}

// referenceOf is the reference over some users, with the credentials of the fixtures.
func referenceOf(users []fixtures.User) http.Handler {
	return reference.New(reference.Options{Users: users, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
}

// counted is a server that counts the requests that reach it.
type counted struct {
	*httptest.Server
	requests *atomic.Int64
}

// count serves a handler until the spec ends.
func count(handler http.Handler) counted {
	c := counted{requests: new(atomic.Int64)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	DeferCleanup(c.Close)
	return c
}
