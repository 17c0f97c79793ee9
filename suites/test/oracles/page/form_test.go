package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report/stats"
)

// expectForm expects of a page what each page must have, whatever it shows.
func expectForm(doc element) {
	GinkgoHelper()
	expectUniqueIDs(doc)
	expectPolicy(doc)
	expectLandmarks(doc)
	expectLabels(doc)
}

// expectUniqueIDs expects that no two elements have an id, and that what refers to one leads to it.
func expectUniqueIDs(doc element) {
	GinkgoHelper()
	ids := map[string]int{}
	for _, e := range doc.findAll(func(e element) bool { return e.hasAttribute("id") }) {
		ids[e.attributeValue("id")]++
	}
	Expect(ids).To(And(HaveEach(1), Not(HaveKey(MatchRegexp(`\s|^$`)))))
	for _, a := range doc.withTag("a") {
		link, err := url.Parse(a.attributeValue("href"))
		Expect(err).NotTo(HaveOccurred())
		if link.String() == stats.FindingsFile { // beside the page
			continue
		}
		Expect(link.Scheme + link.Host + link.Path).To(BeEmpty())
		Expect(ids).To(HaveKey(link.Fragment), "%s leads nowhere", link)
	}
	for _, key := range []string{"aria-labelledby", "aria-describedby", "for"} {
		for _, e := range doc.findAll(func(e element) bool { return e.hasAttribute(key) }) {
			Expect(ids).To(HaveKey(e.attributeValue(key)))
		}
	}
}

// expectPolicy expects that a page loads nothing, that it runs nothing but its own script, and that its policy says so.
func expectPolicy(doc element) {
	GinkgoHelper()
	for _, e := range doc.findAll(func(element) bool { return true }) {
		for _, a := range e.Attr {
			Expect(a.Key).NotTo(MatchRegexp(`^(on.*|style|src|srcset|action|formaction|background|ping|poster|data)$`),
				"%s of %s", a.Key, e.Data)
		}
	}
	Expect(onlyElement(doc.withTag("link")).attributeValue("href")).To(Equal("data:,"), "no icon is asked for")
	style, script := onlyElement(doc.withTag("style")).readText(), onlyElement(doc.withTag("script")).readText()
	Expect(style).NotTo(MatchRegexp(`(?i)url\(|@import|//[a-z]`))
	Expect(script).NotTo(MatchRegexp(
		`innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|fetch\(|XMLHttp|import\(`))
	digest := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := doc.withValue("http-equiv", "Content-Security-Policy").attributeValue("content")
	Expect(strings.Split(policy, "; ")).To(ConsistOf("default-src 'none'", "style-src "+digest(style),
		"script-src "+digest(script), "img-src data:", "base-uri 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'"))
	Expect(doc.withValue("name", "referrer").attributeValue("content")).To(Equal("no-referrer"))
}

// expectLandmarks expects a language, a title that begins with the verdict, landmarks, and headings in order.
func expectLandmarks(doc element) {
	GinkgoHelper()
	Expect(onlyElement(doc.withTag("html")).attributeValue("lang")).To(Equal("en"))
	_, verdict, _ := strings.Cut(strings.Join(strings.Fields(onlyElement(doc.withTag("h1")).readText()), " "), " ")
	Expect(onlyElement(doc.withTag("title")).readText()).To(HavePrefix(strings.ToUpper(verdict) + " · "))
	onlyElement(doc.withTag("main"))
	onlyElement(doc.withTag("nav"))
	level := 0
	heading := regexp.MustCompile(`^h[1-6]$`)
	for _, h := range doc.findAll(func(e element) bool { return heading.MatchString(e.Data) }) {
		now := int(h.Data[1] - '0')
		Expect(now).To(BeNumerically("<=", level+1), "%s %q", h.Data, h.readText())
		Expect(strings.TrimSpace(h.readText())).NotTo(BeEmpty())
		level = now
	}
	Expect(doc.withTag("a")[0].hasClass("skip")).To(BeTrue(), "the first link skips to the content")
}

// expectLabels expects tables with captions and heads, and controls with labels that are hidden until the script runs.
func expectLabels(doc element) {
	GinkgoHelper()
	for _, table := range doc.withTag("table") {
		onlyElement(table.withTag("caption"))
		Expect(table.withTag("th")).NotTo(BeEmpty())
		for _, th := range table.withTag("th") {
			Expect(th.attributeValue("scope")).To(BeElementOf("row", "col"))
		}
	}
	for _, control := range doc.withTag("select", "input", "button") {
		if control.Data == "button" {
			Expect(control.attributeValue("type")).To(Equal("button"))
			Expect(control.readText()).NotTo(BeEmpty())
		} else {
			doc.withValue("for", control.attributeValue("id"))
		}
		hidden := false
		for n := control.Node; n != nil; n = n.Parent {
			hidden = hidden || element{n}.hasAttribute("hidden")
		}
		Expect(hidden).To(BeTrue(), control.readText())
	}
}
