// Package target sends probes to the deployed service under test and brings back exchanges. It follows no redirect
// (J17), verifies TLS (J18), waits out throttling and repeats nothing else (J19), and reads within bounds (J20).
package target

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/settings"
)

// Bounds on what is read of an answer (J20).
const (
	maxBody   = 16 << 20
	maxHeader = 1 << 20
)

// Client sends probes. It is safe for concurrent use.
type Client struct {
	*exchange.Requests
	// Recorder, where set, is told of every request that was sent.
	Recorder Recorder
	// Pacer, where set, says when each request may be sent.
	Pacer exchange.Pacer

	settings    *settings.Settings
	tokens      exchange.Tokens
	connections *connections
	limiter     *rate.Limiter
	pause       pause
	agent       string // User-Agent, up to the exchange id
	contexts    contextPool
	mu          sync.RWMutex
	places      map[placeOf]*url.URL // parsed once, and never changed

	requests  atomic.Int64
	throttled atomic.Int64
}

// Recorder keeps what was sent and what came back. It is called from several goroutines at once.
type Recorder interface {
	// Sending gives a request its turn, in the order sent.
	Sending() (turn int)
	// Sent tells what came back for the request of a turn; agent is the User-Agent that it bore.
	Sent(turn int, ex *exchange.Exchange, agent string)
}

// New makes a client for the target of the settings. Suite is the suite's version and run the run's id: each request
// bears both, with its exchange id, so that the target's logs can be matched with the report.
func New(s *settings.Settings, contract *schemas.Contract, suite, run string) *Client {
	c := &Client{
		settings: s,
		tokens:   badTokens(s.AccessToken),
		places:   map[placeOf]*url.URL{},
		limiter:  rate.NewLimiter(rate.Inf, 1),
		agent:    fmt.Sprintf("authenticator-conformance/%s (run %s; exchange ", suite, run),
	}
	if s.Rate > 0 {
		c.limiter = rate.NewLimiter(rate.Limit(s.Rate), 1)
	}
	// The altered token is all but the real one, and so a secret too.
	secrets := redact.New(append([]string{c.tokens.Changed}, s.Secrets...)...)
	secrets.Ignore(slices.Concat(contract.Record.Members(), contract.Device.Members()))
	c.Requests = exchange.NewRequests(s, contract, secrets)
	c.Unknown = c.tokens.Random
	c.connections = newConnections(c.transport)
	return c
}

// transport makes one of the settings.
func (c *Client) transport() *http.Transport {
	secured := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.settings.CA}
	if c.settings.ClientCertificate != nil {
		secured.Certificates = []tls.Certificate{*c.settings.ClientCertificate}
	}
	if c.settings.TLS != nil {
		secured = c.settings.TLS.Clone() // a transport adds to its own
		secured.MinVersion = max(secured.MinVersion, tls.VersionTLS12)
	}
	return &http.Transport{
		Proxy:                  proxyOf(c.settings),
		OnProxyConnectResponse: connected(c.settings),
		TLSClientConfig:        secured,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    c.settings.Concurrency,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // decoded here, within the bound on the decoded body
	}
}

// Counts says how much was sent.
func (c *Client) Counts() exchange.Counts {
	repeated := c.connections.repeated.Load()
	return exchange.Counts{Requests: c.requests.Load() + repeated, Throttled: c.throttled.Load(), Repeated: repeated}
}

// Close lets go of the connections.
func (c *Client) Close() {
	c.contexts.close()
	c.connections.close()
}

// Agent is the User-Agent of a probe's request.
func (c *Client) Agent(p exchange.Probe) string { return c.agent + p.ID + ")" }

// send sends a probe once. It returns an error only where the run itself ended meanwhile.
func (c *Client) send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	agent := c.Agent(p)
	req, err := c.request(p, agent)
	if err != nil {
		return nil, err
	}
	ex := &exchange.Exchange{Probe: p, Started: time.Now()}
	c.requests.Add(1)
	if c.Recorder != nil {
		turn := c.Recorder.Sending()
		defer func() { c.Recorder.Sent(turn, ex, agent) }()
	}
	pooled := c.contexts.get(ctx, c.settings.Timeout)
	answer := c.connections.ask(pooled, req, p, c.another()) // not http.Client: a redirect is an answer, and is never followed
	if refused := c.refusedByProxy(req, answer.Response, answer.err); refused != nil {
		c.contexts.put(pooled, false)
		ex.Fault = &exchange.Fault{Kind: exchange.Ended, Detail: c.Secrets().Show(refused.Error(), 500)}
		return nil, refused
	}
	if answer.err == nil {
		ex.Status, ex.Proto, ex.Header = answer.StatusCode, answer.Proto, answer.Header
		ex.Body, ex.Fault = answer.content()
	} else {
		ex.Fault = faultOf(answer.err)
		ex.Fault.Detail += c.throughProxy(req, answer.err)
	}
	ex.Duration = time.Since(ex.Started)
	late := c.contexts.put(pooled, ex.Fault == nil)
	ex.Redact(c.Secrets())
	if ctx.Err() != nil {
		ex.Fault = &exchange.Fault{Kind: exchange.Ended, Detail: "the run ended before the answer came"}
		return nil, context.Cause(ctx)
	}
	if ex.Fault != nil {
		if late && ex.Fault.Kind == exchange.Transport {
			ex.Fault = &exchange.Fault{Kind: exchange.Timeout,
				Detail: fmt.Sprintf("no whole answer within the deadline of %s (setting timeout)", c.settings.Timeout)}
		}
		ex.Fault.Detail = c.Secrets().Show(ex.Fault.Detail, 500)
		return ex, nil
	}
	return ex, nil
}

