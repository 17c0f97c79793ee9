// Package client sends probes to the deployed service under test and returns exchanges. It follows no redirect (J17),
// verifies TLS (J18), and limits what it reads (J20). What is sent again is decided elsewhere.
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/bounded"
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

// Options are what a client has besides its settings.
type Options struct {
	// Recorder, if set, receives every request that is sent.
	Recorder Recorder
	// Renewed, if set, is called with a renewed token before it is sent.
	Renewed func(token string)
	// GivesUp is true if well-formed requests give up their connections now and then, so that each node behind a
	// balancer is met (J19).
	GivesUp bool
}

// Client sends probes. It is safe for concurrent use.
type Client struct {
	*requests.Requests
	Options

	settings *settings.Settings
	versions map[schemas.Version]*version
	targets  []*connections
	agent    string // start of the User-Agent; the exchange id follows

	requests atomic.Int64
	repeated atomic.Int64 // times that the HTTP library sent a request again
	helped   atomic.Bool  // a token that was renewed was served
}

// version is the client of one version. Only what is set for its target is sent to it.
type version struct {
	*settings.Target
	tokens      atomic.Pointer[tokens]
	connections *connections // shared with other versions that have the same host and TLS files
	observed    atomic.Pointer[exchange.Observed]
}

// tokens are those that are sent.
type tokens struct {
	exchange.Tokens
	renewed bool
}

// ErrDeadline means that the run's deadline is too near for the remaining requests.
var ErrDeadline = errors.New("the deadline (setting deadline) leaves no time for the rest")

// Recorder stores requests and their answers. It is called from several goroutines at once.
type Recorder interface {
	// Sending returns the number of a request that is about to be sent, in the order sent.
	Sending() (permit int)
	// Sent stores the answer to the request with this number, which r made. agent is the User-Agent of the request.
	Sent(permit int, r *requests.Requests, ex *exchange.Exchange, agent string)
}

// New returns a client for the targets in the settings. Each User-Agent contains the suite's version, the run's id and
// the exchange id, so that the target's logs can be matched with the report.
func New(s *settings.Settings, contract *schemas.Contract, suite, run string, o Options) *Client {
	c := &Client{
		Requests: requests.New(s, contract),
		Options:  o,
		settings: s,
		versions: map[schemas.Version]*version{},
		agent:    fmt.Sprintf("authenticator-conformance/%s (run %s; exchange ", suite, run),
	}
	shared := map[any]*connections{}
	for v, t := range s.Targets {
		one := &version{Target: t}
		sent := tokens{Tokens: exchange.BadTokens(t.AccessToken)}
		sent.Random = c.Unknown[v]
		one.tokens.Store(&sent)
		key := [...]any{t.URL.Scheme, t.URL.Host, t.CA, t.ClientCertificate, t.TLS, proxyText(t.Proxy)}
		if shared[key] == nil {
			shared[key] = newConnections(t, max(s.Concurrency, leastKept))
			c.targets = append(c.targets, shared[key])
		}
		one.connections = shared[key]
		c.versions[v] = one
	}
	return c
}

// Counts returns how many requests were sent, and repeated.
func (c *Client) Counts() exchange.Counts {
	repeated := c.repeated.Load()
	return exchange.Counts{Requests: c.requests.Load() + repeated, Repeated: repeated}
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
	before := v.tokens.Load()
	if !ok || token == before.Real {
		return
	}
	if renewed != nil {
		renewed(token)
	}
	now := tokens{exchange.BadTokens(token), true}
	now.Random = before.Random // the evidence says which one it was
	v.tokens.Store(&now)
}

// RenewalHelped reports whether a token was renewed, and the new one was served.
func (c *Client) RenewalHelped() bool { return c.helped.Load() }

// Warnings returns warnings about the connections: those of its requests, and who takes no HTTP/2.
func (c *Client) Warnings() []string {
	list := c.Requests.Warnings()
	for _, v := range c.settings.Asked() {
		if c.versions[v].connections.http1.Load() {
			list = append(list, string(v)+" required HTTP/1.1 (HTTP_1_1_REQUIRED, RFC 9113): it was asked without "+
				"HTTP/2")
		}
	}
	return list
}

// RefusesEverybody returns the error of a version that served before, until a time, and refuses everybody since. last
// is the answer to the last of the controls that were asked (J23).
func (c *Client) RefusesEverybody(last *exchange.Exchange, asked int, served time.Time) error {
	v, since := last.Probe.Version, "refuses everybody"
	if !last.Answered() {
		since = "answers nobody"
	}
	return fmt.Errorf("%s answered until %s UTC and %s since: its control, a request of %s that was "+
		"served before, was asked %s more; the last one, %s, got %w; check, in this order: %s", v,
		served.UTC().Format(time.TimeOnly), since, last.Probe.Operation, wording.Count(asked, "time"), c.Asked(last),
		exchange.Summary(last), c.ToCheckLater(last, c.versions[v].tokens.Load().Real))
}

