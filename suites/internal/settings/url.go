package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"authenticator-conformance/suites/internal/settings/input"
)

const maxPort = 65535

// baseURL parses a base URL and removes its trailing slashes. Errors do not contain the URL, because it may contain
// credentials.
func baseURL(text string) (*url.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return nil, errors.New("contains white space or a control character: expected a URL without any")
	}
	scheme, rest, _ := strings.Cut(text, "://")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return nil, errors.New("does not begin with http:// or https://: expected a URL such as https://host/prefix")
	}
	if strings.ContainsAny(rest, "?#") {
		return nil, errors.New("has a query or fragment (? or #): expected a base URL without, such as " +
			"https://host/prefix")
	}
	if authority, _, _ := strings.Cut(rest, "/"); strings.Contains(authority, "@") {
		return nil, errors.New("has credentials before its host: remove them and put them into a header " +
			"(target.headers)")
	}
	base, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || base.Hostname() == "" {
		return nil, errors.New("has no valid host, port or path: expected a URL such as https://host:8443/prefix")
	}
	if base.Port() == "" && strings.HasSuffix(base.Host, ":") {
		return nil, errors.New("has a colon but no port after its host: give the port or leave out the colon")
	}
	if n, err := strconv.Atoi(cmp.Or(base.Port(), "1")); err != nil || n < 1 || n > maxPort {
		return nil, fmt.Errorf("has port %s: expected 1 to %d", input.Quote(base.Port()), maxPort)
	}
	return base, nil
}
