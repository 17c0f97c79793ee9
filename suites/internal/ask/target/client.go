// Package target sends probes to the deployed service under test and returns exchanges. It follows no redirect (J17),
// verifies TLS (J18), retries only throttled requests (J19), and limits what it reads (J20).
package target

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// The most bytes that are read of an answer (J20).
const (
	maxBody   = 16 << 20
	maxHeader = 1 << 20
)

// Client sends probes. It is safe for concurrent use.
type Client struct {
	*requests.Requests
	// Recorder, if set, receives every request that is sent.
	Recorder Recorder
	// First, if set, gets the first answer of each operation and version before the next request is sent to it.
	First func(*exchange.Exchange)
	// Renewed, if set, is called with a renewed token before it is sent.
	Renewed func(token string)
	// Discloses, if set, reports whether the answer to a probe that should be refused has a record or identifiers. Such
	// an answer is final: it has been served, whatever its status (J13).
	Discloses func(*exchange.Exchange) bool
	// FirstWait is the pause after an answer that throttles and does not say for how long. It doubles each time (J19).
	FirstWait time.Duration
	// Patience is for how long a request is sent again that is throttled, 0: until the deadline. With it, one to an
	// operation that has served nothing yet is waited for as long as any other.
	Patience time.Duration

	settings *settings.Settings
	versions map[schemas.Version]*version
	limiter  *rate.Limiter // of the settings
	pause    throttlePause
	pace     pace
	agent    string // start of the User-Agent; the exchange id follows
	contexts contextPool

	requests  atomic.Int64
	throttled atomic.Int64
	resent    atomic.Int64 // requests that were sent again before the first answer of their operation and version
	closes    closes
	helped    atomic.Bool // a token that was renewed was served
}

// version is the client of one version. Only what is set for its target is sent to it.
type version struct {
	*settings.Target
	tokens      atomic.Pointer[exchange.Tokens]
	renewing    sync.Mutex
	renewed     atomic.Bool
	connections *connections // shared with other versions that have the same host and TLS files
	operations  map[schemas.Operation]*operation
	observed    atomic.Pointer[exchange.Observed]
	unready     atomic.Int32 // answers 5xx to the first requests, after which these were sent again
}

// Recorder stores requests and their answers. It is called from several goroutines at once.
type Recorder interface {
	// Sending returns the number of a request that is about to be sent, in the order sent.
	Sending() (permit int)
	// Sent stores the answer to the request with this number. agent is the User-Agent of the request.
	Sent(permit int, ex *exchange.Exchange, agent string)
}

// New returns a client for the targets in the settings. Each User-Agent contains the suite's version, the run's id and
// the exchange id, so that the target's logs can be matched with the report.
func New(s *settings.Settings, contract *schemas.Contract, suite, run string) *Client {
	c := &Client{
		FirstWait: time.Second,
		Requests:  requests.New(s, contract),

		settings: s,
		versions: map[schemas.Version]*version{},
		limiter:  rate.NewLimiter(rate.Inf, 1),
		pace:     pace{limiter: rate.NewLimiter(rate.Inf, 1)},
		agent:    fmt.Sprintf("authenticator-conformance/%s (run %s; exchange ", suite, run),
	}
	if s.Rate > 0 {
		c.limiter.SetLimit(rate.Limit(s.Rate))
	}
	shared := map[any]*connections{}
	for v, t := range s.Targets {
		one := &version{Target: t, operations: newOperations()}
		tokens := exchange.BadTokens(t.AccessToken)
		one.tokens.Store(&tokens)
		c.Unknown[v] = tokens.Random
		key := [...]any{t.URL.Scheme, t.URL.Host, t.CA, t.ClientCertificate, t.TLS, proxyText(t.Proxy)}
		if shared[key] == nil {
			shared[key] = newConnections(&c.closes, func(c *connections) *http.Transport {
				return transport(t, s.Concurrency, &c.asksForCertificate)
			})
		}
		one.connections = shared[key]
		c.versions[v] = one
	}
	return c
}

// idleTimeout is how long a connection is kept without a request. Firewalls forget connections that are idle for
// minutes without a word: a request over one would get no answer.
var idleTimeout = 20 * time.Second // a spec waits less

