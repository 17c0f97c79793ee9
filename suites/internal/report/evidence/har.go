// Package evidence stores what was sent and received in an HTTP Archive (HAR 1.2) without secrets. Anyone can judge the
// run again from it without the target.
package evidence

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/sanitize"
)

// output is the way out of a run, which everything that is stored passes.
type output = sanitize.Output

// Entry is an exchange as stored in the evidence, without secrets.
type Entry struct {
	exchange.Exchange
	Method, URL string
	Sent        http.Header // header of the request
	SentBody    string      // body of the request, with placeholders for the tokens
	Altered     string      // why it can't be judged again, if a secret in it was replaced
}

// Store returns exchanges by their id, such as "e17". If a throttled request was repeated, it returns the last
// exchange.
type Store interface {
	Entry(id string) (*Entry, error)
}

// Text returns the archive entry of an exchange as JSON. agent is the User-Agent of its request.
func Text(out *output, requests *requests.Requests, ex *exchange.Exchange, agent string) []byte {
	return stored(out, requests, ex, agent).text()
}

// maxBody is how many bytes of one body are stored.
const maxBody = 1 << 20

// stored returns an exchange with its request as it is stored.
func stored(out *output, requests *requests.Requests, ex *exchange.Exchange, agent string) *Entry {
	k := &Entry{Exchange: out.Exchange(ex, maxBody), Method: ex.Probe.Method()}
	k.URL, k.Sent, k.SentBody = out.Request(requests, ex.Probe, agent)
	if out.Alters(ex) {
		k.Altered = "a secret in its user or its media type was replaced"
	}
	return k
}

// entry is an exchange as an entry of the archive, with the members that this suite writes. Members that HAR lacks
// start with an underscore, as HAR 1.2 requires.
type entry struct {
	StartedDateTime string             `json:"startedDateTime"`
	Time            float64            `json:"time"` // milliseconds
	Request         *request           `json:"request"`
	Cache           struct{}           `json:"cache"`
	Timings         timings            `json:"timings"`
	Response        *response          `json:"response"`
	Exchange        string             `json:"_exchange"`
	Probe           *exchange.Probe    `json:"_probe"`
	Fault           *exchange.Fault    `json:"_fault,omitempty"`
	Cut             *exchange.Cut      `json:"_cut,omitempty"`
	Withheld        *exchange.Withheld `json:"_withheld,omitempty"`
	Altered         string             `json:"_unjudgeable,omitempty"` // why it can't be judged again
}

type (
	request struct {
		Method      string     `json:"method"`
		URL         string     `json:"url"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []struct{} `json:"cookies"` // empty: they are headers
		Headers     []pair     `json:"headers"`
		QueryString []struct{} `json:"queryString"`
		PostData    *postData  `json:"postData,omitempty"`
		HeadersSize int        `json:"headersSize"` // -1: not known
		BodySize    int        `json:"bodySize"`
	}
	response struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []struct{} `json:"cookies"`
		Headers     []pair     `json:"headers"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
		Content     content    `json:"content"`
	}
	content struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Encoding string `json:"encoding,omitempty"`
		Text     string `json:"text"`
	}
	postData struct {
		MimeType string     `json:"mimeType"`
		Params   []struct{} `json:"params"`
		Text     string     `json:"text"`
	}
	timings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

const base64Encoding = "base64"

// text returns the exchange as an entry of the archive, in JSON.
func (k *Entry) text() []byte {
	text, _ := strictjson.Encode(k.entry()) // these types always have a JSON form
	return text
}

func (k *Entry) entry() *entry {
	ms, proto, none := float64(k.Duration)/float64(time.Millisecond), cmp.Or(k.Proto, "HTTP/1.1"), []struct{}{}
	e := &entry{
		StartedDateTime: k.Started.UTC().Format(time.RFC3339Nano),
		Time:            ms,
		Request: &request{
			Method: k.Method, URL: k.URL, HTTPVersion: proto, Cookies: none, Headers: pairs(k.Sent), QueryString: none,
			HeadersSize: -1, BodySize: len(k.SentBody),
		},
		Timings: timings{Wait: ms},
		Response: &response{
			Status: k.Status, StatusText: http.StatusText(k.Status), HTTPVersion: proto, Cookies: none,
			Headers: pairs(k.Header), RedirectURL: k.Header.Get("Location"), HeadersSize: -1, BodySize: -1,
			Content: content{Size: k.Length(), MimeType: k.Header.Get("Content-Type"), Text: string(k.Body)},
		},
		Exchange: k.Probe.ID,
		Probe:    &k.Probe,
		Fault:    k.Fault,
		Cut:      k.Cut,
		Withheld: k.Withheld,
		Altered:  k.Altered,
	}
	if !utf8.Valid(k.Body) { // cut within a character
		e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(k.Body), base64Encoding
	}
	if k.SentBody != "" {
		e.Request.PostData = &postData{MimeType: k.Sent.Get("Content-Type"), Params: none, Text: k.SentBody}
	}
	return e
}

// UnmarshalJSON reads what text returns. The error names the missing or invalid member.
func (k *Entry) UnmarshalJSON(text []byte) error {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	switch {
	case e.Exchange == "":
		return errors.New("_exchange is missing")
	case e.Probe == nil:
		return errors.New("_probe is missing")
	case e.Request == nil:
		return errors.New("request is missing")
	case e.Response == nil:
		return errors.New("response is missing")
	}
	started, err := time.Parse(time.RFC3339Nano, e.StartedDateTime)
	if err != nil {
		return fmt.Errorf("startedDateTime: expected a time of RFC 3339, found %q", e.StartedDateTime)
	}
	*k = Entry{Altered: e.Altered, Exchange: exchange.Exchange{
		Probe:    *e.Probe,
		Started:  started,
		Duration: time.Duration(math.Round(e.Time * float64(time.Millisecond))),
		Status:   e.Response.Status,
		Proto:    e.Response.HTTPVersion,
		Header:   headerOf(e.Response.Headers),
		Body:     []byte(e.Response.Content.Text),
		Size:     e.Response.Content.Size,
		Fault:    e.Fault,
		Cut:      e.Cut,
		Withheld: e.Withheld,
	}}
	k.Probe.ID = e.Exchange
	if e.Response.Content.Encoding == base64Encoding {
		if k.Body, err = base64.StdEncoding.DecodeString(e.Response.Content.Text); err != nil {
			return fmt.Errorf("response.content.text is no base64: %w", err)
		}
	}
	if e.Fault != nil && len(k.Body) == 0 {
		k.Body = nil
	}
	k.Method, k.URL, k.Sent = e.Request.Method, e.Request.URL, headerOf(e.Request.Headers)
	if e.Request.PostData != nil {
		k.SentBody = e.Request.PostData.Text
	}
	return nil
}

// pairs returns a header sorted by name. Several values of one name keep their order.
func pairs(header http.Header) []pair {
	list := []pair{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			list = append(list, pair{name, value})
		}
	}
	return list
}

func headerOf(list []pair) http.Header {
	header := http.Header{}
	for _, p := range list {
		header[p.Name] = append(header[p.Name], p.Value)
	}
	return header
}
