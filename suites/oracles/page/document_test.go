package page_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
)

// element is an element of a parsed page.
type element struct{ *html.Node }

// GomegaString keeps the message of a failed assertion from showing the whole tree.
func (e element) GomegaString() string { return "<" + e.Data + "> " + e.text() }

// parsePage reads a page as a browser does.
func parsePage(text string) element {
	GinkgoHelper()
	doc, err := parseHTML(text)
	Expect(err).NotTo(HaveOccurred())
	return doc
}

func parseHTML(text string) (element, error) {
	root, err := html.Parse(strings.NewReader(text))
	return element{root}, err
}

// all lists the elements below one for which a test holds, in their order.
func (e element) all(contains func(element) bool) []element {
	var list []element
	for n := range e.Descendants() {
		if n.Type == html.ElementNode && contains(element{n}) {
			list = append(list, element{n})
		}
	}
	return list
}

// tagged lists the elements of a name.
func (e element) tagged(name string) []element {
	return e.all(func(x element) bool { return x.Data == name })
}

// classed lists the elements of a class.
func (e element) classed(class string) []element {
	return e.all(func(x element) bool { return x.is(class) })
}

// is reports whether an element has a class.
func (e element) is(class string) bool {
	for _, c := range strings.Fields(e.value("class")) {
		if c == class {
			return true
		}
	}
	return false
}

// value is that of an attribute, "" where there is none.
func (e element) value(name string) string {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text is what is read of an element.
func (e element) text() string {
	var out strings.Builder
	for n := range e.Descendants() {
		if n.Type == html.TextNode {
			out.WriteString(n.Data)
		}
	}
	return out.String()
}

// wordsOf are the texts of elements, white space made one.
func wordsOf(list []element) []string {
	texts := []string{}
	for _, e := range list {
		texts = append(texts, strings.Join(strings.Fields(e.text()), " "))
	}
	return texts
}

// byID finds the one element with an id.
func (e element) byID(id string) element {
	GinkgoHelper()
	found := e.all(func(x element) bool { return x.value("id") == id })
	Expect(found).To(HaveLen(1), "elements with the id %q", id)
	return found[0]
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
	for _, m := range e.tagged("mark") {
		texts = append(texts, strings.TrimPrefix(m.text(), "marked: "))
	}
	return texts
}
