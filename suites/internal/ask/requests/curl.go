package requests

import (
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"

	"al.essio.dev/pkg/shellescape"
)

// Curl returns a curl command that sends a probe again. The token comes from the environment through a pipe, so that
// neither the command nor the process list contains it. The function makes each part of the command safe to show before
// it is quoted, as what takes its place may need quotes too.
func (r *Requests) Curl(p exchange.Probe, clean func(string) string) string {
	call := []string{"curl", "-sS", "-i", "-X", p.Method(), shellescape.Quote(clean(r.URL(p)))}
	line := strings.Join(append(call, r.curlOptions(clean)...), " ")
	if p.Kind != exchange.WrongMethod {
		body := p.Body(r.contract.Of(p.Version).Request(p.Operation), exchange.Shown(r.Unknown),
			clean(r.settings.ApplicationID))
		line = "printf %s " + quoteWithVariables(string(body)) + " | " + line +
			" -H " + shellescape.Quote("Content-Type: "+p.ContentType()) + " --data-binary @-"
	}
	return line
}

// quoteWithVariables quotes a body for the shell, except the placeholders of the tokens. A placeholder is always a
// whole JSON string, so a user id that contains one stays quoted.
func quoteWithVariables(body string) string {
	quoted, shown, member := shellescape.Quote(body), exchange.Shown(""), `"`+exchange.AccessToken+`":`
	for placeholder, value := range map[string]string{shown.Real: shown.Real, shown.Changed: changed} {
		quoted = strings.Replace(quoted, member+`"`+placeholder+`"`, member+`"'"`+value+`"'"`, 1)
	}
	return quoted
}

// changed is shell code that prints the real token with its middle character changed (J13).
const changed = `$(printf %s "$AUTHN_ACCESS_TOKEN" | awk '{ m = int(length($0) / 2); c = substr($0, m + 1, 1); ` +
	`print substr($0, 1, m) (c == "x" ? "y" : "x") substr($0, m + 2) }')`

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
