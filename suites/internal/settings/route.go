package settings

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"authenticator-conformance/suites/internal/settings/input"

	"golang.org/x/net/http/httpproxy"
)

// Proxy is an HTTP or SOCKS proxy between the suite and a target.
type Proxy struct {
	// URL includes the proxy's credentials. It is nil in the settings that evidence is read with.
	URL *url.URL `json:"-"`
	// Shown is the URL without user info.
	Shown string `json:"url"`
	// Variable is the environment variable or setting that names the proxy, such as HTTPS_PROXY.
	Variable string `json:"variable"`
}

func (p *Proxy) String() string { return p.Shown + " (" + p.Variable + ")" }

// Around returns how the target is asked without the proxy.
func (p *Proxy) Around() string {
	if slices.Contains([]string{"HTTP_PROXY", "HTTPS_PROXY"}, strings.ToUpper(p.Variable)) {
		return "name the target's host in NO_PROXY"
	}
	return "go around it (--proxy " + noProxy + ")"
}

// noProxy is the value of the setting proxy for a target that is asked directly.
const noProxy = "none"

// setProxy reads the URL of a target's proxy. Only a variable or a Go program may have credentials in it.
func (r *resolver) setProxy(t *Target, g *rawValue) error {
	if t.isDirect = g.text == noProxy; t.isDirect {
		return nil
	}
	proxy := proxyURL(g.text)
	r.secret(proxySecrets(g.text)...)
	switch {
	case proxy == nil:
		return errors.New("is no URL of a proxy: expected http://host:port, https:// or socks5://, or " + noProxy)
	case proxy.User != nil && g.priority != fromEnvironment && !r.settings.Program:
		return fmt.Errorf("has credentials, which others can read there: give the whole URL in %s",
			row(Run, nameProxy).env)
	}
	// The location is without file and line.
	t.Proxy = newProxy(proxy, g.location[strings.LastIndex(g.location, " ")+1:])
	g.shown = t.Proxy.Shown
	return nil
}

func newProxy(proxy *url.URL, name string) *Proxy {
	return &Proxy{URL: proxy, Shown: proxy.Scheme + "://" + proxy.Host, Variable: name}
}

// finishRoutes sets InClear and the proxy of each target. HTTP_PROXY, HTTPS_PROXY and NO_PROXY work as in other
// programs: the lower-case name wins, and this machine is never reached through a proxy.
func (r *resolver) finishRoutes() {
	for _, v := range r.settings.Versions {
		t := r.settings.Targets[v]
		if t.URL == nil {
			continue
		}
		t.InClear = inClear(t.URL)
		if t.Proxy != nil || t.isDirect || r.isNeverProxied(t.URL) {
			continue
		}
		text, name := r.proxyVariable(strings.ToUpper(t.URL.Scheme) + "_PROXY")
		_, unused := r.proxyVariable("ALL_PROXY")
		switch proxy := proxyURL(text); {
		case proxy != nil:
			t.Proxy = newProxy(proxy, name)
			r.show("proxy of "+string(v), t.Proxy.Shown, "environment "+name)
		case text != "":
			r.fail("%s: is no URL of a proxy: expected http://host:port, https:// or socks5://; "+
				"correct it, unset it, or name the target's host in NO_PROXY", name)
		case unused != "":
			r.caution("%s is set, but this suite does not use it: to ask %s through that proxy, give %s", unused,
				t.URL.Host, r.alternatives("", nameProxy))
		}
	}
}

// proxyVariable returns a variable for proxies and its name, which may be in lower case; "" if it is not set.
func (r *resolver) proxyVariable(name string) (text, source string) {
	for _, source := range []string{strings.ToLower(name), name} {
		if text, _ := Variable(r.in.environ, source); text != "" {
			return text, source
		}
	}
	return "", ""
}

// isNeverProxied reports whether a URL is of this machine or in NO_PROXY.
func (r *resolver) isNeverProxied(base *url.URL) bool {
	bypassed, _ := r.proxyVariable("NO_PROXY")
	const any = "http://proxy.invalid" // which hosts bypass a proxy does not depend on its URL
	used, err := (&httpproxy.Config{HTTPProxy: any, HTTPSProxy: any, NoProxy: bypassed}).ProxyFunc()(base)
	return err != nil || used == nil
}

// proxyURL parses the URL of a proxy; the scheme may be left out. It returns nil if the URL is invalid, or has a path,
// as http//host is the host "http" with one.
func proxyURL(text string) *url.URL {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	proxy, err := url.Parse(text)
	schemes := []string{"http", "https", "socks5", "socks5h"}
	if err != nil || proxy.Hostname() == "" || !slices.Contains(schemes, proxy.Scheme) ||
		strings.Trim(proxy.Path, "/") != "" {
		return nil
	}
	return proxy
}

// minProxyKey is the least length of a user without a password that is a key, and secret.
const minProxyKey = 12

// proxySecrets returns the texts to redact for the URL of a proxy, even one that is wrong: its password, or its user if
// that is a key, and user:password, as they are written and decoded, and in the Base64 of Proxy-Authorization (RFC
// 7617).
func proxySecrets(text string) (list []string) {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		rest = text
	}
	end := strings.LastIndexByte(rest, '@')
	if end < 0 {
		return nil
	}
	written := rest[:end]
	decoded, _ := url.PathUnescape(written) // "" if it is wrong
	for _, userInfo := range []string{written, decoded} {
		user, password, ok := strings.Cut(userInfo, ":")
		switch {
		case ok:
			list = append(list, password, userInfo, base64.StdEncoding.EncodeToString([]byte(userInfo)))
		case len(user) >= minProxyKey:
			list = append(list, user, base64.StdEncoding.EncodeToString([]byte(user+":")))
		}
	}
	return list
}

// inClear reports whether others can read requests to a base URL: it is http and leaves this machine.
func inClear(base *url.URL) bool {
	host := strings.ToLower(base.Hostname())
	ip := net.ParseIP(host)
	return base.Scheme == "http" && host != "localhost" && !strings.HasSuffix(host, ".localhost") &&
		(ip == nil || !ip.IsLoopback())
}

const maxPort = 65535

// baseURL parses a base URL and removes its trailing slashes. Errors do not contain the URL, because it may contain
// credentials.
func baseURL(text string) (*url.URL, error) {
	if isUnfilled(text) || unfilledInURL.MatchString(text) {
		return nil, errUnfilled
	}
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
