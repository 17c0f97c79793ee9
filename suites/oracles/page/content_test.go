package page_test

import (
	"strings"

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

// under is the section with a heading.
func under(doc element, heading string) element {
	GinkgoHelper()
	return only(doc.all(func(e element) bool { return e.Data == "section" && e.value("aria-labelledby") == heading }))
}

// foldedPart is the part of a page that is folded under a summary.
func foldedPart(doc element, id string) element {
	GinkgoHelper()
	return element{doc.byID(id).Parent}
}

var _ = Describe("the page for the person who approves the result", func() {
	DescribeTable("begins with the verdict and its basis",
		func(verdict ledger.Verdict, complete bool, change func(*report.Report), sentence, scope string) {
			r := made(row("2.1/Id", schemas.V5, ledger.Pass), row("2.1/Id", schemas.V6, ledger.Pass))
			r.Complete = complete
			if change != nil {
				change(r)
			}
			r.Judge()
			Expect(r.Verdict).To(Equal(verdict))
			certificate := under(parsed(written(r, nil)), "verdict")
			Expect(only(certificate.tagged("h1")).text()).To(HaveSuffix(" " + r.State().Word))
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
			r.Requirements[1] = failing("2.1/Id", schemas.V6, finding("e1", "/Id"))
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

	It("names target, time, users, contract and suite: unfolded only for a pass", func() {
		text := foldedPart(parsed(written(everything(), nil)), "data").text()
		for _, fact := range []string{"https://target.example", "v5, v6", "13 users", "sha256:33",
			"2026-06-15T11:59:00Z",
			"2026-06-15T12:00:00Z", "60.0 s", "sha256:00", "authenticator-conformance 0.0.0", "0123abc", "go1.26",
			"3f0c2a9e"} {
			Expect(text).To(ContainSubstring(fact))
		}
		passed := made(row("2.1/Id", schemas.V5, ledger.Pass))
		passed.Certifies = true
		for want, r := range map[bool]*report.Report{true: passed, false: everything()} {
			data := foldedPart(parsed(written(r, nil)), "data")
			_, open := attribute(data, "open")
			Expect(open).To(Equal(want))
			Expect(data.is("paper")).To(BeTrue(), "unfolded on paper")
		}
	})

	It("explains each sign and short word", func() {
		legend := words(foldedPart(parsed(written(everything(), nil)), "legend").tagged("dt"))
		for _, word := range []string{"check", "witness", "finding", "cause", "e2", "#", "✗ fail", "? inconclusive",
			"W waived", "K known", "– not run", "✓ pass"} {
			Expect(legend).To(ContainElement(word))
		}
	})

	It("shows the reason and no rows if the run did not end", func() {
		r, why := everything(), "the target stopped"
		r.Verdict, r.Error = ledger.Fault, &why
		doc := parsed(written(r, everyExchange()))
		Expect(under(doc, "verdict").text()).To(ContainSubstring("the target stopped"))
		Expect(doc.classed("row")).To(BeEmpty())
		Expect(doc.all(func(e element) bool {
			return e.value("id") == "matrix" || e.value("id") == "failures" || e.value("id") == "open-points"
		})).To(BeEmpty())
		Expect(foldedPart(doc, "data").text()).NotTo(ContainSubstring("Took"))
	})

	It("names both targets if they differ", func() {
		r := made()
		r.Target[schemas.V6] = "https://other.example"
		Expect(words(foldedPart(parsed(written(r, nil)), "data").tagged("div"))).To(
			ContainElements("Target of v5https://target.example", "Target of v6https://other.example"))
	})

	It("lists waived rows with their verdict and the end of the waiver", func() {
		Expect(words(under(parsed(written(everything(), nil)), "waived").tagged("tr"))).To(Equal([]string{
			"RequirementVerdictUntilReason", "2.1/Id v5fail2027-01-31the owner knows"}))
	})

	It("shows the comparison with the baseline, stale waivers and notes", func() {
		doc := parsed(written(everything(), nil))
		baseline := under(doc, "baseline")
		Expect(baseline.text()).To(ContainSubstring("1 new, 0 grown, 1 stale, 1 known; 1 open point changed"))
		Expect(words(baseline.tagged("tr"))).To(ContainElements(
			"new2.1/CreatedOn v5form at /CreatedOn2 times", "stale2.1/Gone v5formonce",
			"known2.1/Flags v5type at /Flagsonce",
			"open/4.3/status of getUserAuth, v6200404"))
		Expect(words(under(doc, "stale").tagged("li"))).To(Equal([]string{"a stale waiver"}))
		Expect(words(under(doc, "notes").tagged("li"))).To(Equal([]string{"a note"}))
		Expect(words(under(doc, "lacking").tagged("li"))).To(Equal([]string{"e99"}))
	})

	It("is the matrix of sections by version, each cell with a word and a link that filters", func() {
		matrix := under(parsed(written(everything(), nil)), "matrix")
		for _, link := range matrix.classed("chip") {
			unseen := only(link.classed("unseen"))
			Expect(unseen.text()).To(HaveSuffix(": show them"))
			unseen.Parent.RemoveChild(unseen.Node)
		}
		Expect(words(matrix.tagged("tr"))).To(Equal([]string{
			"Sectionv5v6v5=v6",
			"§2.1 Authenticator record✗ 1 fail W 1 waived K 1 known ? 1 inconclusive ✓ 1 pass –none",
			"§9.3 The same in both versions–none –none ✗ 1 fail",
			"All✗ 1 fail W 1 waived K 1 known ? 1 inconclusive ✓ 1 pass ✗ 1 fail",
		}))
		fails := only(only(matrix.tagged("tbody")).all(
			func(e element) bool { return e.Data == "a" && e.is("fail") && strings.Contains(e.value("href"), "2.1") }))
		Expect(fails.value("href")).To(Equal("?section=2.1&verdict=fail&version=v5#requirements"))
	})
})

var _ = Describe("the page for the person who repairs the service", func() {
	It("is each row at its own anchor, with its verdict", func() {
		doc := parsed(mutant("get-user-auth-values-locked-v6").page())
		Expect(doc.classed("row")).To(HaveLen(78))
		Expect(rowAt(doc, "2.1/CreatedOn/v5").value("data-verdict")).To(Equal("pass"))
		parity := rowAt(doc, "9.3/getUserAuth/values/v5=v6")
		Expect(parity.value("data-verdict")).To(Equal("fail"))
		Expect(words(under(doc, "failures").tagged("p"))).To(Equal([]string{"9.3/getUserAuth/values v5=v6",
			"v5 and v6 answer getUserAuth with the same values for the same user."}))
		Expect(words(under(doc, "failures").classed("causes"))).To(
			Equal([]string{"11 of 13 users, at /IsLocked: v5 has false, v6 has true"}))
	})

	It("is one entry for each cause, with its count, and answers of three different users", func() {
		doc := parsed(mutant("get-user-auth-html-page-v6").page())
		entry := rowAt(doc, "4/getUserAuth/served/v6")
		Expect(words(entry.classed("cause"))).To(Equal([]string{"syntax 36 times"}))
		Expect(words(entry.tagged("summary"))[0]).To(Equal("v6 ✗ fail 12 of 13 users, 1 cause"))
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
			text := rowAt(parsed(mutant("created-on-two-digit-fraction-one-user-v5").page()), "2.1/CreatedOn/v5").text()
			for _, part := range []string{"ISO 8601 date-time in UTC with milliseconds", `"2019-03-06T21:00:21.51Z"`,
				"/CreatedOn", "HTTP/1.1 200 OK",
				"POST http://127.0.0.1", `"AccessToken": "$AUTHN_ACCESS_TOKEN"`, "Content-Type: application/json",
				"curl -sS", "well-formed, round 1"} {
				Expect(text).To(ContainSubstring(part))
			}
		})

	It("shows the altered request of a probe that should have been refused", func() {
		entry := rowAt(parsed(mutant("get-user-auth-token-unchecked-v5").page()), "5.1/getUserAuth/token/v5")
		for _, request := range entry.classed("request") {
			Expect(request.Attr).To(ContainElement(HaveField("Key", "open")))
		}
		Expect(entry.text()).To(And(MatchRegexp(`"AccessToken": "[a-zA-F]{20,}"`),
			ContainSubstring(`"$CHANGED_TOKEN"`)))
	})

	It("gives the reason of an inconclusive row, what is known from the baseline, and the notes", func() {
		doc := parsed(written(everything(), nil))
		Expect(rowAt(doc, "2.1/Device/v6").text()).To(
			And(ContainSubstring("no-witness"), ContainSubstring("add a user who has one"),
				ContainSubstring("Note: a member device was seen")))
		Expect(rowAt(doc, "2.1/Flags/v5").text()).To(ContainSubstring("It is so in the baseline for the same causes"))
		Expect(rowAt(doc, "2.1/Id/v5").text()).To(ContainSubstring("fail, waived until 2027-01-31: the owner knows"))
	})

	It("shows what was noted of a row that passes", func() {
		r := made(row("2.1/Id", schemas.V5, ledger.Pass))
		r.Requirements[0].Notes = []string{"a member named id was seen"}
		Expect(under(parsed(written(r, nil)), "requirements").text()).To(ContainSubstring("a member named id was seen"))
	})

	It("shows no pass if the verdict is unknown", func() {
		doc := parsed(written(made(row("2.1/Id", schemas.V5, "undecided")), nil))
		Expect(only(doc.all(func(e element) bool { return e.is("row") })).value("data-verdict")).To(
			Equal("inconclusive"))
	})

	It("is unfolded if there is something to show, also without the script", func() {
		for _, entry := range parsed(written(everything(), everyExchange())).classed("entry") {
			Expect(entry.Attr).To(ContainElement(HaveField("Key", "open")))
		}
	})

	It("lists the open points: first those at which the versions differ, equal texts in one cell", func() {
		points := under(parsed(written(everything(), nil)), "open-points")
		Expect(words(points.tagged("tr"))[1:]).To(Equal([]string{
			"open/4.3/status getUserAuth Which status.differ200404",
			"Open pointv5 and v6v5v6",
			"open/4.3/cardinality getUserAuth How many.alike200",
			"open/8/latency getUserAuth How long.not compared200not under test",
		}))
		Expect(points.text()).To(ContainSubstring("differ at 1 of the 2 at which they were compared"))
		Expect(points.byID("open/4.3/status/getUserAuth").Data).To(Equal("tr"))
		folded := only(points.tagged("details"))
		Expect(folded.text()).To(And(ContainSubstring("2 other open points"), ContainSubstring("open/8/latency"),
			Not(ContainSubstring("open/4.3/status"))))
	})

	It("shows what was observed in parts, which may contain what separates them", func() {
		r := made(row("2.1/Id", schemas.V5, ledger.Pass))
		v5, no := "AccessToken: 400, application/json; charset=utf-8, an object; Id: 200", false
		r.Observations = []report.Observation{{ID: "open/7/missing-field", Section: "7", Operation: schemas.GetUserAuth,
			Statement: "How.", Agree: &no,
			Seen: report.Seen{schemas.V5: {Text: v5,
				Parts: []string{"AccessToken: 400, application/json; charset=utf-8, an object",
					"Id: 200"}}, schemas.V6: {Text: v5, Parts: []string{"Id: 400"}}}}}
		text := written(r, nil)
		Expect(text).To(ContainSubstring("AccessToken: 400, application/json; charset=utf-8, an object<br>Id: 200"))
	})

	It("folds a difference at an open point that a finding explains", func() {
		r := everything()
		for i := range r.Observations {
			r.Observations[i].Explained = r.Observations[i].Diverges()
		}
		points := under(parsed(written(r, nil)), "open-points")
		Expect(only(points.tagged("table")).text()).To(ContainSubstring("differ, by what failed"))
		Expect(only(points.tagged("details")).text()).To(ContainSubstring("open/4.3/status"))
	})

	It("lists excluded requirements, volatile places, counts and settings", func() {
		doc := parsed(written(everything(), nil))
		Expect(words(under(doc, "excluded").tagged("tr"))[1:]).To(
			Equal([]string{"excluded/6/eventsWhich events.They go elsewhere."}))
		run := under(doc, "run")
		Expect(words(run.tagged("tr"))).To(ContainElements("getUserAuth/Comment", "access tokensetAUTHN_ACCESS_TOKEN"))
		Expect(words(run.tagged("dt"))).To(ContainElements("a", "b", "y.yaml", "z.json"))
		Expect(run.text()).To(ContainSubstring("requests"))
	})

	It("refers to the evidence for an exchange that it can't show", func() {
		r := made(failing("2.1/Flags", schemas.V5, finding("e7", "/Flags")))
		Expect(written(r, nil)).To(ContainSubstring("exchange e7 is in evidence.har"))
		Expect(written(r, shelf{})).To(ContainSubstring("Exchange e7 could not be read: there is no exchange e7"))
		Expect(written(r, shelf{"e7": nil})).To(ContainSubstring("Exchange e7 was not kept"))
	})

	It("describes a cause without a stored finding in a sentence", func() {
		r := made(failing("2.1/Flags", schemas.V5, finding("e7", "/Flags")))
		r.Requirements[0].Causes = append(r.Requirements[0].Causes,
			report.Cause{Kind: "type", Pointer: "/*/Flags", Count: 7, Example: "the fifty-first"})
		Expect(words(parsed(written(r, shelf{})).classed("cause"))[1]).To(
			Equal("type at /*/Flags 7 times the fifty-first"))
	})

	It("has the requirements that failed first, each in a sentence that can be read alone, versions alike together",
		func() {
			wrong := func(v schemas.Version, actual string) report.Row {
				f := finding("e7", "/Flags")
				f.Actual = actual
				r := failing("2.1/Flags", v, f)
				r.Users = 12
				return r
			}
			v5, v6, other := wrong(schemas.V5, `"x"`), wrong(schemas.V6, `"x"`), wrong(schemas.V6, `"y"`)
			other.ID = "2.1/ModeType"
			other.Causes = append(other.Causes, report.Cause{Kind: "form", Pointer: "/Flags", Count: 1})
			doc := parsed(written(made(v5, v6, other), nil))
			Expect(words(under(doc, "failures").classed("which"))).To(Equal([]string{"2.1/Flags v5 and v6",
				"2.1/ModeType v6"}))
			Expect(words(under(doc, "failures").classed("causes"))).To(Equal([]string{
				`at /Flags: got "x", expected an integer`, `at /Flags: got "y", expected an integerform at /Flags, once`}))
			sections := doc.all(func(e element) bool { return e.Data == "section" && e.value("aria-labelledby") != "" })
			Expect([]string{sections[0].value("aria-labelledby"), sections[1].value("aria-labelledby")}).To(
				Equal([]string{"verdict", "failures"}))
		})

	It("is one pair of answers for a user, with all places marked, however many causes show in it", func() {
		var findings []report.Finding
		var causes []report.Cause
		for _, place := range []string{"/a", "/b", "/c"} {
			for _, ids := range [][2]string{{"e1", "e2"}, {"e3", "e4"}} {
				findings = append(findings, report.Finding{Against: ids[0], Exchange: ids[1], Kind: "value",
					Pointer: place, Expected: "what v5 shows", Actual: "v6 shows"})
			}
			causes = append(causes, report.Cause{Kind: "value", Pointer: place, Count: 2})
		}
		r := failing("9.3/getUserAuth/values", schemas.Parity, findings...)
		r.Causes = causes
		s := shelf{}
		for i, body := range []string{`{"a":1,"b":2,"c":3}`, `{"a":9,"b":8,"c":7}`} {
			for _, id := range [][]string{{"e1", "e3"}, {"e2", "e4"}}[i] {
				s[id] = kept(id, schemas.Versions()[i], body)
			}
		}
		entry := rowAt(parsed(written(made(r), s)), "9.3/getUserAuth/values/v5=v6")
		Expect(words(entry.classed("cause"))).To(Equal(
			[]string{"value at /a 2 times", "value at /b 2 times", "value at /c 2 times"}))
		Expect(entry.classed("diff")).To(HaveLen(2), "of two users")
		Expect(marked(only(entry.classed("diff")[0].tagged("tbody")))).To(
			ConsistOf(`"a": 1`, `"a": 9`, `"b": 2`, `"b": 8`, `"c": 3`, `"c": 7`))
		Expect(entry.classed("example")[0].classed("expected")).To(HaveLen(3))
	})

	It("has what stayed open by reason, once, with the waiver to paste", func() {
		witness, served := ledger.NoWitness, ledger.NotServed
		rows := []report.Row{row("2.1/Id", schemas.V5, ledger.Inconclusive),
			row("2.1/Id", schemas.V6, ledger.Inconclusive),
			row("2.1/Flags", schemas.V6, ledger.Inconclusive), row("4/x", schemas.V5, ledger.Inconclusive)}
		for i := range rows {
			rows[i].Witnesses, rows[i].Reason = 0, &witness
		}
		rows[3].Reason = &served
		doc := parsed(written(made(rows...), nil))
		open := under(doc, "open")
		Expect(words(open.tagged("p"))).To(Equal([]string{
			"1 check, not-served: no request that it depends on was served; check token, application id and users, then the failures.",
			"v5 4/x",
			"3 checks, no-witness: no record of the run showed a value; add a user who has one to the users file, or waive it.",
			"v5 2.1/Id",
			"v6 2.1/Id 2.1/Flags"}))
		Expect(only(open.tagged("pre")).text()).To(Equal("waivers:\n" +
			"  - {verdict: inconclusive, reason: no user of this target has a value, until: 2026-09-13,\n     requirement: [2.1/Id]}\n" +
			"  - {version: v6, verdict: inconclusive, reason: no user of this target has a value, until: 2026-09-13,\n     requirement: [2.1/Flags]}"))
		Expect(doc.classed("entry")).To(BeEmpty(), "a line is enough for each")
		rows[2].ID = "2.1/Id"
		Expect(words(under(parsed(written(made(rows[:2]...), nil)), "open").classed("ids"))).To(
			Equal([]string{"v5 and v6 2.1/Id"}))
	})
})
