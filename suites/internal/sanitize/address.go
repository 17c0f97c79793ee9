package sanitize

import (
	"cmp"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// secretsOf returns the secrets of the settings. What the value of a header, such as Origin or X-Tenant, has in common
// with the address of a target is no secret (J21): reports show that address.
func secretsOf(s *settings.Settings) (secrets []string) {
	var headers []string
	for _, t := range s.Targets {
		for _, h := range t.Headers {
			headers = append(headers, h.Value)
		}
	}
	address := string(fold([]byte(addressesOf(s))))
	for _, value := range s.Secrets {
		if slices.Contains(headers, value) && !slices.Contains(s.Tokens(), value) {
			secrets = append(secrets, withoutAddress(value, address)...)
		} else {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// addressesOf returns the URLs that are asked, one a line, each with and without its port.
func addressesOf(s *settings.Settings) string {
	var text strings.Builder
	for v, t := range s.Targets {
		if t.URL == nil {
			continue
		}
		port := cmp.Or(t.URL.Port(), map[string]string{"http": "80", "https": "443"}[t.URL.Scheme])
		for _, op := range schemas.Operations() {
			path := exchange.Probe{Operation: op, Version: v, Segment: string(v)}.Path()
			for _, host := range []string{t.URL.Host, t.URL.Hostname(), t.URL.Hostname() + ":" + port} {
				text.WriteString(t.URL.Scheme + "://" + host + t.URL.EscapedPath() + path + "\n")
				text.WriteString(t.URL.Scheme + "://" + host + path + "\n")
			}
		}
	}
	return text.String()
}

// withoutAddress returns the longest parts of a value of which no run (maxRun) is in the address, which is folded.
func withoutAddress(value, address string) (parts []string) {
	length, begin := min(maxRun, len(value)), -1
	for i := 0; i+length <= len(value); i++ {
		switch isOwn := strings.Contains(address, string(fold([]byte(value[i:i+length])))); {
		case isOwn:
			begin = -1
		case begin < 0:
			begin, parts = i, append(parts, value[i:i+length])
		default:
			parts[len(parts)-1] = value[begin : i+length]
		}
	}
	return parts
}
