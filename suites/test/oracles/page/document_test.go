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

// An outline is a page as a text: a line for each part that stands for itself, what is folded below its summary (▸,
// and ▾ if it is open), links with where they lead, what is marked between « and », and what only those who hear it
// get between { and }.
type outline struct {
	text strings.Builder
	line strings.Builder
}

// blocks are the elements that begin and end a line.
var blocks = strings.Fields("p div section tr caption nav main footer br form select")

func outlineOf(e element) string {
	o := &outline{}
	o.writeChildren(e.Node, "")
	o.endLine("")
	return o.text.String()
}

// endLine ends a line.
func (o *outline) endLine(indent string) {
	if text := strings.Join(strings.Fields(o.line.String()), " "); text != "" {
		o.text.WriteString(indent + text + "\n")
	}
	o.line.Reset()
}

func (o *outline) writeChildren(n *html.Node, indent string) {
	for c := range n.ChildNodes() {
		o.writeNode(c, indent)
	}
}

// writeWithin writes what is in a node between two texts.
func (o *outline) writeWithin(n *html.Node, before, after, indent string) {
	o.line.WriteString(before)
	o.writeChildren(n, indent)
	o.line.WriteString(after)
}

func (o *outline) writeNode(n *html.Node, indent string) {
	e := element{n}
	switch {
	case n.Type == html.TextNode:
		o.line.WriteString(n.Data)
	case n.Type != html.ElementNode || n.Data == "style" || n.Data == "script" || n.Data == "title":
	case n.Data == "pre":
		o.endLine(indent)
		for line := range strings.Lines(strings.TrimSuffix(e.readText(), "\n")) {
			o.text.WriteString(indent + "| " + strings.TrimSuffix(line, "\n") + "\n")
		}
	case n.Data == "a":
		o.writeWithin(n, "[", "]("+e.attributeValue("href")+")", indent)
	case n.Data == "mark":
		o.writeWithin(n, "«", "»", indent)
	case e.hasClass("unseen"):
		o.writeWithin(n, "{", "}", indent)
	case n.Data == "option":
		o.writeWithin(n, " ", ",", indent)
	case n.Data == "td" || n.Data == "th":
		o.writeWithin(n, "", " | ", indent)
	case n.Data == "dt":
		o.endLine(indent)
		o.writeWithin(n, "", ": ", indent)
	case n.Data == "dd":
		o.writeChildren(n, indent)
		o.endLine(indent)
	case n.Data == "summary":
		o.endLine(indent)
		sign := "▸ "
		if (element{n.Parent}).hasAttribute("open") {
			sign = "▾ "
		}
		o.writeWithin(n, sign, "", indent)
		o.endLine(strings.TrimPrefix(indent, "  "))
	case n.Data == "details":
		o.endLine(indent)
		o.writeChildren(n, indent+"  ")
		o.endLine(indent + "  ")
	case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] != 'r':
		o.endLine(indent)
		o.writeWithin(n, strings.Repeat("#", int(n.Data[1]-'0'))+" ", "", indent)
		o.endLine(indent)
	case n.Data == "li":
		o.endLine(indent)
		o.writeWithin(n, "- ", "", indent)
		o.endLine(indent)
	case slices.Contains(blocks, n.Data):
		o.endLine(indent)
		o.writeChildren(n, indent)
		o.endLine(indent)
	default:
		o.writeChildren(n, indent)
	}
}
