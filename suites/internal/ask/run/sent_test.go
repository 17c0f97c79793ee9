package run_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
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
	It("is its plan, in that order: v5, v6, v6, v5 for each user, mutations and bad tokens between controls "+
		"(J13, J15, J23)",
		func(ctx SpecContext) {
			s := &stage{}
			r := prepareRun(s)
			unknown := strings.NewReplacer(r.Unknown["v5"], "$UNKNOWN_TOKEN", r.Unknown["v6"], "$UNKNOWN_TOKEN")
			var plan, trimmed []string
			bytesOf := map[string]bool{}
			for _, p := range r.Plan() {
				body := unknown.Replace(r.Shown(p))
				plan = append(plan, fmt.Sprintf("%s %s %s %s", p.ID, p.Method(), p.Path(), body))
				trimmed = append(trimmed, strings.TrimRight(plan[len(plan)-1], " "))
				if p.Control {
					Expect(bytesOf).NotTo(HaveKey(p.Path()+body), "a cache has no answer to a control")
				}
				bytesOf[p.Path()+body] = true
			}
			testkit.ExpectGolden(filepath.Join("testdata", "plan.txt"), strings.Join(trimmed, "\n")+"\n")
			Expect(s.sentRequests()).To(BeEmpty(), "a plan sends nothing")
			Expect(r.Execute(ctx, nil)).To(Succeed())
			Expect(rowsNotPassing(r)).To(BeEmpty())
			requests := s.sentRequests()
			var lines []string
			for _, s := range requests {
				body := unknown.Replace(s.body)
				lines = append(lines, fmt.Sprintf("%s %s %s %s", s.id, s.method, s.path, body))
			}
			// of users, operations, calls; side by side those who are enrolled
			const reads, crowd = 3 * 2 * 4, 2 * 2 * 2
			slices.Sort(lines[reads : reads+crowd])
			slices.Sort(plan[reads : reads+crowd])
			Expect(lines).To(Equal(plan))
			Expect(r.Counts().Requests).To(BeEquivalentTo(len(plan)))
			for user := range threeUsers {
				for _, op := range schemas.Operations() {
					sequence := slices.DeleteFunc(slices.Clone(requests[:reads]),
						func(s sent) bool { return !isOf(user)(s) || s.operation != op })
					v5, v6 := "v5 "+string(op), "v6 "+string(op)
					if user%2 == 0 {
						Expect(describeCalls(sequence)).To(Equal([]string{v5, v6, v6, v5}))
					} else {
						Expect(describeCalls(sequence)).To(Equal([]string{v6, v5, v5, v6}))
					}
				}
			}
			firstBad := slices.IndexFunc(requests, sent.hasBadToken)
			for _, request := range requests[firstBad:] {
				Expect(request.hasBadToken() || request.isWellFormed()).To(BeTrue(),
					"%s has the real token, and is no control: %s", request.id, request.body)
			}
		})

	DescribeTable("gives each probe that is judged, and an unknown token, to both of two nodes that get in turn (J13)",
		func(counter func(exchange.Probe) string) {
			r := prepareRun(&stage{})
			counts, reached := map[string]int{}, map[string]map[int]bool{}
			for _, p := range r.Plan() {
				counts[counter(p)]++
				if p.Control || p.WellFormed() || !r.Suite.Judges(p) {
					continue
				}
				key := fmt.Sprintf("%s %s %s", p.Operation, p.Version, p.Name())
				if p.Risk() == schemas.AuthFailure {
					key = fmt.Sprintf("%s %s token", p.Operation, p.Version)
				}
				if reached[key] == nil {
					reached[key] = map[int]bool{}
				}
				reached[key][counts[counter(p)]%2] = true
			}
			Expect(reached).To(HaveLen(2*(8+6) + 2*2 + 2*2)) // fields absent or null, empty tokens, unknown tokens
			Expect(reached).To(HaveEach(HaveLen(2)))
		},
		Entry("requests", func(exchange.Probe) string { return "" }),
		Entry("the requests of a version", func(p exchange.Probe) string { return p.Segment }),
	)

	It("goes over one connection for each user, and over two in turn for each series (J13, J19)",
		func(ctx SpecContext) {
			s := &stage{}
			Expect(prepareRun(s).Execute(ctx, nil)).To(Succeed())
			connections := map[string]bool{}
			for _, request := range s.sentRequests() {
				connections[request.from] = true
			}
			const series = 2 * 2 * 2
			Expect(len(connections)).To(BeNumerically(">=", len(threeUsers)+2*series))
			Expect(len(connections)).To(BeNumerically("<=", 1+len(threeUsers)+4+2*series+1))
		}, NodeTimeout(limit))

	DescribeTable("is sent side by side once, whatever refuses it there, which is only observed (J15)",
		func(ctx SpecContext, refusing func(func(sent) bool) *stage) {
			s := refusing(func(s sent) bool { return s.number > 24 && s.number <= 24+8 }) // those of two users
			r := prepareRun(s)
			Expect(r.Execute(ctx, nil)).To(Succeed())
			Expect(rowsNotPassing(r)).To(BeEmpty())
			sent := len(s.sentRequests()) - int(r.Counts().Repeated)
			Expect(sent).To(Equal(r.Planned()), "none is asked about, and none waited for")
			Expect(r.Counts().Interruptions).To(BeZero())
		},
		Entry("503", func(when func(sent) bool) *stage { return answerWith(when, 503, "") }, NodeTimeout(limit)),
		Entry("429 that says for how long", func(when func(sent) bool) *stage {
			return answerWith(when, 429, "", "Retry-After", "0")
		}, NodeTimeout(limit)),
		Entry("403", func(when func(sent) bool) *stage { return answerWith(when, 403, "") }, NodeTimeout(limit)),
		Entry("a closed connection", dropRequests, NodeTimeout(limit)),
	)

	It("is sent once more for the user whose answers differ, after all other reads", func(ctx SpecContext) {
		s := changeCreator(schemas.V6)
		r := prepareRun(s)
		Expect(r.Execute(ctx, nil)).To(Succeed())
		requests := s.sentRequests()
		first := slices.IndexFunc(requests, func(s sent) bool { return !s.isWellFormed() })
		again := requests[first-3 : first-1] // a control is between
		Expect(requests).To(HaveLen(len(r.Plan()) + len(again)))
		Expect(describeCalls(again)).To(HaveExactElements("v5 getUserAuth", "v6 getUserAuth"))
		Expect(again).To(HaveEach(Satisfy(isOf(2))))
	})

	It("has unique ids, also if requests are repeated, and is reported as progress to the end",
		func(ctx SpecContext) {
			s := changeRecords(func(s sent) bool { return s.version == schemas.V6 },
				func(s sent, record map[string]any) { record["CreatedBy"] = fmt.Sprint("call ", s.call) })
			r := prepareRun(s)
			last, most := -1, 0 // what is planned is said before anything is sent
			Expect(r.Execute(ctx, func(done, planned int) {
				Expect(done).To(BeNumerically(">", last))
				Expect(planned).To(BeNumerically(">=", done))
				last, most = done, planned
			})).To(Succeed())
			ids := map[string]int{}
			for _, request := range s.sentRequests() {
				ids[request.id]++
			}
			Expect(ids).To(HaveEach(1))
			Expect([]int{last, most}).To(HaveEach(len(ids)))
			Expect(len(ids)).To(BeNumerically(">", len(r.Plan())))
		})

	DescribeTable("is no more than planned", func(ctx SpecContext, s *stage, rows ...string) {
		r := prepareRun(s)
		selectRows(r, rows...)
		Expect(r.Execute(ctx, nil)).To(Succeed())
		Expect(len(s.sentRequests())).To(BeNumerically("<=", len(r.Plan())))
	},
		Entry("for large answers that stay the same", changeRecords(anyRequest,
			func(_ sent, record map[string]any) { record["Description"] = strings.Repeat("x", 1<<20) })),
		Entry("for answers that change, if only one version is asked", changeRecords(anyRequest,
			func(s sent, record map[string]any) { record["Description"] = fmt.Sprint(s.call) }), "2.1/Id v5"),
	)

	It("is for one version alone if only one is under test", func(ctx SpecContext) {
		s := &stage{}
		r := prepareRun(s, withVersions(schemas.V6))
		Expect(r.Execute(ctx, nil)).To(Succeed())
		for _, request := range s.sentRequests() {
			Expect(request.version).To(BeElementOf(schemas.V6, schemas.Version("v4"), schemas.Version("v7")))
		}
		Expect(rowsNotPassing(r)).To(BeEmpty())
		for _, row := range r.Ledger.Rows() {
			Expect(row.Version).To(Equal(schemas.V6))
		}
	})
})

