package page_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
)

// rowAt is the row at an anchor.
func rowAt(doc element, anchor string) element {
	GinkgoHelper()
	e := doc.byID(anchor)
	Expect(e.is("row")).To(BeTrue())
	return e
}

// sectionUnder is the section with a heading.
func sectionUnder(doc element, heading string) element {
	GinkgoHelper()
	return onlyElement(doc.all(func(e element) bool {
		return e.Data == "section" &&
			e.value("aria-labelledby") == heading
	}))
}

// foldedPart is the part of a page that is folded under a summary.
func foldedPart(doc element, id string) element {
	GinkgoHelper()
	return element{doc.byID(id).Parent}
}

var _ = Describe("The page for the person who approves the result", func() {
	DescribeTable("begins with the verdict and its basis",
		func(verdict ledger.Verdict, complete bool, change func(*report.Report), sentence, scope string) {
			r := madeReport(rowOf("2.1/Id", schemas.V5, ledger.Pass), rowOf("2.1/Id", schemas.V6, ledger.Pass))
			r.Complete = complete
			if change != nil {
				change(r)
			}
			r.Judge()
			Expect(r.Verdict).To(Equal(verdict))
			certificate := sectionUnder(parsePage(pageOf(r, nil)), "verdict")
			Expect(onlyElement(certificate.tagged("h1")).text()).To(HaveSuffix(" " + r.State().Word))
			Expect(certificate.text()).To(And(ContainSubstring(sentence), ContainSubstring(scope)))
		},
		Entry("a pass", ledger.Pass, true, nil, "2 of 2 checks passed", "Complete:"),
		Entry("a pass that certifies nothing", ledger.Pass, false, nil, "2 of 2 checks passed", "It certifies nothing"),
		Entry("a failure", ledger.Fail, true, func(r *report.Report) { r.Requirements[0].Verdict = ledger.Fail },
			"1 of 2 checks failed", "Complete:"),
		Entry("a stale waiver", ledger.Fail, true, func(r *report.Report) { r.Stale = []string{"x"} },
			"No check failed, but 1 waiver is stale.", "Complete:"),
		Entry("an open one", ledger.Inconclusive, true,
			func(r *report.Report) { r.Requirements[1].Verdict = ledger.Inconclusive },
			"1 of 2 checks could not be decided", "Complete, but 1 check could not be decided."),
		Entry("one that is waived", ledger.Pass, true, func(r *report.Report) {
			r.Requirements[1] = failingRow("2.1/Id", schemas.V6, findingAt("e1", "/Id"))
			r.Requirements[1].Waiver = &report.Waiver{Reason: "r", Until: "2027-01-31"}
		}, "1 of 2 checks passed; 1 is waived.",
			"It certifies nothing: 1 check waived (until 2027-01-31)."),
		Entry("one left out by a filter", ledger.Pass, false, func(r *report.Report) {
			reason := ledger.NotRun
			r.Requirements[1].Verdict, r.Requirements[1].Reason = ledger.Inconclusive, &reason
		}, "1 of 1 check passed", "It certifies nothing"),
		Entry("an error", ledger.Fault, false, func(r *report.Report) { why := "the target\nstopped"; r.Error = &why },
			"shows nothing about the target", "the target\nstopped"),
	)

	It("names both targets if they differ", func() {
		r := madeReport()
		r.Target[schemas.V6] = "https://other.example"
		Expect(wordsOf(foldedPart(parsePage(pageOf(r, nil)), "data").tagged("div"))).To(
			ContainElements("Target of v5https://target.example", "Target of v6https://other.example"))
	})

})

