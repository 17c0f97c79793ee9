package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("An answer to a well-formed request looks like a refusal (J19), or may be one (J23)",
	func(status int, media, body, expected string) {
		ex := answerTo(schemas.GetUserAuth, status, body)
		if media != "" {
			ex.Header.Set("Content-Type", media)
		}
		Expect(contract().LooksRefused(ex)).To(Equal(expected == "refused"))
		Expect(contract().MayBeRefused(ex)).To(Equal(expected != "answered"))
	},
	testkit.Entries("refusals"),
	Entry("200 with a text that is nearly a GUID", 200, "", `"`+strings.Replace(guid, "-", "_", 1)+`"`, "refused"),
	Entry("200 with a large body", 200, "", `"`+strings.Repeat("a", 1<<20)+`"`, "answered"),
	Entry("200 with a body of the largest size", 200, "", `"`+strings.Repeat("a", 1<<20-2)+`"`, "refused"),
)

var _ = Describe("An answer that did not come whole", func() {
	It("looks like a refusal if it had a status other than 2xx, and else not", func() {
		for status, expected := range map[int]bool{0: false, 200: false, 403: true} {
			ex := answerTo(schemas.GetUserAuth, status, "")
			ex.Fault = &exchange.Fault{Kind: exchange.Timeout}
			Expect(contract().LooksRefused(ex)).To(Equal(expected), "status %d", status)
		}
	})

	It("discloses where it must be refused what came of it", func() {
		ex := answerTo(schemas.GetUserAuth, 200, `{"Flags":1,"ModeType":2,"IsLocked":true}`)
		ex.Fault = &exchange.Fault{Kind: exchange.Timeout}
		Expect(contract().ReadRefusal(ex).Discloses()).To(BeTrue())
	})

	It("is decoded once, however often the same body comes", func() {
		reader := contract()
		read := func(flags int) *check.Answer {
			body := fmt.Sprintf(`{"Flags":%d,"ModeType":2,"IsLocked":true,"x":[%s{}]}`, flags,
				strings.Repeat(`{"y":1},`, 1<<14))
			return reader.ReadRefusal(answerTo(schemas.GetUserAuth, 200, body))
		}
		one, other := read(1), read(2)
		Expect(testing.AllocsPerRun(10, func() {
			Expect(read(1).Value).To(Equal(one.Value))
			Expect(read(2).Value).To(Equal(other.Value))
		})).To(BeNumerically("<", 1000))
	})

	It("is no witness if it is 2xx and nobody can read it", func() {
		for _, kind := range []exchange.FaultKind{exchange.Encoding, exchange.Bound, exchange.Transport} {
			for status, body := range map[int]string{200: "", 400: "", 201: `{"error":"no"}`} {
				ex := answerTo(schemas.GetUserAuth, status, body)
				ex.Probe.Kind, ex.Fault = exchange.RandomToken, &exchange.Fault{Kind: kind, Plain: "br"}
				ex.Control = &exchange.Control{Served: true, Answer: answerTo(schemas.GetUserAuth, 200, `{}`)}
				out := check.DisclosesNothing(contract().ReadRefusal(ex))
				unread := status == 200 && kind == exchange.Encoding
				Expect([]int{out.Witnesses, out.Uncontrolled, out.Count}).To(Equal(map[bool][]int{true: {0, 1, 0},
					false: {1, 0, 0}}[unread]), "%d %s", status, kind)
				if unread {
					Expect(out.Notes).To(Equal([]any{check.Unread{Status: 200, Why: "br"}}))
				}
			}
		}
	})
})

var _ = It("A list with many elements that are no records has as many findings as a row lists, and counts all", func() {
	for _, elements := range []int{check.MaxFindings - 1, check.MaxFindings, check.MaxFindings + 1,
		check.MaxFindings + 7} {
		out := check.IsServed(recordAnswer("["+strings.Repeat("7,", elements-1)+"7]"), nil)
		Expect(out.Findings).To(HaveLen(min(elements, check.MaxFindings)))
		Expect(out.Count).To(Equal(elements))
		Expect(out.Causes).To(HaveExactElements(HaveField("Count", elements)))
		for _, f := range out.Findings {
			Expect(f.Expected).To(Equal(check.OnlyRecords{}))
		}
	}
})

