package spec_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/check"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
)

var _ = Describe("An outcome", func() {
	It("keeps fifty findings and counts all", func() {
		var o check.Outcome
		for i := range 60 {
			o.Find(check.Finding{Kind: "k", Pointer: "/" + strconv.Itoa(i)})
		}
		Expect(o.Count).To(Equal(60))
		Expect(o.Findings).To(HaveLen(check.MaxFindings))
		Expect(o.Findings[49].Pointer).To(Equal("/49"))
	})

	It("keeps of a value what findings show of it, and of findings that are not kept nothing", func() {
		var o check.Outcome
		for range 60 {
			o.Find(check.Finding{Kind: "k", Pointer: "/0", Actual: strings.Repeat("x", 10_000)})
		}
		Expect(o.Count).To(Equal(60))
		Expect(o.Causes).To(HaveLen(1))
		Expect(o.Causes[0].Count).To(Equal(60))
		for _, f := range append(o.Findings, o.Causes[0].Example) {
			Expect(f.Actual).To(HaveField("Text", HavePrefix(`"xxx`)))
			Expect(f.Actual).To(HaveField("Characters", 10_002))
			Expect(len(f.Actual.(strictjson.Excerpt).Text)).To(BeNumerically("<", 5000))
		}
	})

	It("tells causes apart by kind and by place, also among findings that are not kept", func() {
		var o check.Outcome
		for range check.MaxFindings {
			o.Find(check.Finding{Kind: "k", Pointer: "/a"})
		}
		for range 2 {
			for _, cause := range []struct{ kind, pointer string }{{"k", "/b"}, {"l", "/a"}} {
				o.Find(check.Finding{Kind: cause.kind, Pointer: cause.pointer})
			}
		}
		Expect(o.Findings).To(HaveLen(check.MaxFindings))
		counts := map[string]int{}
		for _, c := range o.Causes {
			counts[c.Kind+c.Pointer] = c.Count
		}
		Expect(counts).To(Equal(map[string]int{"k/a": check.MaxFindings, "k/b": 2, "l/a": 2}))
	})

	It("keeps two hundred causes, and counts the others under one more", func() {
		var o check.Outcome
		for i := range 300 {
			o.Find(check.Finding{Kind: "k", Pointer: "/m" + strconv.Itoa(i)})
		}
		o.Find(check.Finding{Kind: "k", Pointer: "/m7"})
		Expect(o.Causes).To(HaveLen(201))
		Expect(o.Causes[199].Pointer).To(Equal("/m199"))
		Expect(o.Causes[200].Kind).To(ContainSubstring("further causes"))
		Expect(o.Causes[200].Count).To(Equal(100))
		Expect(o.Causes[7].Count).To(Equal(2))
	})

	It("keeps twenty notes of a row, the same whenever it is judged", func() {
		members := []string{}
		for spelling := range 32 { // all spellings but the documented one
			name := []byte("flags")
			for i := range name {
				if spelling>>i&1 == 1 {
					name[i] -= 'a' - 'A'
				}
			}
			if string(name) != "Flags" {
				members = append(members, `"`+string(name)+`":1`)
			}
		}
		notes := notesText(judgeGetUserAuth(`{"Id":"` + guidA + `",` + strings.Join(members,
			",") + `}`).Rows["2.1/Flags"])
		Expect(notes).To(HaveLen(20))
		Expect(notes[0]).To(ContainSubstring(`"FLAGS"`))
		Expect(slices.IsSorted(notes)).To(BeTrue())
	})
})

var _ = Describe("The facts of a judgement", func() {
	It("are counted each time they are seen", func() {
		seen := observedFacts(judgeGetUserAuth("["+recordWith()+","+recordWith()+"]"), "open/2/null-or-absent")
		Expect(seen).To(HaveLen(2 * (16 + 8)))
	})

	It("are five thousand different ones at most, and those known are counted on", func() {
		var body strings.Builder
		body.WriteString(`[{"Flags":1`)
		for i := range 6000 {
			body.WriteString(`,"x` + strconv.Itoa(i) + `":1`)
		}
		body.WriteString(`},{"Flags":2}]`)
		result := judgeGetUserAuth(body.String())
		Expect(result.Shared).To(HaveLen(5000))
		Expect(result.Shared).To(HaveKeyWithValue(spec.Fact{ID: "open/2/null-or-absent",
			Seen: check.Presence{Member: "Flags",
				State: "present"}}, 2))
		Expect(judgeGetUserAuth(body.String()).Shared).To(Equal(result.Shared), "and always the same ones")
	})

	It("stand in an order, by id and then by what was seen", func() {
		ordered := []spec.Fact{{ID: "open/2/flags", Seen: json.Number("1")}, {ID: "open/2/flags",
			Seen: json.Number("2")},
			{ID: "open/8/size", Seen: 1}}
		for i, one := range ordered {
			for k, other := range ordered {
				Expect(one.Compare(other)).To(Equal(cmp.Compare(i, k)))
			}
		}
	})

	It("are those of the first two rounds: what is asked again adds none", func() {
		for round, seen := range map[int]bool{1: true, 2: true, 3: false} {
			ex := answeredExchange(probeFor([]byte(recordWith())), 200, recordWith())
			ex.Probe.Round = round
			result := newJudge().WellFormed(ex)
			Expect(len(allFacts(result)) > 0).To(Equal(seen), "round %d", round)
			Expect(witnessedRows(result)).To(ContainElement(recordServed), "round %d", round)
		}
	})
})
