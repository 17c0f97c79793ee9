package exchange

import (
	"strings"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/schemas"
)

// Curl returns a curl command that sends the request again. The token comes from the environment through a pipe, so
// that neither the command nor the process list contains it. Random is the token unknown to the target. Options are
// curl's own for TLS and headers, already quoted.
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

// quoteWithVariables quotes a body for the shell, except the placeholders of the tokens. A placeholder is always a
// whole JSON string, so a user id that contains one stays quoted.
func quoteWithVariables(body string) string {
	quoted := shellescape.Quote(body)
	for placeholder, value := range map[string]string{Shown("").Real: Shown("").Real, Shown("").Changed: changed} {
		quoted = strings.Replace(quoted, `"`+AccessToken+`":"`+placeholder+`"`, `"`+AccessToken+`":"'"`+value+`"'"`, 1)
	}
	return quoted
}

// changed is shell code that prints the real token with its middle character changed (J13).
const changed = `$(printf %s "$AUTHN_ACCESS_TOKEN" | awk '{ m = int(length($0) / 2); c = substr($0, m + 1, 1); ` +
	`print substr($0, 1, m) (c == "x" ? "y" : "x") substr($0, m + 2) }')`
