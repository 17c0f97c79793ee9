package selftest_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/conforming"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/fixtures/mutants"
)

// service is a service of the fixtures of any kind, with the users and flags for a run against it.
type service struct {
	users []fixtures.User
	flags []string
	start func(folder string) (*kit.Running, error) // writes certificates into folder
}

func mutantService(m mutants.Mutant) service {
	return service{users: m.Users(), flags: m.Flags(), start: m.Start}
}

func conformingService(c conforming.Service) service {
	return service{users: c.Users(), flags: c.Flags, start: c.Start}
}

func hostileService(t hostile.Target, o hostile.Options) service {
	return service{users: t.Users(), flags: t.Flags, start: func(folder string) (*kit.Running, error) {
		return t.Start(folder, o)
	}}
}

// judge starts the service, lets a run or a sweep judge it, and closes it. The flags of c follow those of the service.
// The closed service is returned for its counts; it is nil if it could not be started.
func (s service) judge(c command) (*result, *kit.Running) {
	if c.folder == "" {
		c.folder = newFolder()
	}
	if c.env == nil {
		c.env = credentialsOfReference()
	}
	running, err := s.start(c.folder)
	if err != nil {
		return &result{err: err}, nil
	}
	defer running.Close()
	users := writeUsers(c.folder, s.users)
	c.args = slices.Concat(c.args[:1], []string{"--users", users}, running.Arguments, s.flags, c.args[1:])
	return c.run(), running
}

// mutantNamed finds a mutant by its name. It panics if there is none.
func mutantNamed(name string) mutants.Mutant {
	m, found := mutants.Find(name)
	if !found {
		panic(fmt.Sprintf("there is no mutant %q", name))
	}
	return m
}

// conformingNamed finds a conforming service by its name. It panics if there is none.
func conformingNamed(name string) conforming.Service {
	return findNamed(conforming.All(), name, func(s conforming.Service) string { return s.Name })
}

// hostileNamed finds a hostile target by its name. It panics if there is none.
func hostileNamed(name string) hostile.Target {
	return findNamed(hostile.All(), name, func(t hostile.Target) string { return t.Name })
}

func findNamed[T any](list []T, name string, nameOf func(T) string) T {
	i := slices.IndexFunc(list, func(one T) bool { return nameOf(one) == name })
	if i < 0 {
		panic(fmt.Sprintf("there is no service %q", name))
	}
	return list[i]
}

// credentialsOfReference returns the environment with the credentials of the reference.
func credentialsOfReference() []string { return credentialsWith(fixtures.AccessToken) }

// credentialsWith returns the environment with another token.
func credentialsWith(token string) []string {
	return []string{"AUTHN_ACCESS_TOKEN=" + token, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

// writeUsers writes a users file in JSON into a folder, and returns its path.
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
	mustSucceed(err)
	return writeFile(folder, "users.json", string(content))
}
