package exchange

import (
	"strings"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/schemas"
)

// Curl is a shell line that repeats the request. The token comes from the environment and goes through a pipe, so that
// it stands neither in the line nor in the process list; random is the token that the target can't know; options are
// curl's own for TLS and headers, ready to use.
func (p Probe) Curl(url string, request *schemas.Schema, random, application string, options []string) string {
	call := []string{"curl", "-sS", "-i", "-X", p.Method(), shellescape.Quote(url)}
	call = append(call, options...)
	body := string(p.Body(request, Shown(random), application))
	if p.Kind == WrongMethod {
		return strings.Join(call, " ")
	}
	call = append(call, "-H", shellescape.Quote("Content-Type: "+p.ContentType()), "--data-binary", "@-")
	return "printf %s " + quoteWithVariables(body) + " | " + strings.Join(call, " ")
}

// quoteWithVariables quotes a body for the shell and leaves the placeholders of the tokens outside the quotes' reach. A
// placeholder stands in a JSON string of its own, so that a user id that merely reads like one stays quoted.
func quoteWithVariables(body string) string {
	quoted := shellescape.Quote(body)
	for placeholder, value := range map[string]string{Shown("").Real: Shown("").Real, Shown("").Changed: changed} {
		quoted = strings.Replace(quoted, `"`+AccessToken+`":"`+placeholder+`"`, `"`+AccessToken+`":"'"`+value+`"'"`, 1)
	}
	return quoted
}

// changed is the real token with a character in its middle changed (J13), as the shell works it out.
const changed = `$(printf %s "$AUTHN_ACCESS_TOKEN" | awk '{ m = int(length($0) / 2); c = substr($0, m + 1, 1); ` +
	`print substr($0, 1, m) (c == "x" ? "y" : "x") substr($0, m + 2) }')`
