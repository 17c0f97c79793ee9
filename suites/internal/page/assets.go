package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// policy returns the page's Content-Security-Policy. It allows only the page's own style and script, by their digests
// (CSP Level 3, section 2.3.1), and loads nothing. Images are allowed as data: URLs, because an empty icon keeps
// browsers from requesting one from the server.
func policy() string {
	return fmt.Sprintf(
		"default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'", source(style), source(script))
}

func source(content string) string {
	digest := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
}
