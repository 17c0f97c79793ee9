package requests

import (
	"cmp"
	"fmt"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"

	"al.essio.dev/pkg/shellescape"
)

// Curl returns a curl command that sends a probe again. The token comes from the environment through a pipe, so that
// neither the command nor the process list contains it. The function makes each part of the command safe to show before
// it is quoted, as what takes its place may need quotes too.
func (r *Requests) Curl(p exchange.Probe, clean func(string) string) string {
	call := []string{"curl", "-sS", "-i", "-X", p.Method(), shellescape.Quote(clean(r.URL(p)))}
	line := strings.Join(append(call, curlOptions(p.Version, r.settings.Targets[p.Version], clean)...), " ")
	if p.Kind != exchange.WrongMethod {
		target := r.settings.Targets[p.Version]
		body := p.Body(r.contract.Of(p.Version).Request(p.Operation), exchange.Shown(r.Unknown[p.Version]),
			clean(target.ApplicationID))
		line = "printf %s " + quoteWithVariables(string(body), r.tokenSource(p.Version, clean)) + " | " + line +
			" -H " + shellescape.Quote("Content-Type: "+p.ContentType()) + " --data-binary @-"
	}
	if r.settings.Program {
		field := strings.ReplaceAll(settings.ForVersion("Config.AccessToken", r.ownToken(p.Version)), `"`, "'")
		line = `: "${` + r.tokenVariable(p.Version) + `:?export it first: the token of ` + field + `}"; ` + line
	}
	return line
}

// ownToken returns a version if a token was given for it alone; else "".
func (r *Requests) ownToken(v schemas.Version) schemas.Version {
	if r.settings.Targets[v].HasOwnToken {
		return v
	}
	return ""
}

// tokenVariable returns the environment variable of a version's token. Where the token comes from elsewhere, that is
// what a shell needs to be given.
func (r *Requests) tokenVariable(v schemas.Version) string {
	return cmp.Or(r.settings.Targets[v].TokenVariable, settings.ForVersion(tokenVariable, r.ownToken(v)))
}

// tokenVariable is the environment variable of the token.
const tokenVariable = "AUTHN_ACCESS_TOKEN"

// quoteWithVariables quotes a body for the shell, except the placeholders of the tokens. A placeholder is always a
// whole JSON string, so a user id that contains one stays quoted.
func quoteWithVariables(body, token string) string {
	quoted, shown, member := shellescape.Quote(body), exchange.Shown(""), `"`+exchange.AccessToken+`":`
	for placeholder, value := range map[string]string{shown.Real: token, shown.Changed: fmt.Sprintf(changed, token)} {
		quoted = strings.Replace(quoted, member+`"`+placeholder+`"`, member+`"'"`+value+`"'"`, 1)
	}
	return quoted
}

// tokenSource is shell code for the real token, from where the settings have it.
func (r *Requests) tokenSource(v schemas.Version, clean func(string) string) string {
	if file := r.settings.Targets[v].TokenFile; file != "" {
		return "$(cat " + shellescape.Quote(clean(file)) + ")"
	}
	return "$" + r.tokenVariable(v)
}

// changed is shell code that prints the real token with the character changed that exchange.BadTokens changes (J13).
const changed = `$(printf %%s "%s" | awk -F'[.]' '{ n = length(NF > 2 && $NF != "" ? $NF : $0); ` +
	`m = length($0) - n + int(n / 2); while (m + 1 < length($0) && substr($0, m + 1, 1) !~ /[0-9A-Za-z]/) m++; ` +
	`c = substr($0, m + 1, 1); k = c ~ /[0-9]/ ? "01" : c ~ /[A-Z]/ ? "AB" : "ab"; ` +
	`print substr($0, 1, m) substr(k, 1 + (index(k, c) == 1), 1) substr($0, m + 2) }')`

// curlOptions returns curl's options for TLS files, the proxy and extra headers. Header values are secrets, so
// variables replace them. A proxy of HTTPS_PROXY is known to curl.
func curlOptions(v schemas.Version, t *settings.Target, clean func(string) string) []string {
	var options []string
	for _, file := range []struct{ option, path string }{
		{"--cacert", t.CAFile}, {"--cert", t.ClientCertFile}, {"--key", t.ClientKeyFile},
	} {
		if file.path != "" {
			options = append(options, file.option, shellescape.Quote(clean(file.path)))
		}
	}
	for _, h := range t.Headers {
		name := clean(h.Name)
		value := "HEADER_" + variable(name)
		if t.HasOwnHeaders {
			value += "_" + strings.ToUpper(string(v))
		}
		options = append(options, "-H", `"`+name+`: $`+value+`"`)
	}
	switch p := t.Proxy; {
	case p != nil && strings.HasPrefix(p.Variable, "AUTHN_"):
		options = append(options, "--proxy", `"$`+p.Variable+`"`)
	case p != nil && !strings.HasSuffix(strings.ToUpper(p.Variable), "_PROXY"):
		options = append(options, "--proxy", shellescape.Quote(clean(p.Shown)))
	}
	return options
}

// variable returns the end of a shell variable's name for a header's name.
func variable(header string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		if (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, header)
}
