package run_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
)

// stepsOf writes requests one to a line, from the point of view of the order: version and operation of a well-formed
// one.
func stepsOf(list []sent) []string {
	var lines []string
	for _, s := range list {
		lines = append(lines, fmt.Sprintf("%s %s", s.version(), s.operation()))
	}
	return lines
}

// wrongRequest reports whether a request has a token that the target must not know: not the real one, none, null,
// nor an empty one, nor one of another type.
func wrongRequest(s sent) bool {
	token, ok := s.members()["AccessToken"].(string)
	return ok && token != "" && token != "$AUTHN_ACCESS_TOKEN"
}

// withBadToken picks the probes that may count towards a lockout, which J13 puts last.
func withBadToken(plan []exchange.Probe) iter.Seq[exchange.Probe] {
	return func(yield func(exchange.Probe) bool) {
		for _, p := range plan {
			if p.Risk() == schemas.AuthFailure && !yield(p) {
				return
			}
		}
	}
}

var _ = Describe("What a run sends", func() {
	It("is its plan, request by request, and in that order with one request at a time", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s)
		plan := r.Plan()
		Expect(s.requests()).To(BeEmpty(), "a plan sends nothing")
		Expect(r.Execute(ctx)).To(Succeed())
		requests := s.requests()
		Expect(requests).To(HaveLen(len(plan)))
		Expect(r.Counts().Requests).To(BeEquivalentTo(len(plan)))
		for i, p := range plan {
			Expect(p.ID).To(Equal(fmt.Sprintf("e%d", i+1)))
			Expect(requests[i].id).To(Equal(p.ID))
			Expect(requests[i].method).To(Equal(p.Method()))
			Expect(requests[i].path).To(Equal(p.Path()))
			if p.Kind != exchange.RandomToken && p.Kind != exchange.ChangedToken {
				Expect(requests[i].body).To(Equal(r.Shown(p)))
			}
		}
	})

	It("is its plan, also with several requests at a time", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s, withConcurrency(8))
		Expect(r.Execute(ctx)).To(Succeed())
		var planned, seen []string
		for _, p := range r.Plan() {
			planned = append(planned, p.ID+" "+p.Method()+" "+p.Path())
		}
		for _, request := range s.requests() {
			seen = append(seen, request.id+" "+request.method+" "+request.path)
		}
		Expect(seen).To(ConsistOf(planned))
		Expect(rowsNotPassing(r)).To(BeEmpty())
	})

	It("is v5, v6, v5, v6 for each user and operation, then what is altered, then bad tokens (J13, J15)",
		func(ctx SpecContext) {
			s := &stage{}
			r := readyRun(s, withConcurrency(4))
			Expect(r.Execute(ctx)).To(Succeed())
			requests := s.requests()
			const reads = 3 * 2 * 4 // users, operations, calls
			for _, user := range threeUsers() {
				for _, op := range schemas.Operations() {
					var sequence []sent
					for _, request := range requests[:reads] {
						if request.user() == user.UserID && request.operation() == string(op) {
							sequence = append(sequence, request)
						}
					}
					Expect(stepsOf(sequence)).To(
						Equal([]string{"v5 " + string(op), "v6 " + string(op), "v5 " + string(op), "v6 " +
							string(op)}))
				}
			}
			firstBad := len(requests) - len(slices.Collect(withBadToken(r.Plan())))
			for _, request := range requests[:firstBad] {
				Expect(wrongRequest(request)).To(BeFalse(), request.id)
			}
			for _, request := range requests[firstBad:] {
				_, text := request.members()["AccessToken"].(string)
				Expect(wrongRequest(request) || !text).To(BeTrue(), "%s has the real token: %s", request.id,
					request.body)
			}
		})

	It("is altered for one user only, who was served", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		for _, p := range r.Plan() {
			if !p.WellFormed() && p.Kind != exchange.UnknownUser {
				Expect(p.User.UserID).To(Equal(threeUsers()[0].UserID))
			}
		}
		for _, request := range s.requests()[24:] {
			Expect(request.user()).To(BeElementOf(threeUsers()[0].UserID, "", "user-unknown-to-the-target"))
		}
	})

	It("has each altered request once for each operation and version", func() {
		r := readyRun(&stage{})
		names := map[string]int{}
		for _, p := range r.Plan() {
			if !p.WellFormed() {
				names[fmt.Sprint(p.Operation, " ", p.Version, " ", p.Name())]++
			}
		}
		Expect(names).To(HaveEach(1))
		for _, op := range schemas.Operations() {
			for _, v := range schemas.Versions() {
				for _, field := range r.Contract.Request(op).Members() {
					Expect(names).To(HaveKey(fmt.Sprint(op, " ", v, " absent ", field)))
					Expect(names).To(HaveKey(fmt.Sprint(op, " ", v, " null ", field)))
				}
				Expect(names).To(HaveKey(fmt.Sprint(op, " ", v, " empty token")))
				Expect(names).To(HaveKey(fmt.Sprint(op, " ", v, " random token")))
				Expect(names).To(HaveKey(fmt.Sprint(op, " ", v, " changed token")))
			}
		}
	})

	DescribeTable("is repeated if answers differ: after the altered requests, before bad tokens",
		func(ctx SpecContext, twist func(call, any) any, expected ...string) {
			s := &stage{twist: twist}
			r := readyRun(s)
			Expect(r.Execute(ctx)).To(Succeed())
			requests, plan := s.requests(), r.Plan()
			Expect(requests).To(HaveLen(len(plan) + len(expected)))
			tokens := len(slices.Collect(withBadToken(plan)))
			again := requests[len(plan)-tokens : len(requests)-tokens]
			Expect(stepsOf(again)).To(HaveExactElements(expected))
			for _, request := range requests[:len(requests)-tokens] {
				Expect(wrongRequest(request)).To(BeFalse())
			}
			for _, request := range again {
				Expect(request.user()).To(Equal(lastUser()))
			}
		},
		Entry("v6 differs from v5: again", differInCreator(func(c call) bool { return c.version == schemas.V6 },
			"other"),
			"v5 getUserAuth", "v6 getUserAuth"),
		Entry("volatile in both: again", changeCreator(schemas.Versions()...), "v5 getUserAuth", "v6 getUserAuth"),
		Entry("volatile in v6: there and back", changeCreator(schemas.V6), "v5 getUserAuth", "v6 getUserAuth",
			"v6 getUserAuth", "v5 getUserAuth", "v6 getUserAuth", "v5 getUserAuth"),
		Entry("volatile in v5: there and back", changeCreator(schemas.V5), "v5 getUserAuth", "v6 getUserAuth",
			"v6 getUserAuth", "v5 getUserAuth", "v6 getUserAuth", "v5 getUserAuth"),
		Entry("the same in both: not at all", func(_ call, value any) any { return value }),
	)

	It("has unique ids, also if sequences are repeated concurrently", func(ctx SpecContext) {
		s := &stage{twist: func(c call, value any) any {
			if record, ok := value.(map[string]any); ok && c.version == schemas.V6 {
				record["CreatedBy"] = fmt.Sprint("call ", c.number)
			}
			return value
		}}
		r := readyRun(s, withConcurrency(8))
		Expect(r.Execute(ctx)).To(Succeed())
		seen := map[string]int{}
		for _, request := range s.requests() {
			seen[request.id]++
		}
		Expect(seen).To(HaveEach(1))
	})

	It("is reported as progress to the end", func(ctx SpecContext) {
		r := readyRun(&stage{twist: changeCreator(schemas.V6)}, withConcurrency(4))
		last, most := 0, 0
		r.Progress = func(done, planned int) {
			Expect(done).To(Equal(last + 1))
			Expect(planned).To(BeNumerically(">=", done))
			last, most = done, planned
		}
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(last).To(BeEquivalentTo(r.Counts().Requests))
		Expect(most).To(Equal(last))
	})

	It("is sent once, however often the run is executed", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s)
		Expect(r.Execute(ctx)).To(Succeed())
		before := len(s.requests())
		Expect(r.Execute(ctx)).To(Succeed())
		Expect(s.requests()).To(HaveLen(before))
	})

	It("is for one version alone if only one is under test", func(ctx SpecContext) {
		s := &stage{}
		r := readyRun(s, withVersions(schemas.V6))
		Expect(r.Execute(ctx)).To(Succeed())
		for _, request := range s.requests() {
			Expect(request.version()).To(BeElementOf("v6", "v4", "v7"))
		}
		Expect(rowsNotPassing(r)).To(BeEmpty())
		for _, row := range r.Ledger.Rows() {
			Expect(row.Version).To(Equal(schemas.V6))
		}
	})
})

// differInCreator puts a text into the record of the third user where a call is one of those.
func differInCreator(which func(call) bool, text string) func(call, any) any {
	return func(c call, value any) any {
		if record, ok := value.(map[string]any); ok && c.user == lastUser() && which(c) {
			record["CreatedBy"] = text
		}
		return value
	}
}

// changeCreator makes the record of the third user another at each call, in the versions given.
func changeCreator(in ...schemas.Version) func(call, any) any {
	return func(c call, value any) any {
		if record, ok := value.(map[string]any); ok && c.user == lastUser() {
			for _, v := range in {
				if v == c.version {
					record["CreatedBy"] = strings.Repeat("x", c.number)
				}
			}
		}
		return value
	}
}

func lastUser() string {
	all, err := fixtures.Users()
	if err != nil {
		panic(err)
	}
	return all[len(all)-1].UserID
}
