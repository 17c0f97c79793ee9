package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
)

// reportOfEverything is a page on which each part stands: it is of no real run.
func reportOfEverything() *report.Report {
	no, yes, one, other := false, true, "200", "404"
	reason := ledger.NoWitness
	waived := failingRow("2.1/Id", schemas.V5, findingAt("e3", "/Id"))
	waived.Waiver = &report.Waiver{Reason: "the owner knows", Until: "2027-01-31"}
	knownRow := failingRow("2.1/Flags", schemas.V5, findingAt("e4", "/Flags"))
	knownRow.Known = true
	undecided := rowOf("2.1/Device", schemas.V6, ledger.Inconclusive)
	undecided.Reason, undecided.Notes = &reason, []string{"a member device was seen"}
	parity := failingRow("9.3/getUserAuth/values", schemas.Parity,
		report.Finding{Exchange: "e6", Against: "e5", Pointer: "/Flags", Kind: "value"})
	parity.Section = "9.3"
	r := madeReport(failingRow("2.1/CreatedOn", schemas.V5, findingAt("e1", "/CreatedOn"), findingAt("e2",
		"/CreatedOn")),
		rowOf("2.1/CreatedOn", schemas.V6, ledger.Pass), waived, knownRow, undecided, parity)
	r.Observations = []report.Observation{
		{ID: "open/4.3/cardinality", Section: "4.3", Operation: schemas.GetUserAuth, Statement: "How many.",
			Seen: report.Seen{schemas.V5: {Text: one}, schemas.V6: {Text: one}}, Agree: &yes, Compared: true},
		{ID: "open/4.3/status", Section: "4.3", Operation: schemas.GetUserAuth, Statement: "Which status.",
			Seen: report.Seen{schemas.V5: {Text: one}, schemas.V6: {Text: other}}, Agree: &no, Compared: true},
		{ID: "open/8/latency", Section: "8", Operation: schemas.GetUserAuth, Statement: "How long.",
			Seen: report.Seen{schemas.V5: {Text: one}}},
	}
	r.Excluded = []report.Excluded{{ID: "excluded/6/events", Section: "6", Statement: "Which events.",
		Reason: "They go elsewhere."}}
	r.Volatile = []report.Volatile{{Operation: schemas.GetUserAuth, Pointer: "/Comment"}}
	r.Notes, r.Stale, r.Missing = []string{"a note"}, []string{"a stale waiver"}, []string{"e99"}
	r.Gate = &report.Gate{
		New: []report.Entry{{Requirement: "2.1/CreatedOn", Version: schemas.V5, Kind: "form", Pointer: "/CreatedOn",
			Count: 2}},
		Stale: []report.Entry{{Requirement: "2.1/Gone", Version: schemas.V5, Kind: "form", Count: 1}},
		Known: []report.Entry{{Requirement: "2.1/Flags", Version: schemas.V5, Kind: "type", Pointer: "/Flags",
			Count: 1}},
		Changed: []report.Changed{{ID: "open/4.3/status", Operation: schemas.GetUserAuth, Version: schemas.V6,
			Was: "200", Is: "404"}},
	}
	r.Settings = []report.Setting{{Name: "access token", Value: "set", Source: "AUTHN_ACCESS_TOKEN"}}
	r.Suite.Commit, r.Suite.Go = "0123abc", "go1.26"
	r.Suite.Libraries, r.Suite.Files = map[string]string{"b": "v2", "a": "v1"},
		map[string]string{"z.json": "sha256:2", "y.yaml": "sha256:1"}
	return r
}

func everyExchange() shelf {
	s := shelf{}
	for id, body := range map[string]string{"e1": `{"CreatedOn":"x"}`, "e2": `[{"CreatedOn":"x"}]`, "e3": `no JSON`,
		"e4": `{"Flags":"x"}`, "e5": `{"Flags":1,"Id":"a"}`, "e6": `{"Flags":2,"Id":"a"}`} {
		s[id] = keptExchange(id, schemas.V5, body)
	}
	s["e6"].Probe.Version = schemas.V6
	return s
}

