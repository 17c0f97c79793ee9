package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
)

// assets are the page's style and script, and the policy that lets a browser run these two and load nothing else.
// Images are allowed as data only: an empty icon keeps browsers from asking the server for one.
func assets() (style template.CSS, script template.JS, policy string, err error) {
	css, err := files.ReadFile("page.css")
	if err != nil {
		return "", "", "", err
	}
	js, err := files.ReadFile("page.js")
	if err != nil {
		return "", "", "", err
	}
	policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'; "+
		"require-trusted-types-for 'script'; trusted-types 'none'", source(css), source(js))
	return template.CSS(css), template.JS(js), policy, nil
}

// source names a style or script in a policy by its digest (CSP Level 3, section 2.3.1).
func source(content []byte) string {
	digest := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
}
