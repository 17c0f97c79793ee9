package page_test

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// An outline is a page as a text: a line for each part that stands for itself, what is folded below its summary (▸, and
// ▾ if it is open), links with where they lead, what is marked between « and », and what only those who hear it get
// between { and }.
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
	case n.Data == "meter":
		fmt.Fprintf(&o.line, " (%s of %s)", e.attributeValue("value"), e.attributeValue("max"))
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