var _ = Describe("The page's form", func() {
	pages := map[string]func() string{
		"a passing run": func() string { return runAgainst(referenceFor(fixtureUsers()), fixtureUsers()).page() },
		"a failing run": func() string {
			return runMutant("created-on-two-digit-fraction-one-user-v5").page()
		},
		"a difference between versions": func() string { return runMutant("get-user-auth-values-locked-v6").page() },
		"a run with waivers":            func() string { return pageOf(reportOfEverything(), everyExchange()) },
		"a run without exchanges":       func() string { return pageOf(reportOfEverything(), nil) },
		"a run that could not begin": func() string {
			return pageOf(report.Failed("sha256:00", ended, ended, "no users\nfile"), nil)
		},
		"a run that has not ended": func() string { return pageOf(report.Unfinished("sha256:00", ended), nil) },
		"a run of one version": func() string {
			return runAgainst(referenceFor(fixtureUsers()), fixtureUsers(), func(s *settings.Settings) {
				s.Versions = []schemas.Version{schemas.V6}
			}).page()
		},
		"an empty report": func() string { return pageOf(&report.Report{}, nil) },

		"a passing sweep":          func() string { return sweptPage(allEqual(2000)) },
		"a failing sweep":          func() string { return sweptPage(mixedSweepOf(1400)) },
		"a sweep that was stopped": func() string { return sweptPage(stoppedSweep()) },
		"a sweep that could not begin": func() string {
			return sweptPage(stats.Empty(report.Suite{Name: report.Name}, ended, "no users\nfile"))
		},
		"a summary that holds nothing":   func() string { return sweptPage(&stats.Summary{}) },
		"a sweep with causes like twins": func() string { return sweptPage(duplicateUsers()) },
	}
	names, texts := []string{}, map[string]string{}
	for name := range pages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		Describe("of "+name, func() {
			var doc element
			BeforeEach(func() {
				if texts[name] == "" {
					texts[name] = pages[name]()
				}
				doc = parsePage(texts[name])
			})

			It("has ids that are unique, and links that lead to one of them", func() {
				ids := map[string]int{}
				for _, e := range doc.all(func(e element) bool { return e.value("id") != "" }) {
					ids[e.value("id")]++
					Expect(e.value("id")).NotTo(MatchRegexp(`\s`))
				}
				Expect(ids).To(HaveEach(1))
				for _, a := range doc.tagged("a") {
					link, err := url.Parse(a.value("href"))
					Expect(err).NotTo(HaveOccurred())
					if a.value("href") == stats.FindingsFile { // beside the page
						continue
					}
					Expect(link.Scheme + link.Host + link.Path).To(BeEmpty())
					Expect(ids).To(HaveKey(link.Fragment), "%s leads nowhere", a.value("href"))
				}
				for _, key := range []string{"aria-labelledby", "aria-describedby", "for"} {
					for _, e := range doc.all(func(e element) bool { return e.value(key) != "" }) {
						Expect(ids).To(HaveKey(e.value(key)))
					}
				}
			})

			It("loads nothing, runs nothing but its own script, and says so in its policy", func() {
				for _, e := range doc.all(func(element) bool { return true }) {
					for _, a := range e.Attr {
						Expect(a.Key).NotTo(HavePrefix("on"), "%s of %s", a.Key, e.Data)
						Expect(a.Key).NotTo(BeElementOf("style", "src", "srcset", "action", "formaction", "background",
							"ping", "poster", "data"))
					}
				}
				for _, link := range doc.tagged("link") {
					Expect(link.value("href")).To(Equal("data:,"), "no icon is asked for")
				}
				style, script := onlyElement(doc.tagged("style")).text(), onlyElement(doc.tagged("script")).text()
				Expect(style).NotTo(MatchRegexp(`(?i)url\(|@import|//[a-z]`))
				Expect(script).NotTo(MatchRegexp(
					`innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|fetch\(|XMLHttp|import\(`))
				policy := onlyElement(doc.all(func(e element) bool {
					return e.value("http-equiv") == "Content-Security-Policy"
				})).value("content")
				digest := func(s string) string {
					sum := sha256.Sum256([]byte(s))
					return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
				}
				Expect(strings.Split(policy, "; ")).To(
					ConsistOf("default-src 'none'", "style-src "+digest(style), "script-src "+digest(script),
						"img-src data:", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
						"trusted-types 'none'"))
				Expect(onlyElement(doc.all(func(e element) bool { return e.value("name") == "referrer" })).value(
					"content")).To(Equal("no-referrer"))
			})

			It("has a language, a title that begins with the verdict, landmarks, and headings in order", func() {
				Expect(onlyElement(doc.tagged("html")).value("lang")).To(Equal("en"))
				h1 := onlyElement(doc.tagged("h1"))
				verdict := strings.Fields(h1.text())[1]
				Expect(onlyElement(onlyElement(doc.tagged("head")).tagged("title")).text()).To(
					HavePrefix(strings.ToUpper(verdict) + " · "))
				onlyElement(doc.tagged("main"))
				onlyElement(doc.tagged("nav"))
				level := 0
				heading := regexp.MustCompile(`^h[1-6]$`)
				for _, h := range doc.all(func(e element) bool { return heading.MatchString(e.Data) }) {
					now := int(h.Data[1] - '0')
					Expect(now).To(BeNumerically("<=", level+1), "%s %q", h.Data, h.text())
					Expect(strings.TrimSpace(h.text())).NotTo(BeEmpty())
					level = now
				}
				Expect(doc.tagged("body")[0].tagged("a")[0].is("skip")).To(BeTrue(),
					"the first link skips to the content")
			})

			It("has tables with captions and heads, and controls with labels", func() {
				for _, table := range doc.tagged("table") {
					onlyElement(table.tagged("caption"))
					Expect(table.tagged("th")).NotTo(BeEmpty())
					for _, th := range table.tagged("th") {
						Expect(th.value("scope")).To(BeElementOf("row", "col"))
					}
				}
				labels := []string{}
				for _, l := range doc.tagged("label") {
					labels = append(labels, l.value("for"))
				}
				for _, control := range doc.all(
					func(e element) bool { return e.Data == "select" || e.Data == "input" }) {
					Expect(labels).To(ContainElement(control.value("id")))
				}
				for _, button := range doc.tagged("button") {
					Expect(button.value("type")).To(Equal("button"))
					Expect(button.text()).NotTo(BeEmpty())
				}
			})

			It("shows no control that needs the script, unless it runs", func() {
				for _, control := range doc.all(func(e element) bool {
					return e.Data == "select" || e.Data == "input" || e.Data == "button"
				}) {
					hidden := false
					for n := control.Node; n != nil; n = n.Parent {
						for _, a := range n.Attr {
							hidden = hidden || a.Key == "hidden"
						}
					}
					Expect(hidden).To(BeTrue(), control.text())
				}
			})
		})
	}

	It("is a function of the report and the exchanges: the same bytes, however often it is written", func() {
		c := runMutant("get-user-auth-values-locked-v6")
		for range 2 {
			Expect(c.page()).To(Equal(c.page()))
			Expect(pageOf(reportOfEverything(), everyExchange())).To(Equal(pageOf(reportOfEverything(),
				everyExchange())))
			Expect(sweptPage(mixedSweepOf(1400))).To(Equal(sweptPage(mixedSweepOf(1400))))
		}
	})
})
