package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
)

var _ = DescribeTable("Whose identifiers a version answers is judged from all users together:",
	func(want []string, lines ...string) {
		Expect(whoseIdentifiers(lines...)).To(ConsistOf(want))
	},
	Entry("each has others", says("2 witnesses"), "alice: a a2 | a a2", "bob: b | b"),
	Entry("one is in the lists of all, the whole list of none", says("2 witnesses"), "alice: x a | x a",
		"bob: x b | x b"),
	Entry("two ids of one person are among others", says("3 witnesses"), "alice: a | a", "al: a | a", "bob: b | b",
		"carol: c | c", "dave: d | d"),
	Entry("half of the users share their whole list", says("SharedLists{Shared:2, Users:4}"), "alice: a | a",
		"al: a | a",
		"bob: b | b", "carol: c | c"),
	Entry("all have one list", says("SharedLists{Shared:3, Users:3}"), "alice: a b | a b", "bob: a b | a b",
		"carol: a b | a b"),
	Entry("neither order nor case tells lists apart", says("SharedLists{Shared:2, Users:2}"), "alice: a b | b A",
		"bob: B a | a b"),
	Entry("how often an identifier is in a list does", says("2 witnesses"), "alice: a a | a a", "bob: a | a"),
	Entry("what is no GUID does", says("2 witnesses"), "alice: a | a", "bob: a none | a none"),
	Entry("lists count as they ended", says("2 witnesses"), "alice: x | a", "bob: x | b"),
	Entry("but for those that ended empty", says("SharedLists{Shared:2, Users:2}"), "alice: x | ", "bob: x | "),
	Entry("nobody has any", nil, "alice: | ", "bob: refused | ", "carol has c"),
	Entry("nobody was asked", nil),
	Entry("a single user has the Id of a record", says("1 witnesses"), "alice: a a2", "alice has a"),
	Entry("a single user has another GUID of a record", says("1 witnesses"), "alice has a", "alice: d-a"),
	Entry("a single user has none of a record", says("SingleList{}"), "alice: a2", "alice has a", "bob: "),
	Entry("a single user has no record", says("SingleList{}"), "alice: a", "bob: "),
	Entry("a user in two lines of the file is one", says("SingleList{}"), "alice: a | a", "alice: a | a"),

	Entry("one call has another user's", says("alice.2 /1: b of bob, at 1 of 3", "2 witnesses"),
		"alice: a | a b | a", "bob: b | b"),
	Entry("one call has it twice", says("alice.1 /1: b of bob, at 1 of 2", "2 witnesses"), "alice: a b b | a",
		"bob: b | b"),
	Entry("one call has that of two others: of the first", says("alice.2 /1: b of bob, at 1 of 3",
		"SharedLists{Shared:2, Users:3}"), "alice: a | a b | a", "bob: b | b", "carol: b | b"),
	Entry("one call has, and somebody was asked for records only", says("alice.2 /1: b of bob, at 1 of 3",
		"2 witnesses"), "carol has c", "alice: a | a b | a", "bob: b | b"),
	Entry("the first call has", says("alice.1 /0: b of bob, at 1 of 3", "alice.1 /1: b2 of bob, at 1 of 3",
		"2 witnesses"), "bob: b b2 | b2 b", "alice: b b2 | a | a"),
	Entry("some calls have", says("alice.1 /0: b of bob, at 2 of 4", "2 witnesses"), "alice: b | a | b | a",
		"bob: b | b"),
	Entry("the last ones have: it came to stay", says("SharedLists{Shared:2, Users:2}"), "alice: | b | b",
		"bob: b | b"),
	Entry("all calls have", says("2 witnesses"), "alice: a b | a b", "bob: b | b"),
	Entry("it is in a record of the user", says("2 witnesses"), "alice: a | a b | a", "bob: b | b", "alice has a b"),
	Entry("it is not in all lists of another", says("2 witnesses"), "alice: a | a b | a", "bob: b | b c | c"),
	Entry("it is in the only list of another", says("2 witnesses"), "alice: a | a b | a", "bob: b"),
	Entry("a refusal is no list", says("2 witnesses"), "alice: a b | refused | a b", "bob: b | refused | b"),
	Entry("nor an empty one between two others", says("2 witnesses"), "alice: a b | refused | a b", "bob: b | b"),

	Entry("one is the Id of another user's record", says("alice.1 /1: b of bob", "2 witnesses"), "alice: a b | a b",
		"bob: b2 | b2", "bob has b", "alice has a"),
	Entry("one is, of a user who has no record", says("alice.1 /0: b of bob", "2 witnesses"), "alice has",
		"alice: B | b", "bob has b", "bob: b b2"),
	Entry("one is, and came to stay", says("alice.2 /0: b of bob", "2 witnesses"), "alice has a", "alice: | b a",
		"bob has b", "bob: b | b"),
	Entry("one is, and comes and goes", says("alice.1 /0: b of bob, at 1 of 2", "2 witnesses"), "alice has a",
		"alice: b | a", "bob has b", "bob: b | b"),
	Entry("all have those of the first", says("bob.1 /0: a of alice", "carol.1 /0: a of alice",
		"SharedLists{Shared:3, Users:3}"), "alice has a", "bob has b", "carol has c", "alice: a | a", "bob: a | a",
		"carol: a | a"),
	Entry("it is in a record of the user, too", says("2 witnesses"), "alice: a b", "bob: b b2", "bob has b",
		"alice has a b"),
	Entry("the user's records are not known", says("2 witnesses"), "alice: a b", "bob: b b2", "bob has b"),
	Entry("the user's records were refused", says("2 witnesses"), "alice: a b", "bob: b b2", "bob has b",
		"alice has refused"),
	Entry("the user's records were refused later", says("alice.1 /1: b of bob", "2 witnesses"), "alice: a b",
		"bob: b b2", "bob has b", "alice has a", "alice has refused"),
	Entry("one is, in two lists", says("alice.1 /1: b of bob", "2 witnesses"), "alice has a", "alice: a b | a b c",
		"bob has b", "bob: b2"),
	Entry("one is, of a user who was not asked for a list", says("alice.1 /1: b of bob", "1 witnesses"), "alice has a",
		"alice: a b", "bob has b"),
	Entry("one is, of two users: of the first", says("carol.1 /0: a of alice", "SingleList{}"), "alice has a",
		"bob has a", "carol has c", "carol: a"),
	Entry("two ids of one person have one list with a record of each", says("3 witnesses"), "alice has a", "al has b",
		"alice: a b | b a", "al: b a", "bob: c", "carol: d", "dave: e"),
	Entry("they have, and one of them has another list, too", says("alice.1 /1: b of al", "al.1 /0: a of alice",
		"5 witnesses"), "alice has a", "al has b", "alice: a b | a b c", "al: a b", "bob: c", "carol: d", "dave: e"),
	Entry("one of them has a record without a GUID for its Id", says("alice.1 /0: b of bob", "3 witnesses"),
		"alice has none", "bob has b", "alice: b none", "bob: b none", "carol: c", "dave: d", "erin: e"),
	Entry("another GUID of another user's record is none", says("2 witnesses"), "alice has a", "alice: d-b",
		"bob has b", "bob: b"),
)

