package page

import (
	"fmt"
	"strings"
)

// anchors are the ids in use. The ids of a page must be unique.
type anchors map[string]bool

// add returns a new id made of parts, such as 2.1/CreatedOn/v5. A character that a URL's fragment would have to escape
// becomes an underscore, so that id and fragment are equal (RFC 3986, section 3.5). Every such id has a slash; the ids
// in the templates have none.
func (a anchors) add(parts ...string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-._~/=", r):
			return r
		}
		return '_'
	}, strings.Join(parts, "/"))
	if name = name[:min(len(name), longestAnchor)]; !strings.Contains(name, "/") {
		name = "/" + name
	}
	id := name
	for i := 2; a[id]; i++ {
		id = fmt.Sprintf("%s~%d", name, i)
	}
	a[id] = true
	return id
}

// longestAnchor is the maximum length of an id in bytes. The ids of the catalogue are far shorter.
const longestAnchor = 120