// another asks the pacer; nil where there is none.
func (c *Client) another() func(context.Context) bool {
	if c.Pacer == nil {
		return nil
	}
	return c.Pacer.Another
}

// request makes the request of a probe, which is yet to get its context.
func (c *Client) request(p exchange.Probe, agent string) (*http.Request, error) {
	target, err := c.urlOf(p)
	if err != nil {
		return nil, err
	}
	req := &http.Request{Method: p.Method(), URL: target, Host: target.Host, Header: c.Header(p, agent)}
	if content := c.Content(p, c.tokens); req.Method == http.MethodPost && len(content) > 0 {
		req.ContentLength = int64(len(content))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
		req.Body, _ = req.GetBody() // it never fails
	} else if req.Method == http.MethodPost {
		req.Body, req.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
	}
	return req, nil
}

// placeOf is what the URL of a request depends on.
type placeOf struct {
	version   schemas.Version
	segment   string
	operation schemas.Operation
}

// urlOf is where a probe goes.
func (c *Client) urlOf(p exchange.Probe) (*url.URL, error) {
	key := placeOf{p.Version, p.Segment, p.Operation}
	c.mu.RLock()
	place := c.places[key]
	c.mu.RUnlock()
	if place != nil {
		return place, nil
	}
	place, err := url.Parse(c.URL(p))
	if err != nil {
		return nil, fmt.Errorf("making the request of %s: %w", p.ID, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places[key] = place
	return place, nil
}

// badTokens makes the tokens that a target must not know: a random one of the same length, and the real one with a
// character in its middle changed (J13).
func badTokens(real string) exchange.Tokens {
	t := exchange.Tokens{Real: real}
	runes := []rune(real)
	letters := make([]byte, len(runes))
	_, _ = rand.Read(letters) // crypto/rand.Read never fails
	random := make([]rune, len(runes))
	for i, b := range letters {
		random[i] = rune("abcdefghijklmnopqrstuvwxyzABCDEF"[b%32])
	}
	if string(random) == real {
		random[0] = '0'
	}
	t.Random = string(random)
	if middle := len(runes) / 2; len(runes) > 0 {
		if runes[middle] == 'x' {
			runes[middle] = 'y'
		} else {
			runes[middle] = 'x'
		}
	}
	t.Changed = string(runes)
	return t
}

// readBody reads an answer's body and ends the answer.
func readBody(resp *http.Response) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }() // what could be read has been; the connection's end is no matter of the answer
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil // what follows is no body, and its reader heeds no deadline
	}
	return readAll(resp.Body, resp.ContentLength)
}

// content is an answer's body with gzip undone, kept to the bounds.
func (a answer) content() ([]byte, *exchange.Fault) {
	switch {
	case a.StatusCode == http.StatusSwitchingProtocols:
		return nil, &exchange.Fault{Kind: exchange.Encoding,
			Detail: "status 101, a change of protocol that was not asked for"}
	case len(a.body) > maxBody:
		return nil, tooLarge("body")
	case a.broke != nil:
		return nil, &exchange.Fault{Kind: exchange.Transport, Detail: "the body broke off: " + a.broke.Error()}
	}
	return decode(a.Header, a.body)
}

// readAll reads to the end, or one byte past the bound: into one piece of memory where an answer says how long it is,
// and is not long.
func readAll(from io.Reader, length int64) ([]byte, error) {
	const most = 64 << 10
	if length < 0 || length > most {
		return io.ReadAll(io.LimitReader(from, maxBody+1))
	}
	body := make([]byte, length)
	n, err := io.ReadFull(from, body)
	if err == nil {
		// net/http lets no body be longer than it said: what is left is its end, or what went wrong there.
		_, err = io.Copy(io.Discard, from)
	}
	return body[:n], err
}

func tooLarge(what string) *exchange.Fault {
	return &exchange.Fault{Kind: exchange.Bound,
		Detail: fmt.Sprintf("the %s is larger than 16 MiB, more than the suite reads", what)}
}