// says is a list, for tables.
func says(lines ...string) []string { return lines }

var _ = Describe("Whose identifiers they are", func() {
	lines := []string{"alice has a", "alice: b | a a2 | a", "bob: b | b | c", "bob has b", "carol: b c | c",
		"carol has c",
		"dave: e | e", "erin: E | e", "frank has f f2", "frank: f f2 | f2 | f", "grace: f2 | g | f2 g"}

	It("does not depend on the order of users, nor of operations", func() {
		want := whoseIdentifiers(lines...)
		Expect(len(want)).To(BeNumerically(">", 3))
		for seed := range uint64(100) {
			mixed := slices.Clone(lines)
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mixed), func(i, k int) {
				mixed[i], mixed[k] = mixed[k],
					mixed[i]
			})
			Expect(whoseIdentifiers(mixed...)).To(ConsistOf(want), strings.Join(mixed, "; "))
		}
	})

	It("is judged by version, with the records of all", func() {
		l := &check.Lists{}
		addCalls(l, "alice: a | a")
		addCalls(l, "bob: b | b")
		for _, user := range []string{"alice", "bob"} {
			ex := answerTo(schemas.FindByUserIDs, 200, `["`+guidNamed("b")+`"]`)
			ex.Probe.Version, ex.Probe.User.UserID = schemas.V6, user
			l.Add(contract().Read(ex))
		}
		addCalls(l, "alice has a")
		addCalls(l, "bob has b")
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(outcomeOf(2)))
		Expect(check.BelongToTheAskedUser(l, schemas.V6)).To(HaveExactElements(
			outcomeOf(0, "another user's identifier /0"), outcomeOf(0, "check.SharedLists{Shared:2, Users:2}")))
	})

	It("is judged of what a record says, however it is written", func() {
		l := &check.Lists{}
		addCalls(l, "alice: a | a b | a")
		addCalls(l, "bob: b | b")
		ex := answerTo(schemas.GetUserAuth, 200, `[{"Device":{"Comment":["of \u0030`+guidNamed("b")[1:]+`"]}}]`)
		l.Add(contract().Read(ex))
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(outcomeOf(2)))
	})

	It("is judged without what records of somebody else say", func() {
		l := &check.Lists{}
		addCalls(l, "alice has a")
		addCalls(l, "bob has b")
		addCalls(l, "alice: a")
		addCalls(l, "bob: b")
		for _, record := range []string{"c", "b"} {
			addCalls(l, "carol: "+record+" c2")
		}
		ex := answerTo(schemas.GetUserAuth, 200, `{"Id":"`+guidNamed("c")+`","UserId":"carol"}`) // of alice's request
		l.Add(contract().Read(ex))
		addCalls(l, "carol has d")
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(
			outcomeOf(0, "another user's identifier /0"), outcomeOf(3)))
	})

	DescribeTable("is not judged of a user whose records have more GUIDs than are kept", func(number, outcomes int) {
		l := &check.Lists{}
		addCalls(l, "alice: a | a b | a")
		addCalls(l, "bob: b | b")
		var ids []string
		for i := range number {
			ids = append(ids, fmt.Sprintf("0f8fad5b-d9cb-469f-a165-f%011x", i))
		}
		l.Add(recordAnswer(`{"Description":"` + strings.Join(ids, " ") + `"}`))
		list := check.BelongToTheAskedUser(l, schemas.V5)
		Expect(list).To(HaveLen(outcomes))
		Expect(list[outcomes-1]).To(outcomeOf(2))
	},
		Entry("one more", 10_001, 1), Entry("but of one with as many as are kept", 10_000, 2),
	)

	DescribeTable("is judged of GUIDs alone, but all texts tell lists apart", func(list string, kinds ...string) {
		l := &check.Lists{}
		addCalls(l, "alice has a")
		ex := answerTo(schemas.GetUserAuth, 200, `{"Id":"00000000-0000-0000-0000-000000000000"}`)
		ex.Probe.User.UserID = "bob"
		l.Add(contract().Read(ex))
		l.Add(listAnswer(list))
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(outcomeOf(0, kinds...)))
	},
		Entry("without a text", `[null,7]`),
		Entry("with a text", `["x"]`, "check.SingleList{}"),
		Entry("with more hexadecimal digits than a GUID has", `["`+strings.Repeat("0", 40)+`"]`, "check.SingleList{}"),
	)

	It("is judged with records that show the user, in whatever case", func() {
		l := &check.Lists{}
		addCalls(l, "alice has a")
		addCalls(l, "alice: a b")
		ex := answerTo(schemas.GetUserAuth, 200, `{"Id":"`+guidNamed("b")+`","UserId":"BOB"}`)
		ex.Probe.User.UserID = "bob"
		l.Add(contract().Read(ex))
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(
			outcomeOf(0, "another user's identifier /1"), outcomeOf(1)))
	})

	It("is judged of a user who has nothing enrolled, and so no records", func() {
		l := &check.Lists{}
		for _, line := range []string{"alice: a b", "bob: b b2", "bob has b"} {
			addCalls(l, line)
		}
		ex := answerTo(schemas.GetUserAuth, 404, "")
		ex.Probe.User.Enrolled = false
		l.Add(contract().Read(ex))
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(
			outcomeOf(0, "another user's identifier /1"), outcomeOf(2)))
	})

	It("is judged without controls, and requests that should be refused", func() {
		l := &check.Lists{}
		for _, change := range []func(*exchange.Probe){
			func(p *exchange.Probe) { p.Control = true },
			func(p *exchange.Probe) { p.Kind = exchange.UnknownUser },
		} {
			ex := answerTo(schemas.FindByUserIDs, 200, `["`+guid+`"]`)
			change(&ex.Probe)
			l.Add(contract().Read(ex))
		}
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(outcomeOf(0)))
	})

	It("is judged of large lists by whether they are equal, and by their first ten thousand", func() {
		long := func(user, first string, n int) []*check.Answer {
			var body strings.Builder
			body.WriteString(`["` + guidNamed(first) + `"`)
			for i := range n {
				fmt.Fprintf(&body, `,"0f8fad5b-d9cb-469f-a165-f%011x"`, i)
			}
			ex := answerTo(schemas.FindByUserIDs, 200, body.String()+"]")
			ex.Probe.User.UserID = user
			a := contract().Read(ex)
			again := a.Again(ex)
			a.Drop()
			return []*check.Answer{a, again}
		}
		l := &check.Lists{}
		for _, a := range slices.Concat(long("alice", "a", 110_000), long("bob", "b", 20_000),
			long("carol", "a", 110_000), long("dave", "d", 20_000), long("erin", "a", 20_000)) {
			l.Add(a)
		}
		addCalls(l, "dave has x")
		addCalls(l, "frank has d")
		addCalls(l, "erin: a | a")
		Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(
			outcomeOf(0, "another user's identifier /0"), outcomeOf(3)))
	})

	DescribeTable("is judged of those who come after a million identifiers by whether their lists are equal",
		func(op schemas.Operation, shared int) {
			ids := make([]string, 10_000)
			for i := range ids {
				ids[i] = fmt.Sprintf("0f8fad5b-d9cb-469f-a165-f%011x", i)
			}
			ex := answerTo(op, 200, string(kit.Encode(ids)))
			if op == schemas.GetUserAuth {
				ex.Body = kit.Encode(map[string]any{"Description": ids})
			}
			first := contract().Read(ex)
			first.Drop()
			l := &check.Lists{}
			for _, line := range []string{"alice has a", "alice: x", "carol has c", "carol: b", "dave has d", "dave: d",
				"erin: x | x"} {
				addCalls(l, line)
			}
			for user := range 101 {
				ex := *first.Exchange
				ex.Probe.User.UserID = fmt.Sprint(user)
				l.Add(first.Again(&ex))
			}
			for _, line := range []string{"alice: d", "bob has b", "bob: b", "frank: x"} {
				addCalls(l, line)
			}
			Expect(check.BelongToTheAskedUser(l, schemas.V5)).To(HaveExactElements(
				outcomeOf(0, fmt.Sprintf("check.SharedLists{Shared:%d, Users:%[1]d}", shared))))
		},
		Entry("of lists", schemas.FindByUserIDs, 107), Entry("of records", schemas.GetUserAuth, 6),
	)
})

var _ = DescribeTable("The digests of lists are equal",
	func(oneUser, one, otherUser, other string, list, user bool) {
		body := func(words string) []byte {
			ids := []string{}
			for _, word := range strings.Fields(words) {
				ids = append(ids, guidNamed(word))
			}
			return kit.Encode(ids)
		}
		a, b := check.ListDigests(oneUser, body(one)), check.ListDigests(otherUser, body(other))
		for _, digests := range []string{a, b} {
			Expect(digests).To(MatchRegexp("^[0-9a-f]{32}$"))
		}
		Expect([]bool{a[:16] == b[:16], a[16:] == b[16:]}).To(Equal([]bool{list, user}))
		Expect(check.ListDigests(oneUser, body("none"))).To(BeEmpty())
	},
	Entry("of one user's list in another order and case", "alice", "a b", "alice", "B a", true, true),
	Entry("but not those of the users", "alice", "a b", "bob", "b a", true, false),
	Entry("not of another list", "alice", "a b", "alice", "a", false, false),
	Entry("not of a list with one twice", "alice", "a a", "alice", "a", false, false),
)
