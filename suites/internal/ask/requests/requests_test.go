package requests_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestRequests(t *testing.T) { testkit.Specs(t, "requests") }

var tokens = exchange.Tokens{Real: "the-real-token", Random: "xqzrandomtoken", Changed: "the-reaa-token"}

// eachProbe is every probe of version v6: the well-formed ones, then those that are not.
func eachProbe() (list []exchange.Probe) {
	for _, op := range schemas.Operations() {
		base := exchange.Probe{Operation: op, Version: schemas.V6, Segment: "v6",
			User: exchange.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}
		sent := testkit.Suite().Mutations(op, base.Version, func(*spec.Requirement) bool { return true })
		list = append(append(list, base), exchange.Mutated(base, slices.DeleteFunc(sent,
			func(m exchange.Mutation) bool { return m == spec.WellFormed }))...)
	}
	return list
}

// makeRequests makes requests to a target and a module with names that a shell would take apart.
func makeRequests(change ...func(*settings.Settings)) *requests.Requests {
	s := &settings.Settings{Targets: map[schemas.Version]*settings.Target{schemas.V6: {ApplicationID: "mo'dule"}}}
	for _, c := range change {
		c(s)
	}
	return requests.Past(s, testkit.Contract(), map[schemas.Version]string{schemas.V6: "https://x.example/a b?"},
		map[schemas.Version]string{schemas.V6: tokens.Random})
}

var _ = It("The probes of v6, those with a bad token last, have these requests and curl commands", func() {
	const tenant = "q9W2-zK71-tenant"
	r := makeRequests(testkit.EachTarget(func(t *settings.Target) {
		t.CAFile, t.ClientCertFile, t.ClientKeyFile = "a b", "file.pem", "file.key"
		t.Headers = []settings.Header{{Name: "X-aAzZ.09", Value: tenant}}
	}))
	var text strings.Builder
	for _, p := range eachProbe() {
		fmt.Fprintf(&text, "%s (%s)\n%s %s %s\n%s\n%s\n\n", p.Name(), p.Risk(), p.Method(), r.URL(p),
			r.Header(p, "agent")["Content-Type"], r.Shown(p), r.Curl(p, strings.Clone))
	}
	Expect(text.String()).NotTo(Or(ContainSubstring(tokens.Real), ContainSubstring(tokens.Changed),
		ContainSubstring(tenant)))
	testkit.ExpectGolden(filepath.Join("testdata", "requests.txt"), text.String())
})

// The lines are for a shell, so a shell has to say what they come to. The place of curl is taken by a program that
// shows what it was given.
var _ = It("A curl command sends what the suite sent, whatever the user and the module are called", func() {
	shell, err := exec.LookPath("sh")
	if err != nil {
		Skip("there is no sh on this machine")
	}
	file := testkit.Write(GinkgoT().TempDir(), "the token's file", []byte("the-real-token\n"))
	ofFile := testkit.EachTarget(func(t *settings.Target) { t.TokenFile = file })
	for name, source := range map[string]func(*settings.Settings){
		"AUTHN_ACCESS_TOKEN=the-real-token\n":        func(*settings.Settings) {},
		"AUTHN_ACCESS_TOKEN=other\n":                 ofFile,
		"export AUTHN_ACCESS_TOKEN=the-real-token\n": func(s *settings.Settings) { s.Program = true },
	} {
		expectSame(shell, name, makeRequests(source), tokens)
	}
	for _, real := range []string{"0a1b2c3d", "ABCDEFG", "abcdABAB", "eyJh.eyJl.aBc-_9", "three.parts.", "two.parts",
		"--", "q", "fbc1af89-7d69-4938-84f7-18fd250c67f3"} {
		made := exchange.BadTokens(real)
		made.Random = tokens.Random
		expectSame(shell, "AUTHN_ACCESS_TOKEN="+real+"\n", makeRequests(), made)
	}
	command := makeRequests(func(s *settings.Settings) { s.Program = true }).Curl(eachProbe()[0], strings.Clone)
	out, err := exec.Command(shell, "-c", "unset AUTHN_ACCESS_TOKEN; "+command).CombinedOutput()
	Expect(err).To(HaveOccurred())
	Expect(string(out)).To(ContainSubstring("export it first: the token of Config.AccessToken"))
	own := makeRequests(func(s *settings.Settings) { s.Program, s.Targets[schemas.V6].HasOwnToken = true, true })
	out, err = exec.Command(shell, "-c", "unset AUTHN_ACCESS_TOKEN_V6; "+own.Curl(eachProbe()[0], strings.Clone)).
		CombinedOutput()
	Expect(err).To(HaveOccurred())
	Expect(string(out)).To(And(ContainSubstring("AUTHN_ACCESS_TOKEN_V6"),
		ContainSubstring("export it first: the token of Config.Targets['v6'].AccessToken")))
})

// expectSame expects the commands to send what the suite sent, after a line that sets the token.
func expectSame(shell, token string, r *requests.Requests, tokens exchange.Tokens) {
	GinkgoHelper()
	script := `curl() { for a in "$@"; do printf '<%s>' "$a"; done; cat; printf '\000'; }
` + token
	var want []string
	for _, p := range eachProbe() {
		users := []string{"o'neil", `"$(touch x)"`, "`id`", "$AUTHN_ACCESS_TOKEN", `a\b`, "日本",
			`","AccessToken":"$AUTHN_ACCESS_TOKEN`}
		switch {
		case p.Kind == exchange.WrongMethod: // it has no body
			continue
		case !p.WellFormed():
			users = users[:1]
		}
		for _, user := range users {
			p.User.UserID = user
			script += r.Curl(p, strings.Clone) + "\n"
			want = append(want, fmt.Sprintf("<-sS><-i><-X><POST><https://x.example/a b?%s><-H><Content-Type: %s>"+
				"<--data-binary><@->%s", p.Path(), p.ContentType(), r.Content(p, tokens)))
		}
	}
	out := testkit.Must(exec.Command(shell, "-c", script).Output())
	Expect(strings.Split(strings.TrimSuffix(string(out), "\000"), "\000")).To(Equal(want))
}
