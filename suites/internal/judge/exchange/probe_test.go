package exchange_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

func TestExchange(t *testing.T) { testkit.Specs(t, "exchange") }

var tokens = exchange.Tokens{Real: "the-real-token", Random: "xqzrandomtoken", Changed: "the-reax-token"}

func baseProbe(op schemas.Operation) exchange.Probe {
	return exchange.Probe{Operation: op, Version: schemas.V6, Segment: "v6",
		User: exchange.User{ID: "3f0c2a9e-6b1d-4c57-9a41-0d8e5f7b2c13", UserID: "u-1001", Enrolled: true}}
}

var _ = Describe("Well-formed probes", func() {
	It("ask v5, v6, v6, v5, for every second user the other way round, or one version twice (J15)", func() {
		odd := []schemas.Version{schemas.V6, schemas.V5}
		for i, versions := range [][]schemas.Version{schemas.Versions(), odd, {schemas.V6}} {
			var names, want []string
			asked := [][]schemas.Version{schemas.Versions(), schemas.Versions(), {schemas.V6}}[i]
			for _, p := range exchange.Reads(baseProbe(schemas.GetUserAuth), i, asked) {
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

var _ = DescribeTable("The tokens that a target must refuse are one of letters, and one in the form of the real one",
	func(real, changed string) {
		made := exchange.BadTokens(real)
		Expect(made.Real).To(Equal(real))
		Expect(made.Changed).To(Equal(changed))
		Expect([]rune(made.Random)).To(HaveLen(len([]rune(real))))
		Expect(made.Random).To(MatchRegexp("^[a-zA-Z]+$"), "a target may check nothing but the length")
		Expect(strings.EqualFold(made.Random, real)).To(BeFalse())
		Expect(strings.EqualFold(made.Changed, real)).To(BeFalse())
	},
	Entry(nil, "administrator-token", "administrbtor-token"),
	Entry(nil, "abacd", "abbcd"),
	Entry(nil, "abAcd", "abBcd"),
	Entry(nil, "q", "a"),
	Entry(nil, "a", "b"),
	Entry("digits", "4711081547", "4711001547"),
	Entry("a GUID", "fbc1af89-7d69-4938-84f7-18fd250c67f3", "fbc1af89-7d69-4938-04f7-18fd250c67f3"),
	Entry("hexadecimal digits", "9F86D081884C7D65", "9F86D081084C7D65"),
	Entry("a JSON Web Token: its signature", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJaZ4CVP"),
	Entry("one without a signature", "eyJhbGci.eyJzdWIi.", "eyJhbGci.ayJzdWIi."),
	Entry("no letters or digits", "-----", "----a"),
	Entry("others", "jürgen-日本-😀-token", "jürgen-日本-😀-aoken"),
)
