package requests

import (
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"

	"al.essio.dev/pkg/shellescape"
)

// Curl returns a curl command that sends a probe again. The token comes from where the run took it, through a pipe, so
// that neither the command nor the process list contains it. A Go program's token is expected in the environment. The function makes each part of the command safe to show before
// it is quoted, as a pseudonym may need quotes too.
func (r *Requests) Curl(p exchange.Probe, clean func(string) string) string {
	call := []string{"curl", "-sS", "-i", "-X", p.Method(), shellescape.Quote(clean(r.URL(p)))}
	line := strings.Join(append(call, r.curlOptions(clean)...), " ")
	if p.Kind != exchange.WrongMethod {
		body := p.Body(r.contract.Of(p.Version).Request(p.Operation), exchange.Shown(r.Unknown), clean(r.settings.ApplicationID))
		line = "printf %s " + quoteWithVariables(string(body), r.token(clean)) + " | " + line +
			" -H " + shellescape.Quote("Content-Type: "+p.ContentType()) + " --data-binary @-"
	}
	if r.settings.Program {
		line = `: "${` + tokenVariable + `:?export it first: the token of Config.AccessToken}"; ` + line
	}
	return line
}

// tokenVariable is the environment variable of the token.
const tokenVariable = "AUTHN_ACCESS_TOKEN"

// token returns shell code, to stand between double quotes, for the token.
func (r *Requests) token(clean func(string) string) string {
	if r.settings.TokenFile != "" {
		return "$(cat " + shellescape.Quote(clean(r.settings.TokenFile)) + ")"
	}
	return "$" + tokenVariable
}

// quoteWithVariables quotes a body for the shell, except the placeholders of the tokens. A placeholder is always a
// whole JSON string, so a user id that contains one stays quoted.
func quoteWithVariables(body, token string) string {
	quoted, shown, member := shellescape.Quote(body), exchange.Shown(""), `"`+exchange.AccessToken+`":`
	for placeholder, value := range map[string]string{shown.Real: token, shown.Changed: changed(token)} {
		quoted = strings.Replace(quoted, member+`"`+placeholder+`"`, member+`"'"`+value+`"'"`, 1)
	}
	return quoted
}

// changed returns shell code for the real token with its middle character changed (J13).
func changed(token string) string {
	return `$(printf %s "` + token + `" | awk '{ m = int(length($0) / 2); c = substr($0, m + 1, 1); ` +
		`print substr($0, 1, m) (c == "x" ? "y" : "x") substr($0, m + 2) }')`
}

// curlOptions returns curl's options for TLS files and extra headers. Header values are secrets, so variables replace
// them.
func (r *Requests) curlOptions(clean func(string) string) []string {
	var options []string
	for _, file := range []struct{ option, path string }{
		{"--cacert", r.settings.CAFile}, {"--cert", r.settings.ClientCertFile}, {"--key", r.settings.ClientKeyFile},
	} {
		if file.path != "" {
			options = append(options, file.option, shellescape.Quote(clean(file.path)))
		}
	}
	for _, h := range r.settings.Headers {
		name := clean(h.Name)
		options = append(options, "-H", `"`+name+`: $`+variable(name)+`"`)
	}
	return options
}

// variable returns a shell variable's name for a header's name.
func variable(header string) string {
	return "HEADER_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		if (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, header)
}