// transport returns a new transport with the proxy and TLS files of a target, and the limits of the suite. asked
// becomes true if the target asks for a client certificate and there is none.
func transport(t *settings.Target, concurrency int, asked *atomic.Bool) *http.Transport {
	secured := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.CA}
	if t.ClientCertificate != nil {
		secured.Certificates = []tls.Certificate{*t.ClientCertificate}
	}
	if t.TLS != nil {
		secured = t.TLS.Clone() // a clone, because a transport modifies its configuration
		secured.MinVersion = max(secured.MinVersion, tls.VersionTLS12)
	}
	switch hasCertificate := len(secured.Certificates) > 0 || secured.GetClientCertificate != nil; {
	case !hasCertificate:
		secured.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			asked.Store(true)
			return &tls.Certificate{}, nil
		}
	case secured.Renegotiation == tls.RenegotiateNever:
		// IIS asks for the certificate once it knows the path of the request, by renegotiation (TLS 1.2).
		secured.Renegotiation = tls.RenegotiateOnceAsClient
	}
	return &http.Transport{
		Proxy:                  proxyFunc(t.Proxy),
		OnProxyConnectResponse: checkConnect(t.Proxy),
		TLSClientConfig:        secured,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    concurrency,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // this package decodes, to limit the decoded body too
	}
}

// Counts returns how many requests were sent, throttled and repeated.
func (c *Client) Counts() exchange.Counts {
	repeated := c.closes.repeated.Load()
	return exchange.Counts{Requests: c.requests.Load() + repeated, Throttled: c.throttled.Load(),
		Repeated: repeated + c.resent.Load()}
}

// Observed returns what each version showed of itself in its first answer.
func (c *Client) Observed() map[schemas.Version]exchange.Observed {
	all := map[schemas.Version]exchange.Observed{}
	for v, one := range c.versions {
		if seen := one.observed.Load(); seen != nil {
			all[v] = *seen
		}
	}
	return all
}

// Renew reads the files of the tokens again. A token that was renewed is sent from now on, to its version only.
func (c *Client) Renew() {
	for _, v := range c.settings.Versions {
		c.versions[v].renew(c.Renewed)
	}
}

func (v *version) renew(renewed func(token string)) {
	token, ok := v.ReadToken()
	v.renewing.Lock()
	defer v.renewing.Unlock()
	before := v.tokens.Load()
	if !ok || token == before.Real {
		return
	}
	if renewed != nil {
		renewed(token)
	}
	now := exchange.BadTokens(token)
	now.Random = before.Random // the evidence says which one it was
	v.tokens.Store(&now)
	v.renewed.Store(true)
}

// RenewalHelped reports whether a token was renewed, and the new one was served.
func (c *Client) RenewalHelped() bool { return c.helped.Load() }

// RefusesEverybody returns the error of a version that served before, until a time, and refuses everybody since. last
// is the answer to the last of the controls that were asked (J23).
func (c *Client) RefusesEverybody(last *exchange.Exchange, asked int, served time.Time) error {
	v, since := last.Probe.Version, "refuses everybody"
	if !last.Answered() {
		since = "answers nobody"
	}
	return fmt.Errorf("%s answered until %s UTC and %s since: its control, a request that was served "+
		"before, was asked %s more; the last one, %s, got %w; check, in this order: %s", v,
		served.UTC().Format(time.TimeOnly), since, wording.Count(asked, "time"), c.Asked(last), exchange.Summary(last),
		c.ToCheckLater(v, last.Status, c.versions[v].tokens.Load().Real))
}

// ServedNothing returns the error of a version that served everybody an empty list for a while, and whom it served
// before, too.
func (c *Client) ServedNothing(last *exchange.Exchange) error {
	return fmt.Errorf("%s answered everybody with an empty list for a while, and then served again: who got one then "+
		"may have data all the same; %s, a request that was served before, got %w; look into the service's log for "+
		"what was not there at that time", last.Probe.Version, c.Asked(last), exchange.Summary(last))
}

// RefusesNowAndThen returns the error of a version that refused so many of its controls, although they were asked one
// after the other.
func (c *Client) RefusesNowAndThen(last *exchange.Exchange, refused, of int) error {
	return fmt.Errorf("%s refuses now and then, whoever asks: its control, a request that was served before, was "+
		"refused %d times of %d, asked one after the other; the last one, %s, got %w; check, in this order: the "+
		"service and each of its nodes, and what limits requests in front (ask less with --rate and --concurrency)",
		last.Probe.Version, refused, of, c.Asked(last), exchange.Summary(last))
}