// That a filter without bad tokens sends none is shown by a program with the suite (suites/conformance).
var _ = Describe("A run with a filter", func() {
	DescribeTable("sends only what its rows need",
		func(ctx SpecContext, keys, expected []string) {
			s := &stage{}
			r := prepareRun(s)
			selectRows(r, keys...)
			times, planned := map[string]int{}, len(r.Plan())
			for _, p := range r.Plan() {
				name := p.Name()
				if p.WellFormed() && !p.Control {
					name = "read"
				}
				times[fmt.Sprintf("%s %s %s", p.Operation, p.Version, name)]++
			}
			var plan []string
			for _, what := range slices.Sorted(maps.Keys(times)) {
				plan = append(plan, fmt.Sprint(what, " ×", times[what]))
			}
			Expect(plan).To(Equal(expected))
			Expect(s.sentRequests()).To(BeEmpty(), "a plan sends nothing")
			Expect(r.Execute(ctx, nil)).To(Succeed())
			Expect(s.sentRequests()).To(HaveLen(planned))
			for _, row := range r.Ledger.Rows() {
				if slices.Contains(keys, row.Key.String()) {
					Expect(row.Verdict()).To(Equal(ledger.Pass), row.Key.String())
				} else {
					Expect(row.Verdict()).To(Equal(ledger.Inconclusive), row.Key.String())
					Expect(row.Reason).To(Equal(ledger.NotRun), row.Key.String())
				}
			}
			Expect(r.Ledger.Complete()).To(BeFalse())
		},
		testkit.Entries("selected"),
	)
})

