package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/settings"
)

// refusal is a proxy's answer to CONNECT that is not 200.
type refusal struct {
	proxy  *settings.Proxy
	status int
	host   string
	basic  bool // it takes a user and a password
}

func newRefusal(proxy *settings.Proxy, resp *http.Response, host string) *refusal {
	offered := resp.Header.Values("Proxy-Authenticate")
	return &refusal{proxy, resp.StatusCode, host, len(offered) == 0 || slices.ContainsFunc(offered,
		func(challenge string) bool { return strings.HasPrefix(strings.ToLower(challenge), "basic") })}
}

func (r *refusal) Error() string {
	switch {
	case r.status == http.StatusProxyAuthRequired && r.basic:
		return fmt.Sprintf("the proxy %s needs credentials, or rejects those given: it answered 407; give them as "+
			"http://user:password@host:port in %s", r.proxy, r.proxy.Variable)
	case r.status == http.StatusProxyAuthRequired:
		return fmt.Sprintf("the proxy %s needs a login that this suite does not speak: it answered 407 and does not "+
			"offer Basic; let it pass this host without a login, or %s", r.proxy, r.proxy.Around())
	case r.status >= http.StatusInternalServerError:
		return fmt.Sprintf("the proxy %s answered %d to CONNECT %s: it can't reach that host; see whether it knows "+
			"the name and may connect there, or %s", r.proxy, r.status, r.host, r.proxy.Around())
	}
	return fmt.Sprintf("the proxy %s answered %d to CONNECT %s: let it allow this host, or %s", r.proxy, r.status,
		r.host, r.proxy.Around())
}

// proxyText returns the URL of a proxy with its credentials, or "".
func proxyText(proxy *settings.Proxy) string {
	if proxy == nil {
		return ""
	}
	return proxy.URL.String()
}

// checkConnect returns a check of a proxy's answer to CONNECT. It returns a refusal unless the status is 200, because
// net/http's error would contain the proxy's own text.
func checkConnect(proxy *settings.Proxy) func(context.Context, *url.URL, *http.Request, *http.Response) error {
	return func(_ context.Context, _ *url.URL, req *http.Request, resp *http.Response) error {
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		return newRefusal(proxy, resp, req.Host)
	}
}

// refusedByProxy returns the error that ends the run if a proxy refuses to forward the request, else nil. If the proxy
// can't reach the target (5xx) it returns nil, because that may pass.
func refusedByProxy(proxy *settings.Proxy, req *http.Request, resp *http.Response, err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok && refused.status < http.StatusInternalServerError {
		return refused
	}
	if err != nil || proxy == nil || req.URL.Scheme != "http" || resp.StatusCode != http.StatusProxyAuthRequired {
		return nil // inside TLS the answer is from the target
	}
	return newRefusal(proxy, resp, req.URL.Host)
}

// throughProxy returns the end of a fault's text, which names the proxy, or "".
func throughProxy(proxy *settings.Proxy, err error) string {
	if _, ok := errors.AsType[*refusal](err); ok || proxy == nil {
		return ""
	}
	return fmt.Sprintf("; the request went through the proxy %s", proxy)
}
