package strictjson

import (
	"bytes"
	"html"
	"regexp"
	"strings"
)

// identify returns the fault of a body that is something else than JSON as a whole, such as an HTML page. It returns
// the given fault of any other body.
func identify(body []byte, fault *Error) *Error {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte(byteOrderMark)))
	detail := ""
	switch {
	case bytes.HasPrefix(body, []byte("\x1f\x8b")):
		detail = "gzip without its header Content-Encoding"
	case IsPage(text):
		detail = "an HTML page"
		if title := Title(text); title != "" {
			detail += " with the title " + quote(title)
		}
	case bytes.HasPrefix(text, []byte("<")):
		detail = "XML"
		if element := xmlElement.FindSubmatch(text[:min(len(text), maxOfPage)]); element != nil {
			detail += " with the element " + quote(string(element[1]))
		}
	default:
		return fault
	}
	return &Error{0, "", fault.Rule, detail}
}

// IsPage reports whether a text is an HTML page, by how it begins or by an element that only a page has.
func IsPage(text []byte) bool {
	text = text[:min(len(text), maxOfPage)]
	return bytes.HasPrefix(text, []byte("<")) && pageElement.Match(text)
}

// Title returns the title of an HTML page, or its first heading, on one line; "" if it has neither.
func Title(page []byte) string {
	page = page[:min(len(page), maxOfPage)]
	for _, element := range []*regexp.Regexp{titleElement, headingElement} {
		if found := element.FindSubmatch(page); found != nil {
			text := html.UnescapeString(tag.ReplaceAllString(string(found[1]), " "))
			if text = strings.Join(strings.Fields(text), " "); text != "" {
				return text
			}
		}
	}
	return ""
}

// maxOfPage is how many bytes of a page are read for its title.
const maxOfPage = 64 << 10

var (
	pageElement    = regexp.MustCompile(`(?i)<(?:!doctype html|html|head|body|title|h[1-3]|p)\b`)
	titleElement   = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title`)
	headingElement = regexp.MustCompile(`(?is)<h[1-3]\b[^>]*>(.*?)</h[1-3]`)
	xmlElement     = regexp.MustCompile(`<([A-Za-z_][\w:.-]*)`)
	tag            = regexp.MustCompile(`<[^>]*>`)
)