// discloseNothing takes out of a record what a refusal must not hold.
func discloseNothing(value any) any {
	record := value.(map[string]any)
	return map[string]any{"Id": record["Id"], "UserId": record["UserId"], "Flags": json.Number("1"),
		"ModeType": json.Number("1")}
}

// refuseUser does not serve a user, in one version or ("") in each.
func refuseUser(user int, version schemas.Version) *stage {
	return answerWith(func(s sent) bool {
		return s.number <= 24 && isOf(user)(s) && (version == "" || s.version == version)
	}, 404, "")
}

// hideFirst discloses nothing of the first user's record in some calls.
func hideFirst(which func(sent) bool) *stage {
	return &stage{twist: func(s sent, value any) any {
		if isOf(0)(s) && s.operation == schemas.GetUserAuth && which(s) {
			return discloseNothing(value)
		}
		return value
	}}
}

// serveUnenrolled refuses the first user, but serves the second, who is not enrolled, with a record.
func serveUnenrolled() *stage {
	refused := refuseUser(0, "").before
	return &stage{before: func(w http.ResponseWriter, now sent) bool {
		if !isOf(1)(now) {
			return refused(w, now)
		}
		_, _ = fmt.Fprintf(w, `{"UserId":%q,"Description":"desk","Flags":1,"ModeType":2}`, now.user)
		return true
	}}
}

// J13: mutations tell something only where the well-formed request is served with what a refusal must not hold.
var _ = Describe("The user of mutations", func() {
	const v5Record, v6Record, v5List = "v5 getUserAuth", "v6 getUserAuth", "v5 findByUserIds"

	DescribeTable("is the first enrolled who", func(ctx SpecContext, s *stage, rows []string, users map[string]int) {
		r := prepareRun(s)
		selectRows(r, rows...)
		Expect(r.Execute(ctx, nil)).To(Succeed())
		is := map[string]string{}
		for _, request := range s.sentRequests() {
			if _, has := request.members["ApplicationId"]; request.members != nil && !has {
				is[fmt.Sprintf("%s %s", request.version, request.operation)] = request.user
			}
		}
		for call, user := range users {
			Expect(is).To(HaveKeyWithValue(call, threeUsers[user].UserID))
		}
		Expect(findRow(r, "4.1/ApplicationId/required", schemas.V5).Verdict()).To(Equal(ledger.Pass))
	},
		Entry("is served by its version", refuseUser(0, schemas.V6), nil,
			map[string]int{v5Record: 0, v6Record: 2, v5List: 0}),
		Entry("is served with data", hideFirst(anyRequest), nil, map[string]int{v5Record: 2, v5List: 0}),
		Entry("is served with data at each call", hideFirst(func(s sent) bool { return s.call == 2 }), nil,
			map[string]int{v5Record: 2, v6Record: 2}),
		Entry("is served, among all if a filter let the run read only one", refuseUser(0, schemas.V5),
			[]string{"4.1/ApplicationId/required v5"}, map[string]int{v5Record: 2}),
		Entry("is served, even if a record comes back for one who is not enrolled", serveUnenrolled(), nil,
			map[string]int{v5Record: 2}),
	)

	It("is none if no user's answer discloses data: then no mutation is sent, and nothing passes",
		func(ctx SpecContext) {
			s := &stage{twist: func(s sent, value any) any {
				if s.operation == schemas.FindByUserIDs {
					return []any{}
				}
				return discloseNothing(value)
			}}
			r := prepareRun(s)
			Expect(r.Execute(ctx, nil)).To(Succeed())
			Expect(s.sentRequests()).To(HaveLen(24+8+8),
				"those of two users are sent side by side, and their empty lists are asked about")
			for _, row := range r.Ledger.Rows() {
				if row.Requirement.Risk != schemas.Read {
					Expect(row.Reason).To(Equal(ledger.NotServed), row.Key.String())
				}
			}
		})
})
