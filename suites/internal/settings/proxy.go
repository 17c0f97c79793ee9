package settings

import (
	"encoding/base64"
	"net"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"authenticator-conformance/schemas"
)

// Proxy is an HTTP or SOCKS proxy between the suite and a target.
type Proxy struct {
	// URL includes the proxy's credentials. It is nil in the settings that evidence is read with.
	URL *url.URL `json:"-"`
	// Shown is the URL without user info.
	Shown string `json:"url"`
	// Variable is the environment variable that names the proxy, such as HTTPS_PROXY.
	Variable string `json:"variable"`
}

func (p *Proxy) String() string { return p.Shown + " (" + p.Variable + ")" }

// ProxyFor returns the proxy for a URL of a target, or nil if requests go to the target directly.
func (s *Settings) ProxyFor(to *url.URL) *Proxy {
	if len(s.Proxies) == 0 {
		return nil // as with most targets
	}
	for v, base := range s.URLs {
		if base.Scheme == to.Scheme && base.Host == to.Host {
			return s.Proxies[v]
		}
	}
	return nil
}

// finishRoutes sets InClear and Proxies for each version under test. HTTP_PROXY, HTTPS_PROXY and NO_PROXY work as in
// other programs: the lower-case name wins, and this machine is never reached through a proxy.
func (r *resolver) finishRoutes() {
	variable := func(name string) (text, source string) {
		for _, source := range []string{strings.ToLower(name), name} {
			if text, _ := r.in.variable(source); text != "" {
				return text, source
			}
		}
		return "", ""
	}
	noProxy, _ := variable("NO_PROXY")
	for _, v := range r.settings.Versions {
		base := r.settings.URLs[v]
		if base == nil {
			continue
		}
		if inClear(base) {
			r.settings.InClear = append(r.settings.InClear, v)
		}
		text, name := variable(strings.ToUpper(base.Scheme) + "_PROXY")
		if text == "" {
			continue
		}
		// Which hosts bypass the proxy does not depend on its URL. With a placeholder, an invalid proxy URL is still
		// found below.
		const any = "http://proxy.invalid"
		used, err := (&httpproxy.Config{HTTPProxy: any, HTTPSProxy: any, NoProxy: noProxy}).ProxyFunc()(base)
		if err != nil || used == nil {
			continue
		}
		proxy := proxyURL(text)
		if proxy == nil {
			r.fail("%s: is no URL of a proxy: expected http://host:port, https:// or socks5://; "+
				"correct it, unset it, or name the target's host in NO_PROXY", name)
			return
		}
		r.secret(proxySecrets(proxy)...)
		if r.settings.Proxies == nil {
			r.settings.Proxies = map[schemas.Version]*Proxy{}
		}
		r.settings.Proxies[v] = &Proxy{URL: proxy, Shown: proxy.Scheme + "://" + proxy.Host, Variable: name}
	}
}

// proxyURL parses the URL of a proxy; the scheme may be left out. It returns nil if the URL is invalid.
func proxyURL(text string) *url.URL {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	proxy, err := url.Parse(text)
	schemes := []string{"http", "https", "socks5", "socks5h"}
	if err != nil || proxy.Hostname() == "" || !slices.Contains(schemes, proxy.Scheme) {
		return nil
	}
	return proxy
}

// proxySecrets returns the texts to redact for a proxy: its password, user:password, and both in the Base64 of
// Proxy-Authorization (RFC 7617).
func proxySecrets(proxy *url.URL) []string {
	password, ok := proxy.User.Password()
	if !ok {
		return nil
	}
	userInfo := proxy.User.Username() + ":" + password
	return []string{password, userInfo, base64.StdEncoding.EncodeToString([]byte(userInfo))}
}

// inClear reports whether others can read requests to a base URL: it is http and leaves this machine.
func inClear(base *url.URL) bool {
	host := strings.ToLower(base.Hostname())
	ip := net.ParseIP(host)
	return base.Scheme == "http" && host != "localhost" && !strings.HasSuffix(host, ".localhost") &&
		(ip == nil || !ip.IsLoopback())
}