var _ = Describe("The page for the person who repairs the service", func() {
	It("is each row at its own anchor, with its verdict", func() {
		doc := parsePage(runMutant("get-user-auth-values-locked-v6").page())
		Expect(doc.classed("row")).To(HaveLen(78))
		Expect(rowAt(doc, "2.1/CreatedOn/v5").value("data-verdict")).To(Equal("pass"))
		parity := rowAt(doc, "9.3/getUserAuth/values/v5=v6")
		Expect(parity.value("data-verdict")).To(Equal("fail"))
		Expect(wordsOf(sectionUnder(doc, "failures").tagged("p"))).To(Equal([]string{"9.3/getUserAuth/values v5=v6",
			"v5 and v6 answer getUserAuth with the same values for the same user."}))
		Expect(wordsOf(sectionUnder(doc, "failures").classed("causes"))).To(
			Equal([]string{"11 of 13 users, at /IsLocked: v5 has false, v6 has true"}))
	})

	It("is one entry for each cause, with its count, and answers of three different users", func() {
		doc := parsePage(runMutant("get-user-auth-html-page-v6").page())
		entry := rowAt(doc, "4/getUserAuth/served/v6")
		Expect(wordsOf(entry.classed("cause"))).To(Equal([]string{"syntax 36 times"}))
		Expect(wordsOf(entry.tagged("summary"))[0]).To(Equal("v6 ✗ fail 12 of 13 users, 1 cause"))
		Expect(entry.classed("example")).To(HaveLen(3))
		names := map[string]int{}
		for i, n := range entry.classed("example") {
			names[n.text()[:70]]++
			Expect(n.Data).To(Equal([]string{"div", "details", "details"}[i]), "all but the first are folded")
		}
		Expect(names).To(HaveLen(3))
	})

	It("shows expected and actual, the exchange, the request with placeholders, and a curl command",
		func() {
			text := rowAt(parsePage(runMutant("created-on-two-digit-fraction-one-user-v5").page()),
				"2.1/CreatedOn/v5").text()
			for _, part := range []string{"ISO 8601 date-time in UTC with milliseconds", `"2019-03-06T21:00:21.51Z"`,
				"/CreatedOn", "HTTP/1.1 200 OK",
				"POST http://127.0.0.1", `"AccessToken": "$AUTHN_ACCESS_TOKEN"`, "Content-Type: application/json",
				"curl -sS", "well-formed, round 1"} {
				Expect(text).To(ContainSubstring(part))
			}
		})

	It("shows the altered request of a probe that should have been refused", func() {
		entry := rowAt(parsePage(runMutant("get-user-auth-token-unchecked-v5").page()), "5.1/getUserAuth/token/v5")
		for _, request := range entry.classed("request") {
			Expect(request.Attr).To(ContainElement(HaveField("Key", "open")))
		}
		Expect(entry.text()).To(And(MatchRegexp(`"AccessToken": "[a-zA-F]{20,}"`),
			ContainSubstring(`"$CHANGED_TOKEN"`)))
	})

	It("shows what was noted of a row that passes", func() {
		r := madeReport(rowOf("2.1/Id", schemas.V5, ledger.Pass))
		r.Requirements[0].Notes = []string{"a member named id was seen"}
		Expect(sectionUnder(parsePage(pageOf(r, nil)),
			"requirements").text()).To(ContainSubstring("a member named id was seen"))
	})

	It("shows no pass if the verdict is unknown", func() {
		doc := parsePage(pageOf(madeReport(rowOf("2.1/Id", schemas.V5, "undecided")), nil))
		Expect(onlyElement(doc.all(func(e element) bool { return e.is("row") })).value("data-verdict")).To(
			Equal("inconclusive"))
	})

	It("is unfolded if there is something to show, also without the script", func() {
		for _, entry := range parsePage(pageOf(reportOfEverything(), everyExchange())).classed("entry") {
			Expect(entry.Attr).To(ContainElement(HaveField("Key", "open")))
		}
	})

	It("shows what was observed in parts, which may contain what separates them", func() {
		r := madeReport(rowOf("2.1/Id", schemas.V5, ledger.Pass))
		v5, no := "AccessToken: 400, application/json; charset=utf-8, an object; Id: 200", false
		r.Observations = []report.Observation{{ID: "open/7/missing-field", Section: "7", Operation: schemas.GetUserAuth,
			Statement: "How.", Agree: &no,
			Seen: report.Seen{schemas.V5: {Text: v5,
				Parts: []string{"AccessToken: 400, application/json; charset=utf-8, an object",
					"Id: 200"}}, schemas.V6: {Text: v5, Parts: []string{"Id: 400"}}}}}
		text := pageOf(r, nil)
		Expect(text).To(ContainSubstring("AccessToken: 400, application/json; charset=utf-8, an object<br>Id: 200"))
	})

	It("folds a difference at an open point that a finding explains", func() {
		r := reportOfEverything()
		for i := range r.Observations {
			r.Observations[i].Explained = r.Observations[i].Diverges()
		}
		points := sectionUnder(parsePage(pageOf(r, nil)), "open-points")
		Expect(onlyElement(points.tagged("table")).text()).To(ContainSubstring("differ, by what failed"))
		Expect(onlyElement(points.tagged("details")).text()).To(ContainSubstring("open/4.3/status"))
	})

	It("refers to the evidence for an exchange that it can't show", func() {
		r := madeReport(failingRow("2.1/Flags", schemas.V5, findingAt("e7", "/Flags")))
		Expect(pageOf(r, nil)).To(ContainSubstring("exchange e7 is in evidence.har"))
		Expect(pageOf(r, shelf{})).To(ContainSubstring("Exchange e7 could not be read: there is no exchange e7"))
		Expect(pageOf(r, shelf{"e7": nil})).To(ContainSubstring("Exchange e7 was not kept"))
	})

})
