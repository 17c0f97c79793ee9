package run_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// describeCalls writes the version and operation of requests.
func describeCalls(requests []sent) (list []string) {
	for _, s := range requests {
		list = append(list, fmt.Sprintf("%s %s", s.version, s.operation))
	}
	return list
}

func isOf(user int) func(sent) bool {
	return func(s sent) bool { return s.user == threeUsers[user].UserID }
}

// changeCreator makes the record of the third user another at each call of some versions.
func changeCreator(in ...schemas.Version) *stage {
	return changeRecords(func(s sent) bool { return isOf(2)(s) && slices.Contains(in, s.version) },
		func(s sent, record map[string]any) { record["CreatedBy"] = strings.Repeat("x", s.call) })
}

var _ = Describe("What a run sends", func() {
	DescribeTable("is its plan: v5, v6, v5, v6 for each user, mutations, bad tokens (J13, J15)",
		func(ctx SpecContext, concurrency int) {
			s := &stage{}
			r := prepareRun(s, withConcurrency(concurrency))
			var plan []string
			for _, p := range r.Plan() {
				body := strings.ReplaceAll(r.Shown(p), r.Unknown, "$UNKNOWN_TOKEN")
				plan = append(plan, fmt.Sprintf("%s %s %s %s", p.ID, p.Method(), p.Path(), body))
			}
			testkit.ExpectGolden(filepath.Join("testdata", "plan.txt"), strings.Join(plan, "\n")+"\n")
			Expect(s.sentRequests()).To(BeEmpty(), "a plan sends nothing")
			Expect(r.Execute(ctx)).To(Succeed())
			Expect(rowsNotPassing(r)).To(BeEmpty())
			requests := s.sentRequests()
			var lines []string
			for _, s := range requests {
				body := strings.ReplaceAll(s.body, r.Unknown, "$UNKNOWN_TOKEN")
				lines = append(lines, fmt.Sprintf("%s %s %s %s", s.id, s.method, s.path, body))
			}
			if concurrency > 1 {
				slices.Sort(lines)
				slices.Sort(plan)
			}
			Expect(lines).To(Equal(plan))
			Expect(r.Counts().Requests).To(BeEquivalentTo(len(plan)))
			const reads = 3 * 2 * 4 // users, operations, calls
			for user := range threeUsers {
				for _, op := range schemas.Operations() {
					sequence := slices.DeleteFunc(slices.Clone(requests[:reads]),
						func(s sent) bool { return !isOf(user)(s) || s.operation != op })
					v5, v6 := "v5 "+string(op), "v6 "+string(op)
					Expect(describeCalls(sequence)).To(Equal([]string{v5, v6, v5, v6}))
				}
			}
			firstBad := slices.IndexFunc(requests, sent.hasBadToken)
			for _, request := range requests[firstBad:] {
				Expect(request.hasBadToken()).To(BeTrue(), "%s has the real token: %s", request.id, request.body)
			}
		},
		Entry("with one request at a time, in that order", 1), Entry("with several requests at a time", 8),
	)

	// How often something is repeated is for package engine to decide.
	It("is repeated for the user whose answers differ, after the mutations and before bad tokens",
		func(ctx SpecContext) {
			s := changeCreator(schemas.V6)
			r := prepareRun(s)
			Expect(r.Execute(ctx)).To(Succeed())
			requests := s.sentRequests()
			firstBad := slices.IndexFunc(requests, sent.hasBadToken)
			again := requests[firstBad-6 : firstBad]
			Expect(requests).To(HaveLen(len(r.Plan()) + len(again)))
			Expect(describeCalls(again)).To(HaveExactElements("v5 getUserAuth", "v6 getUserAuth", "v6 getUserAuth",
				"v5 getUserAuth", "v6 getUserAuth", "v5 getUserAuth"))
			for _, request := range again {
				Expect(isOf(2)(request)).To(BeTrue())
			}
		})

	It("has unique ids, also if sequences are repeated concurrently, and is reported as progress to the end",
		func(ctx SpecContext) {
			s := changeRecords(func(s sent) bool { return s.version == schemas.V6 },
				func(s sent, record map[string]any) { record["CreatedBy"] = fmt.Sprint("call ", s.call) })
			r := prepareRun(s, withConcurrency(8))
			last, most := 0, 0
			r.Progress = func(done, planned int) {
				Expect(done).To(Equal(last + 1))
				Expect(planned).To(BeNumerically(">=", done))
				last, most = done, planned
			}
			Expect(r.Execute(ctx)).To(Succeed())
			ids := map[string]int{}
			for _, request := range s.sentRequests() {
				ids[request.id]++
			}
			Expect(ids).To(HaveEach(1))
			Expect([]int{last, most}).To(HaveEach(len(ids)))
			Expect(len(ids)).To(BeNumerically(">", len(r.Plan())))
		})

	It("is for one version alone if only one is under test", func(ctx SpecContext) {
		s := &stage{}
		r := prepareRun(s, withVersions(schemas.V6))
		Expect(r.Execute(ctx)).To(Succeed())
		for _, request := range s.sentRequests() {
			Expect(request.version).To(BeElementOf(schemas.V6, schemas.Version("v4"), schemas.Version("v7")))
		}
		Expect(rowsNotPassing(r)).To(BeEmpty())
		for _, row := range r.Ledger.Rows() {
			Expect(row.Version).To(Equal(schemas.V6))
		}
	})
})
