package control_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/control"
	"authenticator-conformance/suites/internal/judge/exchange"
)

var _ = Describe("Probes that should be refused", func() {
	bad := func(kind exchange.Kind, field string) exchange.Probe {
		p := wellFormed("alice")
		p.Kind, p.Field = kind, field
		return p
	}
	// askSteps sends steps, and lists for each probe whether its refusal counts.
	askSteps := func(ctx context.Context, s *script, steps ...control.Step) (*control.Controls, []string, error) {
		GinkgoHelper()
		c := newControls(s, 1)
		series := &control.Series{Steps: steps,
			Controls: slices.Repeat([]exchange.Probe{control.Of(wellFormed("alice"))}, len(steps)+1)}
		var list []string
		err := c.Ask(ctx, series, control.Asker{Send: s.send,
			Add: func(ex *exchange.Exchange) {
				text := fmt.Sprintf("%s %d %v", ex.Probe.Name(), ex.Status, ex.Control.Served)
				if !ex.Control.Served {
					text += fmt.Sprintf(" %d", ex.Control.Answer.Status)
				}
				list = append(list, text)
			},
			AddControl: func(*exchange.Exchange) {}})
		return c, list, err
	}
	// ask sends two probes, the second with a bad token.
	ask := func(ctx context.Context, s *script) (*control.Controls, []string, error) {
		GinkgoHelper()
		return askSteps(ctx, s, control.Step{bad(exchange.Null, "Id")},
			control.Step{bad(exchange.RandomToken, exchange.AccessToken)})
	}
	// byKind answers controls, the probe, and the bad token, each in turn; the last one stays.
	byKind := func(controls, probe, token []int) *script {
		asked := map[exchange.Kind]int{}
		of := map[exchange.Kind][]int{"": controls, exchange.Null: probe, exchange.RandomToken: token,
			exchange.ExtraMember: {200}}
		return &script{status: func(_ int, p exchange.Probe) int {
			list := of[p.Kind]
			asked[p.Kind]++
			return list[min(asked[p.Kind], len(list))-1]
		}}
	}

	DescribeTable("go in turn with controls, and a refusal counts only between two that were served",
		func(ctx SpecContext, s *script, sent string, shown ...string) {
			_, list, err := ask(ctx, s)
			Expect(err).NotTo(HaveOccurred())
			Expect(strings.Join(s.log, ", ")).To(Equal(sent))
			Expect(list).To(Equal(shown))
		},
		Entry("all served", byKind([]int{200}, []int{400}, []int{401}),
			"control, null Id, control, random token, control", "null Id 400 true", "random token 401 true"),
		Entry("lost once in front: the probe is sent again", byKind([]int{200}, []int{502, 200}, []int{0, 401}),
			"control, null Id, null Id, control, random token, random token, control", "null Id 200 true",
			"random token 401 true"),
		Entry("refused for a while: the probe is sent again, and from then on twice in a row",
			byKind([]int{200, 403, 403, 200}, []int{400}, []int{401}),
			"control, null Id, control, control, control, control, null Id, null Id, control, random token, random "+
				"token, control",
			"null Id 400 true", "random token 401 true"),
		Entry("refused each time after the probe", byKind([]int{200, 0, 200, 200, 0, 200}, []int{0}, []int{401}),
			"control, null Id, null Id, control, control, control, null Id, null Id, control, control, random token, "+
				"random token, control",
			"null Id 0 false 0", "random token 401 true"),
		Entry("refused after what was served to the probe, which is not sent again",
			byKind([]int{200, 403, 200}, []int{200}, []int{401}),
			"control, null Id, control, control, random token, random token, control", "null Id 200 false 403",
			"random token 401 true"),
		Entry("throttled at every third request", func() *script {
			s := &script{}
			s.status = func(n int, p exchange.Probe) int {
				if n%3 == 0 && p.Control {
					return 429
				}
				return map[bool]int{true: 200, false: 400}[p.Control]
			}
			return s
		}(), "control, null Id, control, control, control, null Id, control, random token, control, control, control, "+
			"random token, control", "null Id 400 true", "random token 400 true"),
		Entry("locked out by the bad token", byKind([]int{200, 200, 423}, []int{400}, []int{401}),
			"control, null Id, control, random token, control, control, control, control, control, control, control",
			"null Id 400 true", "random token 401 false 423"),
	)

	It("are sent again, and count, also if what is only observed among them was served", func(ctx SpecContext) {
		s := byKind([]int{200, 429, 200}, []int{400}, nil)
		observed := bad(exchange.ExtraMember, "")
		_, list, err := askSteps(ctx, s, control.Step{observed, bad(exchange.Null, "Id")})
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Join(s.log, ", ")).To(Equal("control, undocumented member, null Id, control, control, " +
			"control, undocumented member, null Id, control"))
		Expect(list).To(Equal([]string{"undocumented member 200 true", "null Id 400 true"}))
	})

	It("are not sent again for what is only observed once one that is judged was served", func(ctx SpecContext) {
		s := byKind([]int{200}, []int{200, 400}, nil)
		answer := s.status
		s.status = func(n int, p exchange.Probe) int {
			if p.Kind == exchange.ExtraMember {
				return 0
			}
			return answer(n, p)
		}
		_, list, err := askSteps(ctx, s, control.Step{bad(exchange.ExtraMember, ""), bad(exchange.Null, "Id")})
		Expect(err).NotTo(HaveOccurred())
		Expect(list).To(Equal([]string{"undocumented member 0 true", "null Id 200 true"}))
	})

	It("end the run if the target stops serving after another probe", func(ctx SpecContext) {
		_, list, err := ask(ctx, byKind([]int{200, 0}, []int{0}, []int{401}))
		Expect(err).To(MatchError("0 after 7 controls; then go on"))
		Expect(list).To(BeEmpty())
	})

	It("are not sent once a lockout is known, and say so", func(ctx SpecContext) {
		s := byKind([]int{200, 200, 423}, []int{400}, []int{401})
		c, _, err := ask(ctx, s)
		Expect(err).NotTo(HaveOccurred())
		s.log = nil
		var shown []string
		Expect(c.Ask(ctx, &control.Series{Steps: []control.Step{{bad(exchange.RandomToken, exchange.AccessToken)}},
			Controls: slices.Repeat([]exchange.Probe{control.Of(wellFormed("alice"))}, 2)}, control.Asker{Send: s.send,
			Add: func(ex *exchange.Exchange) {
				shown = append(shown, fmt.Sprintf("%d %v %d", ex.Status, ex.Control.Served, ex.Control.Answer.Status))
			},
			AddControl: func(*exchange.Exchange) {}})).To(Succeed())
		Expect(s.log).To(Equal([]string{"control"}))
		Expect(shown).To(Equal([]string{"0 false 423"}))
	})
})