// KeepNone closes the kept connections. From now on each request has a connection of its own.
func (c *Client) KeepNone() {
	for _, v := range c.versions {
		v.connections.keepNone()
	}
}

// Close closes idle connections and cancels pooled contexts.
func (c *Client) Close() {
	c.contexts.close()
	for _, v := range c.versions {
		v.connections.close()
	}
}

// Agent returns the User-Agent of a probe's request.
func (c *Client) Agent(p exchange.Probe) string { return c.agent + p.ID + ")" }

// send sends a probe once. It returns an error only if the run ended meanwhile, a proxy refused the request, or this
// machine could not send it.
func (c *Client) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	agent := c.Agent(p)
	ex := &exchange.Exchange{Probe: p, Started: time.Now()}
	c.requests.Add(1)
	if c.Recorder != nil {
		permit := c.Recorder.Sending()
		defer func() { c.Recorder.Sent(permit, ex, agent) }()
	}
	pooled, v := c.contexts.get(ctx, c.settings.Timeout), c.versions[p.Version]
	req := c.request(pooled.ctx, p, agent)
	ask := v.connections.ask // not http.Client, which follows redirects
	if req.URL.Scheme != "http" || v.Proxy != nil {
		ask = v.connections.askOrAbandon
	}
	answer := ask(pooled, req, p)
	if refused := refusedByProxy(v.Proxy, req, answer.Response, answer.err); refused != nil {
		c.contexts.put(pooled, false)
		ex.Fault = &exchange.Fault{Kind: exchange.Ended, Detail: refused.Error(), Plain: refused.Error()}
		return nil, refused
	}
	if failed := failedHere(answer.err, c.settings); failed != nil {
		c.contexts.put(pooled, false)
		ex.Fault = fault(exchange.Ended, failed.Error())
		return nil, failed
	}
	if answer.err == nil && answer.ProtoMajor == 2 && headerSize(answer.Header) > maxHeader {
		_ = answer.Body.Close() // the answer is a fault already
		answer.err = errLargeHeader
	}
	if v.connections.http1.Load() {
		c.NoteHTTP1(p.Version)
	}
	if answer.err == nil {
		ex.Status, ex.Proto, ex.Header = answer.StatusCode, answer.Proto, answer.Header
		if ex.Body, ex.Fault = answer.content(); ex.Fault != nil {
			ex.Body = received(p, ex.Body)
		}
		if ex.Success() {
			v.operations[p.Operation].served.Store(true)
			if v.renewed.Load() {
				c.helped.Store(true)
			}
		}
		if v.observed.Load() == nil {
			v.observed.CompareAndSwap(nil, exchange.ObservedIn(answer.Response))
		}
	} else {
		ex.Fault = faultOf(answer.err, cause{c.settings, v}, throughProxy(v.Proxy, answer.err))
	}
	ex.Duration = time.Since(ex.Started)
	late := c.contexts.put(pooled, ex.Fault == nil)
	if ctx.Err() != nil {
		ex.Fault = fault(exchange.Ended, "the run ended before the answer came")
		return nil, context.Cause(ctx)
	}
	if ex.Fault != nil && late && ex.Fault.Kind == exchange.Transport {
		ex.Fault = fault(exchange.Timeout,
			fmt.Sprintf("no whole answer within the deadline of %s (setting timeout)", c.settings.Timeout))
	}
	return ex, nil
}

// request returns the HTTP request of a probe.
func (c *Client) request(ctx context.Context, p exchange.Probe, agent string) *http.Request {
	v := c.versions[p.Version]
	target := *v.URL // not JoinPath, which would also clean the path that the user gave
	target.Path += p.Path()
	if target.RawPath != "" {
		target.RawPath += p.Path()
	}
	req := (&http.Request{Method: p.Method(), URL: &target, Host: target.Host}).WithContext(ctx)
	req.Header = c.Header(p, agent)
	if content := c.Content(p, *v.tokens.Load()); req.Method == http.MethodPost && len(content) > 0 {
		req.ContentLength = int64(len(content))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
		req.Body, _ = req.GetBody() // it never fails
	} else if req.Method == http.MethodPost {
		req.Body, req.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
	}
	return req
}

// maxReceived is as much as the evidence has of a body.
const maxReceived = 1 << 20
