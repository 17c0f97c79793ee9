package exchange_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/testkit"
)

func baseProbe(op schemas.Operation) exchange.Probe {
	return exchange.Probe{Operation: op, Version: schemas.V6,
		User: settings.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}
}

// mutatedProbes is every probe that is not well-formed, those with a bad token last.
func mutatedProbes(op schemas.Operation) []exchange.Probe {
	GinkgoHelper()
	suite, err := conformance.Specification(testkit.Contract())
	Expect(err).NotTo(HaveOccurred())
	sent := suite.Mutations(op, baseProbe(op).Version, func(*spec.Requirement) bool { return true })
	return exchange.Mutated(baseProbe(op), slices.DeleteFunc(sent,
		func(m exchange.Mutation) bool { return m == spec.WellFormed }))
}

var tokens = exchange.Tokens{Real: "the-real-token", Random: "xqzrandomtoken", Changed: "the-reax-token"}

var _ = Describe("Well-formed probes", func() {
	It("ask v5, v6, v5, v6 (J15)", func() {
		var names []string
		for _, p := range exchange.Reads(baseProbe(schemas.GetUserAuth), schemas.Versions()) {
			Expect(p.WellFormed()).To(BeTrue())
			Expect(p.Risk()).To(Equal(schemas.Read))
			Expect(p.Segment).To(Equal(string(p.Version)))
			names = append(names, fmt.Sprint(p.Version, " ", p.Round, " ", p.Path()))
		}
		Expect(names).To(Equal([]string{
			"v5 1 /api/v5/authenticator/getUserAuth", "v6 1 /api/v6/authenticator/getUserAuth",
			"v5 2 /api/v5/authenticator/getUserAuth", "v6 2 /api/v6/authenticator/getUserAuth"}))
	})
	It("are of one version where one is under test", func() {
		Expect(exchange.Reads(baseProbe(schemas.GetUserAuth), []schemas.Version{schemas.V6})).To(HaveLen(2))
	})
	It("have a body that keeps the contract, whatever the user is called", func() {
		for _, op := range schemas.Operations() {
			schema := testkit.Contract().Request(op)
			for _, user := range []string{"u", `quo"te\`, "<b>&amp;", "日本\u2028", "line\nbreak\x00",
				"$AUTHN_ACCESS_TOKEN", "'; rm -rf"} {
				p := baseProbe(op)
				p.User.UserID = user
				body := p.Body(schema, tokens, "module")
				var members map[string]any
				Expect(json.Unmarshal(body, &members)).To(Succeed())
				Expect(schema.Check(members)).To(BeEmpty())
				Expect(members).To(HaveLen(len(schema.Members())))
				Expect(members["UserId"]).To(Equal(user))
				Expect(members["AccessToken"]).To(Equal(tokens.Real))
			}
		}
	})
})

var _ = Describe("Altered probes", func() {
	It("put bad tokens last, each kind of them", func() {
		for _, op := range schemas.Operations() {
			var names []string
			for _, p := range mutatedProbes(op) {
				if p.Risk() == schemas.AuthFailure {
					names = append(names, p.Name())
				}
			}
			Expect(names).To(ConsistOf("wrong type of AccessToken", "random token", "changed token"))
			sent := mutatedProbes(op)
			for _, p := range sent[len(sent)-2:] {
				Expect(p.Risk()).To(Equal(schemas.AuthFailure))
			}
		}
	})

	It("depart from the well-formed request in one thing", func() {
		for _, op := range schemas.Operations() {
			fields := testkit.Contract().Request(op)
			var right map[string]any
			Expect(json.Unmarshal(baseProbe(op).Body(fields, tokens, "module"), &right)).To(Succeed())
			for _, p := range mutatedProbes(op) {
				departures := 0
				if p.Method() != "POST" {
					departures++
				}
				if p.ContentType() != "application/json" {
					departures++
				}
				if p.Segment != "v6" {
					departures++
				}
				var members map[string]any
				if body := p.Body(fields, tokens, "module"); json.Unmarshal(body, &members) == nil {
					departures += countDifferences(right, members)
				} else if p.Method() == "POST" {
					departures++
				}
				wanted := 1
				if p.Kind == exchange.UnknownUser && op == schemas.GetUserAuth {
					wanted = 2 // another user is another Id and another UserId
				}
				Expect(departures).To(Equal(wanted), "%s: %v", p.Name(), members)
			}
		}
	})

	It("of neighbouring releases stay with their own version", func() {
		for _, p := range mutatedProbes(schemas.GetUserAuth) {
			if p.Kind == exchange.AdjacentVersion {
				Expect(p.Version).To(Equal(schemas.V6))
				Expect(p.Path()).To(Equal("/api/" + p.Segment + "/authenticator/getUserAuth"))
				Expect(p.Segment).To(BeElementOf("v4", "v7"))
			}
		}
	})

	It("have names of their own", func() {
		for _, op := range schemas.Operations() {
			names := map[string]int{}
			for _, p := range mutatedProbes(op) {
				names[p.Name()]++
			}
			Expect(names).To(HaveEach(1))
		}
	})
})

// countDifferences counts the members in which two bodies differ.
func countDifferences(left, right map[string]any) int {
	count := 0
	for name, value := range left {
		if other, ok := right[name]; !ok || other != value {
			count++
		}
	}
	for name := range right {
		if _, ok := left[name]; !ok {
			count++
		}
	}
	return count
}

var _ = DescribeTable("An exchange was answered or not",
	func(fault *exchange.Fault, answered bool) {
		Expect((&exchange.Exchange{Fault: fault}).Answered()).To(Equal(answered))
	},
	Entry("whole", nil, true), Entry("past a bound", &exchange.Fault{Kind: exchange.Bound}, true),
	Entry("in an unknown coding", &exchange.Fault{Kind: exchange.Encoding}, true),
	Entry("a transport fault", &exchange.Fault{Kind: exchange.Transport}, false),
	Entry("a timeout", &exchange.Fault{Kind: exchange.Timeout}, false),
)

var _ = DescribeTable("A success is 2xx",
	func(status int, success bool) {
		Expect((&exchange.Exchange{Status: status}).Success()).To(Equal(success))
	},
	Entry(nil, 200, true), Entry(nil, 204, true), Entry(nil, 299, true), Entry(nil, 199, false), Entry(nil, 300, false),
	Entry(nil, 0, false), Entry(nil, 404, false),
)

// The line is for a shell, so that a shell has to say what it comes to. The place of curl is taken by a program that
// shows what it was given.
var _ = Describe("Curl", func() {
	shell := func(line string) string {
		GinkgoHelper()
		path, err := exec.LookPath("sh")
		if err != nil {
			Skip("there is no sh on this machine")
		}
		script := `curl() { for a in "$@"; do printf '<%s>' "$a"; done; cat; }
AUTHN_ACCESS_TOKEN=the-real-token
` + line
		out, err := exec.Command(path, "-c", script).Output()
		Expect(err).NotTo(HaveOccurred())
		return string(out)
	}

	// requests are to a target and a module with names that a shell would take apart.
	requests := func(change func(*settings.Settings)) *exchange.Requests {
		s := &settings.Settings{ApplicationID: "mo'dule"}
		change(s)
		bases := map[schemas.Version]string{schemas.V6: "https://x.example/a b?"}
		r := exchange.PastRequests(s, testkit.Contract(), bases)
		r.Unknown = tokens.Random
		return r
	}

	It("sends what the suite sent, whatever the user and the module are called", func() {
		r := requests(func(*settings.Settings) {})
		for _, op := range schemas.Operations() {
			fields := testkit.Contract().Request(op)
			for _, p := range append(mutatedProbes(op), baseProbe(op)) {
				if p.Kind == exchange.WrongMethod {
					continue
				}
				for _, user := range []string{"u", "o'neil", `"$(touch x)"`, "`id`", "$AUTHN_ACCESS_TOKEN", `a\b`, "日本",
					`","AccessToken":"$AUTHN_ACCESS_TOKEN`} {
					p.User.UserID = user
					line := r.Curl(p, strings.Clone)
					Expect(line).NotTo(ContainSubstring(tokens.Real))
					names := shell(line)
					Expect(names).To(HaveSuffix(">"+string(p.Body(fields, tokens, "mo'dule"))), "%s: %s", p.Name(),
						line)
					Expect(names).To(And(ContainSubstring("<-X><POST><https://x.example/a b?"+p.Path()+">"),
						ContainSubstring("<Content-Type: "+p.ContentType()+">")))
				}
			}
		}
	})

	It("of a GET has no body", func() {
		p := baseProbe(schemas.GetUserAuth)
		p.Kind = exchange.WrongMethod
		line := requests(func(s *settings.Settings) { s.CAFile = "a b" }).Curl(p, strings.Clone)
		Expect(line).To(And(HavePrefix("curl "), ContainSubstring("-X GET"), ContainSubstring("--cacert 'a b'"),
			Not(ContainSubstring("--data"))))
	})

	It("puts the options that it is given before the body", func() {
		line := requests(func(s *settings.Settings) { s.ClientCertFile = "file.pem" }).Curl(baseProbe(schemas.FindByUserIDs),
			strings.Clone)
		Expect(strings.Index(line, "--cert file.pem")).To(BeNumerically(">", strings.Index(line, "curl")))
		Expect(shell(line)).To(ContainSubstring("<--cert><file.pem>"))
	})
})