var _ = It("An answer that comes again for another request has the first one's findings, with its own request", func() {
	first := recordAnswer(`[7]`)
	ex := answerTo(schemas.GetUserAuth, 200, `[7]`)
	ex.Probe.ID = "e2"
	again := first.Again(ex)
	Expect(check.IsServed(again, nil).Findings[0].Probe.ID).To(Equal("e2"))
	Expect(check.IsServed(again, nil).Causes[0].Example.Probe.ID).To(Equal("e2"))
	Expect(check.IsServed(first, nil).Findings[0].Probe.ID).To(Equal("e1"))
})

var _ = It("A list with a record and something else was not served, and so discloses nothing to a refused one", func() {
	const telling = `{"Flags":1,"ModeType":2,"IsLocked":true}`
	Expect(recordAnswer(telling).DisclosesData()).To(BeTrue())
	Expect(recordAnswer("[" + telling + ",7]").DisclosesData()).To(BeFalse())
})

var _ = It("The name of a member in an observation stands in quotes", func() {
	Expect(check.Text(check.MemberName{Prefix: "a member ", Name: "tenant"},
		check.AsSent{})).To(Equal(`a member "tenant"`))
})

var _ = It("A record without a UserId shows neither the form of one nor its case", func() {
	of, device := objectsOf(recordAnswer(`{"Flags":1}`))
	Expect(check.FormOfUserID(of, device)).To(BeEmpty())
	Expect(check.CaseOfUserID(of, device)).To(BeEmpty())
})

var _ = It("More causes than a row keeps are counted as further ones, and the kept ones go on being counted", func() {
	var out check.Outcome
	for i := range 2000 {
		out.Find(check.Finding{Kind: fmt.Sprint(i)})
	}
	kept := len(out.Causes)
	Expect(kept).To(Equal(201))
	Expect(out.Findings).To(HaveLen(check.MaxFindings))
	out.Find(check.Finding{Kind: "0"})
	Expect(out.Causes).To(HaveLen(kept))
	Expect(out.Causes[0].Count).To(Equal(2))
	Expect(out.Causes[kept-1].Kind).To(Equal("further causes"))
})

var _ = DescribeTable("There is an order of", func(a, b any) {
	Expect(check.Compare(a, b)).To(BeNumerically("<", 0))
	Expect(check.Compare(b, a)).To(BeNumerically(">", 0))
},
	Entry("numbers by their value", json.Number("9"), json.Number("10")),
	Entry("durations by their length", 9*time.Second, 10*time.Second),
	Entry("presence by its member", check.Presence{Member: "A", State: "z"}, check.Presence{Member: "B", State: "a"}),
	Entry("presence of one member by its state", check.Presence{Member: "A", State: "a"},
		check.Presence{Member: "A", State: "b"}),
	Entry("texts", "a", "b"),
	Entry("others by their text", json.Number("1"), "a"),
	Entry("a duration and a text by their text", 9*time.Second, "a"),
	Entry("presence and a text by their text", check.Presence{Member: "A", State: "a"}, "b"),
)

var _ = Describe("A large value in a finding", func() {
	It("is cut to an excerpt, wherever it stands", func() {
		long := strings.Repeat("x", 1<<20)
		for _, value := range []any{long, check.Shown{Value: long}, check.Disclosed{Value: long},
			check.Changing{From: long, Then: long}} {
			var out check.Outcome
			out.Find(check.Finding{Kind: "value", Expected: check.Shown{Value: long}, Actual: value})
			Expect(len(fmt.Sprint(out.Findings[0].Expected))).To(BeNumerically("<", 1<<16))
			kept := fmt.Sprint(out.Findings[0].Actual)
			Expect(len(kept)).To(BeNumerically("<", 1<<16), "%T", value)
			Expect(kept).To(ContainSubstring("xxx"), "%T", value)
		}
	})

	It("is kept if it is a short body", func() {
		found := check.IsServed(contract().Read(answerTo(schemas.GetUserAuth, 403, "no")), nil).Findings[0]
		Expect(found.Actual.(check.Status).Body).To(Equal(check.Body{Beginning: strictjson.BeginningOf("no"), Size: 2}))
	})

	It("is not kept at all if its body must not be", func() {
		ex := answerTo(schemas.GetUserAuth, 403, "\"\xff\"")
		found := check.IsServed(contract().Read(ex), nil).Findings[0].Actual.(check.Status)
		Expect(found.Body.Withheld).NotTo(BeNil())
		Expect(found.Body.Size).To(BeZero())
	})
})
