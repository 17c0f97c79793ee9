package selftest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/mutants"
)

// service is a service of any kind of fixture, with what a client has to know to judge it.
type service struct {
	users []fixtures.User
	flags []string                                // of a run
	start func(folder string) (*listening, error) // certificates are written into folder
}

// listening is a service that was started.
type listening struct {
	flags    []string     // that tell a client where it is
	requests func() int64 // that reached it; nil if it does not count them
	lured    func() int64 // requests that reached another origin; nil if it names none
	stop     func()
}

// mutantService is a mutant of the reference.
func mutantService(m mutants.Mutant) service {
	s := service{users: knownUsers(), start: func(string) (*listening, error) {
		t := startTarget(m.Serve(reference(knownUsers())))
		return &listening{flags: []string{"--target-url", t.URL}, requests: t.requests.Load, stop: t.Close}, nil
	}}
	if slices.ContainsFunc(m.Expect, func(id string) bool { return strings.HasSuffix(id, "/divergence") }) {
		s.flags = []string{"--divergence", "fail"} // without it a divergence breaks nothing
	}
	return s
}

// conformingService is a service that keeps the contract in an unusual way.
func conformingService(c conforming.Service) service {
	return service{users: c.Users(), flags: c.Flags, start: func(folder string) (*listening, error) {
		r, err := c.Start(folder)
		if err != nil {
			return nil, err
		}
		return &listening{flags: r.Arguments, requests: r.Requests, stop: r.Close}, nil
	}}
}

// hostileService is a service that means harm.
func hostileService(t hostile.Target, o hostile.Options) service {
	return service{users: t.Users(), flags: t.Flags, start: func(folder string) (*listening, error) {
		r, err := t.Start(folder, o)
		if err != nil {
			return nil, err
		}
		return &listening{flags: r.Arguments, lured: r.Lured, stop: r.Close}, nil
	}}
}

// judge starts the service, lets a run or a sweep judge it, and stops it. The flags of c follow the usual ones. The
// service is returned with its counts.
func (s service) judge(c command) (*result, *listening) {
	if c.folder == "" {
		c.folder = newFolder()
	}
	if c.env == nil {
		c.env = credentials()
	}
	l, err := s.start(c.folder)
	if err != nil {
		return &result{err: err}, nil
	}
	defer l.stop()
	users := writeUsers(c.folder, s.users)
	c.args = slices.Concat(c.args[:1], []string{"--users", users}, l.flags, s.flags, c.args[1:])
	return c.run(), l
}

// mutant finds a mutant by its name. It panics if there is none.
func mutant(name string) mutants.Mutant {
	m, found := mutants.Find(name)
	if !found {
		panic(fmt.Sprintf("there is no mutant %q", name))
	}
	return m
}

// conformingNamed finds a conforming service by its name. It panics if there is none.
func conformingNamed(name string) conforming.Service {
	return named(conforming.All(), name, func(s conforming.Service) string { return s.Name })
}

// hostileNamed finds a hostile target by its name. It panics if there is none.
func hostileNamed(name string) hostile.Target {
	return named(hostile.All(), name, func(t hostile.Target) string { return t.Name })
}

func named[T any](list []T, name string, nameOf func(T) string) T {
	i := slices.IndexFunc(list, func(one T) bool { return nameOf(one) == name })
	if i < 0 {
		panic(fmt.Sprintf("there is no service %q", name))
	}
	return list[i]
}

// credentials are the environment of a client of the reference.
func credentials() []string { return credentialsWith(fixtures.AccessToken) }

// credentialsWith are the environment of a client with another token.
func credentialsWith(token string) []string {
	return []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

// writeUsers writes a users file of JSON into a folder, and returns its path.
func writeUsers(folder string, users []fixtures.User) string {
	type entry struct {
		ID       string `json:"id"`
		UserID   string `json:"userId"`
		Enrolled bool   `json:"enrolled"`
		Name     string `json:"name"`
	}
	entries := make([]entry, len(users))
	for i, u := range users {
		entries[i] = entry(u)
	}
	content, err := json.Marshal(entries)
	must(err)
	return writeFile(folder, "users.json", string(content))
}
