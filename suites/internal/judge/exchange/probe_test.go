package exchange_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

func TestExchange(t *testing.T) { testkit.Specs(t, "exchange") }

var tokens = exchange.Tokens{Real: "the-real-token", Random: "xqzrandomtoken", Changed: "the-reax-token"}

func baseProbe(op schemas.Operation) exchange.Probe {
	return exchange.Probe{Operation: op, Version: schemas.V6, Segment: "v6",
		User: settings.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}
}

// eachProbe is every probe of version v6: the well-formed ones, then those that are not.
func eachProbe() (list []exchange.Probe) {
	for _, op := range schemas.Operations() {
		base := baseProbe(op)
		sent := testkit.Suite().Mutations(op, base.Version, func(*spec.Requirement) bool { return true })
		list = append(append(list, base), exchange.Mutated(base, slices.DeleteFunc(sent,
			func(m exchange.Mutation) bool { return m == spec.WellFormed }))...)
	}
	return list
}

// makeRequests makes requests to a target and a module with names that a shell would take apart.
func makeRequests(change ...func(*settings.Settings)) *exchange.Requests {
	s := &settings.Settings{ApplicationID: "mo'dule"}
	for _, c := range change {
		c(s)
	}
	r := exchange.PastRequests(s, testkit.Contract(), map[schemas.Version]string{schemas.V6: "https://x.example/a b?"})
	r.Unknown = tokens.Random
	return r
}

var _ = It("The probes of v6, those with a bad token last, have these requests and curl commands", func() {
	const tenant = "q9W2-zK71-tenant"
	r := makeRequests(func(s *settings.Settings) {
		s.CAFile, s.ClientCertFile, s.ClientKeyFile = "a b", "file.pem", "file.key"
		s.Headers = []settings.Header{{Name: "X-aAzZ.09", Value: tenant}}
	})
	var text strings.Builder
	for _, p := range eachProbe() {
		fmt.Fprintf(&text, "%s (%s)\n%s %s %s\n%s\n%s\n\n", p.Name(), p.Risk(), p.Method(), r.URL(p),
			r.Header(p, "agent")["Content-Type"], r.Shown(p), r.Curl(p, strings.Clone))
	}
	Expect(text.String()).NotTo(Or(ContainSubstring(tokens.Real), ContainSubstring(tokens.Changed),
		ContainSubstring(tenant)))
	testkit.ExpectGolden(filepath.Join("testdata", "requests.txt"), text.String())
})

var _ = Describe("Well-formed probes", func() {
	It("ask v5, v6, v6, v5, or one version twice (J15)", func() {
		for _, versions := range [][]schemas.Version{schemas.Versions(), {schemas.V6}} {
			var names, want []string
			for _, p := range exchange.Reads(baseProbe(schemas.GetUserAuth), versions) {
				names = append(names, fmt.Sprint(p.WellFormed(), " ", p.Version, " ", p.Name(), " ", p.Path()))
			}
			back := slices.Clone(versions)
			slices.Reverse(back)
			for round, versions := range [][]schemas.Version{versions, back} {
				for _, v := range versions {
					want = append(want,
						fmt.Sprintf("true %s well-formed, round %d /api/%[1]s/authenticator/getUserAuth", v, round+1))
				}
			}
			Expect(names).To(Equal(want))
		}
	})

	It("have a body that keeps the contract, whatever the user is called", func() {
		for _, op := range schemas.Operations() {
			schema := testkit.Contract().Request(op)
			for _, user := range []string{"u", `quo"te\`, "<b>&amp;", "日本\u2028", "line\nbreak\x00",
				"$AUTHN_ACCESS_TOKEN", "'; rm -rf"} {
				p := baseProbe(op)
				p.User.UserID = user
				var members map[string]any
				Expect(json.Unmarshal(p.Body(schema, tokens, "module"), &members)).To(Succeed())
				Expect(schema.Check(members)).To(BeEmpty())
				Expect(members).To(HaveLen(len(schema.Members())))
				Expect(members["UserId"]).To(Equal(user))
				Expect(members["AccessToken"]).To(Equal(tokens.Real))
			}
		}
	})
})

var _ = It("The tokens that a target must refuse are as long as the real one: one random, one changed in the middle",
	func() {
		for _, real := range []string{"administrator-token", "abxcd", "abXcd", "abycd", "q", "x", "ab",
			"jürgen-日本-😀-token"} {
			made := exchange.BadTokens(real)
			runes := []rune(real)
			middle := len(runes) / 2 // so that a signature breaks, and no padding hides it
			Expect(made.Real).To(Equal(real))
			Expect([]rune(made.Random)).To(HaveLen(len(runes)))
			Expect(strings.EqualFold(made.Random, real)).To(BeFalse())
			Expect(strings.EqualFold(made.Changed, real)).To(BeFalse())
			changed := []rune(made.Changed)
			Expect(changed[middle]).NotTo(Equal(runes[middle]))
			changed[middle] = runes[middle]
			Expect(string(changed)).To(Equal(real))
		}
	})

// The lines are for a shell, so a shell has to say what they come to. The place of curl is taken by a program that
// shows what it was given.
var _ = It("A curl command sends what the suite sent, whatever the user and the module are called", func() {
	shell, err := exec.LookPath("sh")
	if err != nil {
		Skip("there is no sh on this machine")
	}
	script := `curl() { for a in "$@"; do printf '<%s>' "$a"; done; cat; printf '\000'; }
AUTHN_ACCESS_TOKEN=the-real-token
`
	r := makeRequests()
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
})
