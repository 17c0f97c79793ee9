package page_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"authenticator-conformance/suites/internal/testkit"
)

// element is an element of a parsed page.
type element struct{ *html.Node }

// GomegaString keeps the message of a failed assertion from showing the whole tree.
func (e element) GomegaString() string { return "<" + e.Data + "> " + e.readText() }

// parsePage reads a page as a browser does.
func parsePage(text string) element {
	GinkgoHelper()
	return element{testkit.Must(html.Parse(strings.NewReader(text)))}
}

// findAll lists the elements below one for which a test holds, in their order.
func (e element) findAll(holds func(element) bool) []element {
	var list []element
	for n := range e.Descendants() {
		if n.Type == html.ElementNode && holds(element{n}) {
			list = append(list, element{n})
		}
	}
	return list
}

// withTag lists the elements of these names.
func (e element) withTag(names ...string) []element {
	return e.findAll(func(x element) bool { return slices.Contains(names, x.Data) })
}

// withClass lists the elements of a class.
func (e element) withClass(class string) []element {
	return e.findAll(func(x element) bool { return x.hasClass(class) })
}

// hasClass reports whether an element has a class.
func (e element) hasClass(class string) bool {
	return slices.Contains(strings.Fields(e.attributeValue("class")), class)
}

// hasAttribute reports whether an attribute is there.
func (e element) hasAttribute(name string) bool {
	return slices.ContainsFunc(e.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// attributeValue is the value of an attribute, "" if there is none.
func (e element) attributeValue(name string) string {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// readText is what is read of an element.
func (e element) readText() string {
	var out strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			out.WriteString(n.Data)
		}
	}
	return out.String()
}

// withValue is the one element with a value of an attribute.
func (e element) withValue(name, value string) element {
	GinkgoHelper()
	return onlyElement(e.findAll(func(x element) bool { return x.attributeValue(name) == value }))
}

// onlyElement is the one element of a list.
func onlyElement(list []element) element {
	GinkgoHelper()
	Expect(list).To(HaveLen(1))
	return list[0]
}

// markedTexts are the texts that a page marks, without the word that is there for those who hear it.
func markedTexts(e element) []string {
	texts := []string{}
	for _, m := range e.withTag("mark") {
		texts = append(texts, strings.TrimPrefix(m.readText(), "marked: "))
	}
	return texts
}
