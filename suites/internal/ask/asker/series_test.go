package asker_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ask/asker"
	"authenticator-conformance/suites/internal/ask/client"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = Describe("Probes that should be refused (J23 a)", func() {
	null := asker.Step{mutated("n1", exchange.Null, "Id"), mutated("n2", exchange.Null, "Id")}
	tokens := asker.Step{mutated("random", exchange.RandomToken, exchange.AccessToken),
		mutated("changed", exchange.ChangedToken, exchange.AccessToken)}

	// askAll asks steps between controls, and lists what each refusal and its controls showed.
	askAll := func(ctx context.Context, a *asker.Asker, steps ...asker.Step) (list []string, err error) {
		GinkgoHelper()
		control := asker.Of(wellFormed("", "alice"))
		before, err := a.AskStep(ctx, nil, nil, control, nil)
		for _, step := range steps {
			if err != nil {
				return list, err
			}
			var answers asker.Answers
			if answers, err = a.AskStep(ctx, before.Last(), step, control, nil); err != nil {
				return list, err
			}
			for _, ex := range answers.Refusals {
				text := fmt.Sprintf("%s %d %v", ex.Probe.ID, ex.Status, ex.Control.Served)
				if !ex.Control.Served {
					text += fmt.Sprintf(" %d", ex.Control.Answer.Status)
				}
				list = append(list, text)
			}
			before = answers
		}
		return list, err
	}
	askSteps := func(ctx context.Context, s *script, steps ...asker.Step) (list []string, err error) {
		GinkgoHelper()
		return askAll(ctx, newAsker(s), steps...)
	}
	// refusing answers the probes with 400 and 401, but some with other statuses in turn, of which the last one stays.
	refusing := func(answers map[string][]int) *script {
		all := map[string][]int{"n1": {400}, "n2": {400}, "random": {401}, "changed": {401}}
		for id, statuses := range answers {
			all[id] = statuses
		}
		return byID(all)
	}

	DescribeTable("go in turn with controls, and a refusal counts only between two that were served",
		func(ctx SpecContext, answers map[string][]int, sent string, shown ...string) {
			s := refusing(answers)
			list, err := askSteps(ctx, s, null, tokens)
			Expect(err).NotTo(HaveOccurred())
			Expect(s.sent()).To(Equal(sent))
			Expect(list).To(Equal(append(shown, "random 401 true", "changed 401 true")))
		},
		Entry("all served", nil, "c1 n1 n2 c2 random changed c3", "n1 400 true", "n2 400 true"),
		Entry("no answer refuses, too", map[string][]int{"n1": {0}}, "c1 n1 n2 c2 random changed c3", "n1 0 true",
			"n2 400 true"),
		Entry("the control after it is refused for a while: both are sent again, and count",
			map[string][]int{"n1": {502, 400}, "c2": {403}, "c3": {403}},
			"c1 n1 n2 c2 c3 c4 n1 n2 c5 random changed c6", "n1 400 true", "n2 400 true"),
		Entry("it is refused once: both are sent again", map[string][]int{"c2": {503}},
			"c1 n1 n2 c2 c3 n1 n2 c4 random changed c5", "n1 400 true", "n2 400 true"),
		Entry("it is refused after the second time, too: they do not count", map[string][]int{"c2": {500}, "c4": {0}},
			"c1 n1 n2 c2 c3 n1 n2 c4 c5 random changed c6", "n1 400 false 0", "n2 400 false 0"),
		Entry("one was served, which is a finding, and nothing is sent again",
			map[string][]int{"n2": {200}, "c2": {403}}, "c1 n1 n2 c2 c3 random changed c4", "n1 400 false 403",
			"n2 200 false 403"),
	)

	It("go over two connections if they are judged, so that two nodes in turn both get one", func(ctx SpecContext) {
		s := refusing(nil)
		extra := mutated("extra", exchange.ExtraMember, "")
		_, err := askSteps(ctx, s, null, tokens, asker.Step{extra, extra})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.client.alternated).To(Equal(2))
	})

	It("are sent again, and count, also if they are only observed and were served", func(ctx SpecContext) {
		s := byID(map[string][]int{"c2": {429}})
		list, err := askSteps(ctx, s, asker.Step{mutated("extra", exchange.ExtraMember, "")})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.sent()).To(Equal("c1 extra c2 c3 extra c4"))
		Expect(list).To(HaveExactElements("extra 200 true"))
	})

	It("are listed in the order in which they are sent", func() {
		c := asker.Of(wellFormed("", "alice"))
		series := asker.Series{Steps: []asker.Step{null, tokens}, Controls: []exchange.Probe{c, c, c}}
		Expect(series.Probes()).To(Equal([]exchange.Probe{c, null[0], null[1], c, tokens[0], tokens[1], c}))
	})

	It("have the control that was served before they were sent the last time", func(ctx SpecContext) {
		a, control := newAsker(refusing(map[string][]int{"c2": {503}})), asker.Of(wellFormed("", "alice"))
		before := testkit.Must(a.AskStep(ctx, nil, nil, control, nil))
		answers := testkit.Must(a.AskStep(ctx, before.Last(), null, control, nil))
		for _, ex := range answers.Refusals {
			Expect(ex.Control.Answer.Probe.ID).To(Equal("c3"))
		}
	})

	It("begin with a control, which is not asked again once it was served", func(ctx SpecContext) {
		answers := testkit.Must(newAsker(byNumber(500, 500, 200)).AskStep(ctx, nil, nil, asker.Of(e1), nil))
		Expect(shownControls(answers)).To(Equal("c1 500, c2 500, c3 200"))
	})

	It("are not sent after the deadline", func(ctx SpecContext) {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		s := byNumber(200)
		a, control := newAsker(s), asker.Of(wellFormed("", "alice"))
		before := testkit.Must(a.AskStep(ctx, nil, nil, control, nil))
		a.Pause(time.Hour)
		_, err := a.AskStep(bounded, before.Last(), null, control, nil)
		Expect(err).To(MatchError(client.ErrDeadline))
		Expect(s.sent()).To(Equal("c1"))
	})

	It("have the GUIDs that only their user was served", func(ctx SpecContext) {
		a, control := newAsker(refusing(nil)), asker.Of(wellFormed("", "alice"))
		before := testkit.Must(a.AskStep(ctx, nil, nil, control, nil))
		own := map[string]bool{"5b1d4c1e-6a53-4b7a-9a76-27a1f2a1b001": true}
		answers := testkit.Must(a.AskStep(ctx, before.Last(), null, control, own))
		Expect(answers.Refusals).To(HaveEach(HaveField("Own", own)))
	})

	It("are the last ones after a bad token that may have locked the user out", func(ctx SpecContext) {
		s := refusing(nil)
		answer := s.answer
		s.answer = func(h http.Header, r request) int {
			if r.control && r.number > 6 {
				return 423
			}
			return answer(h, r)
		}
		list, err := askSteps(ctx, s, null, tokens, tokens, null)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.sent()).To(Equal("c1 n1 n2 c2 random changed c3 c4 c5 c6 c7 c8 c9"))
		Expect(strings.Join(list, ", ")).To(Equal("n1 400 true, n2 400 true, random 401 false 423, " +
			"changed 401 false 423, random 0 false 423, changed 0 false 423, n1 0 false 423, n2 0 false 423"))
	})

	It("are not sent once a lockout is known, in the next series, too", func(ctx SpecContext) {
		s := byNumber(200, 401, 401, 423)
		a, control := newAsker(s), asker.Of(wellFormed("", "alice"))
		before, err := a.AskStep(ctx, nil, nil, control, nil)
		Expect(err).NotTo(HaveOccurred())
		_, err = a.AskStep(ctx, before.Last(), tokens, control, nil)
		Expect(err).NotTo(HaveOccurred())
		s.sent()
		next, err := a.AskStep(ctx, nil, nil, control, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(next.Last().Answer.Status).To(Equal(423))
		Expect(s.sent()).To(Equal("c9"), "it is asked once")
	})

	DescribeTable("all count behind a limit that throttles what comes too soon after the last one that it let pass",
		func(ctx SpecContext, status int) {
			for _, gap := range []time.Duration{20, 60, 100, 140, 180} {
				gap *= time.Millisecond
				s, last := refusing(nil), time.Time{}
				answer := s.answer
				s.answer = func(h http.Header, r request) int {
					now := s.clock.Now()
					if now.Sub(last) < gap {
						return status
					}
					last = now
					return answer(h, r)
				}
				a := newAsker(s)
				for range 3 { // what the reads before met
					a.ChangePace(asker.Pace.Repeating)
				}
				list, err := askAll(ctx, a, slices.Repeat([]asker.Step{null}, 60)...)
				Expect(err).NotTo(HaveOccurred())
				Expect(list).To(HaveLen(2*60), gap.String())
				Expect(list).To(HaveEach(HaveSuffix("400 true")), gap.String())
			}
		},
		Entry("by 429", 429, NodeTimeout(limit)), Entry("by 503", 503, NodeTimeout(limit)))

	DescribeTable("end the run if the target stops serving after another probe", func(ctx SpecContext, status int,
		asked int) {
		s := byNumber(200, 400, 400, status)
		list, err := askSteps(ctx, s, null, tokens)
		Expect(err).To(BeAssignableToTypeOf(&asker.Refusal{}))
		Expect(list).To(BeEmpty())
		Expect(s.ids()).To(HaveLen(3 + asked))
	},
		Entry("after all waits", 0, 7), Entry("after five controls, as each may count towards a lockout", 403, 5),
	)

	It("end the run if not even the first control is served", func(ctx SpecContext) {
		_, err := askSteps(ctx, byNumber(500), null)
		Expect(err).To(BeAssignableToTypeOf(&asker.Refusal{}))
	})
})
