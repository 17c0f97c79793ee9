package exchange

import (
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// Curl is a shell line that repeats the request. The token comes from the environment and goes through a pipe, so that it
// stands neither in the line nor in the process list; options are curl's own for TLS and headers, ready to use.
func (p Probe) Curl(url string, fields []string, application string, options []string) string {
	call := []string{"curl", "-sS", "-i", "-X", p.Method(), shellescape.Quote(url)}
	call = append(call, options...)
	body := string(p.Body(fields, Placeholders(), application))
	if p.Alteration == WrongMethod {
		return strings.Join(call, " ")
	}
	call = append(call, "-H", shellescape.Quote("Content-Type: "+p.ContentType()), "--data-binary", "@-")
	return "printf %s " + quoteWithVariables(body) + " | " + strings.Join(call, " ")
}

// quoteWithVariables quotes a body for the shell and leaves the placeholders of the tokens outside the quotes' reach. A
// placeholder stands in a JSON string of its own, so that a user id that merely reads like one stays quoted.
func quoteWithVariables(body string) string {
	tokens := Placeholders()
	quoted := shellescape.Quote(body)
	for _, name := range []string{tokens.Real, tokens.Random, tokens.Changed} {
		quoted = strings.Replace(quoted, `"`+AccessToken+`":"`+name+`"`, `"`+AccessToken+`":"'"`+name+`"'"`, 1)
	}
	return quoted
}