// Reconnect lets the next request to each target open a new connection, and closes those that are idle.
func (c *Client) Reconnect() {
	for _, target := range c.targets {
		target.reconnect()
	}
}

// Alternate lets the next requests to each target go over the other one of two connections, which both stay open until
// Reconnect. Only one request may be in flight.
func (c *Client) Alternate() {
	for _, target := range c.targets {
		target.alternate()
	}
}

// Close closes the idle connections.
func (c *Client) Close() { c.Reconnect() }

// Agent returns the User-Agent of a probe's request.
func (c *Client) Agent(p exchange.Probe) string { return c.agent + p.ID + ")" }

// hangGrace is how long after its time-out a request may still end by itself.
var hangGrace = 5 * time.Second // a spec waits less for what never comes

// hangs returns the error of a request that did not return.
func (c *Client) hangs(ex *exchange.Exchange) error {
	return fmt.Errorf("%s did not end %s after its time-out of %s (setting timeout); this is not the target's "+
		"answer: the HTTP library did not return", c.Asked(ex), hangGrace, c.settings.Timeout)
}

// Send sends a probe once. It returns an error only if the run ended meanwhile, a proxy refused the request, this
// machine could not send it, or the HTTP library hangs.
func (c *Client) Send(ctx context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	agent := c.Agent(p)
	ex := &exchange.Exchange{Probe: p, Started: time.Now()}
	c.requests.Add(1)
	if c.Recorder != nil {
		permit := c.Recorder.Sending()
		defer func() { c.Recorder.Sent(permit, c.Requests, ex, agent) }()
	}
	timed, cancel := context.WithTimeout(ctx, c.settings.Timeout)
	defer cancel()
	v, req := c.versions[p.Version], c.request(timed, p, agent)
	answer, err := v.connections.askWithin(timed, hangGrace, req)
	if refused := refusedByProxy(v.Proxy, req, answer.Response, err); refused != nil {
		ex.Fault = &exchange.Fault{Kind: exchange.Ended, Detail: refused.Error(), Plain: refused.Error()}
		return nil, refused
	}
	failed := failedHere(err, c.settings)
	if errors.Is(err, bounded.ErrGivenUp) && ctx.Err() == nil {
		failed = c.hangs(ex)
	}
	if failed != nil {
		ex.Fault = fault(exchange.Ended, failed.Error())
		return nil, failed
	}
	if err == nil && answer.ProtoMajor == 2 && headerSize(answer.Header) > maxHeader {
		_ = answer.Body.Close() // the answer is a fault already
		err = errLargeHeader
	}
	if err == nil {
		ex.Status, ex.Proto, ex.Header = answer.StatusCode, answer.Proto, answer.Header
		if ex.Body, ex.Fault = answer.content(); ex.Fault != nil {
			ex.Body = received(p, ex.Body)
		}
		if ex.Success() && v.tokens.Load().renewed {
			c.helped.Store(true)
		}
		if v.observed.Load() == nil {
			v.observed.CompareAndSwap(nil, exchange.ObservedIn(answer.Response))
		}
	} else {
		ex.Fault = faultOf(err, cause{c.settings, v}, throughProxy(v.Proxy, err))
	}
	ex.Duration = time.Since(ex.Started)
	late := timed.Err() != nil
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
	var content []byte
	if p.Method() == http.MethodPost {
		content = c.Content(p, v.tokens.Load().Tokens)
	}
	body := func() (io.ReadCloser, error) {
		if len(content) == 0 {
			return http.NoBody, nil
		}
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	header := c.Header(p, agent)
	// With this key, net/http sends a POST again that met a closed connection. Without a value it is not sent itself.
	header["Idempotency-Key"] = nil
	req := &http.Request{Method: p.Method(), URL: &target, Host: target.Host, Header: header,
		ContentLength: int64(len(content)), GetBody: body,
		Close: c.GivesUp && p.WellFormed() && isLastOnConnection(v.connections.sent.Add(1))}
	req.Body, _ = body() // it never fails
	return req.WithContext(c.countRepeats(ctx))
}

// countRepeats returns a context in which each connection of a request but the first counts as a repetition of it.
func (c *Client) countRepeats(ctx context.Context) context.Context {
	attempts := 0 // all are made by one goroutine
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		if attempts++; attempts > 1 {
			c.repeated.Add(1)
		}
	}})
}

// maxReceived is as much as the evidence has of a body.
const maxReceived = 1 << 20
