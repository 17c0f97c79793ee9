package evidence

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/har"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/strictjson"
)

// entry is an exchange as an entry of the archive. Members that HAR lacks start with an underscore, as HAR 1.2
// requires.
type entry struct {
	har.Entry
	Response *response          `json:"response"`
	Exchange string             `json:"_exchange"`
	Probe    *exchange.Probe    `json:"_probe"`
	Fault    *exchange.Fault    `json:"_fault,omitempty"`
	Cut      *exchange.Cut      `json:"_cut,omitempty"`
	Withheld *exchange.Withheld `json:"_withheld,omitempty"`
	Altered  string             `json:"_unjudgeable,omitempty"` // format 1: why it can't be judged again
}

type response struct {
	har.Response
	Content content `json:"content"`
}

// content is a body as text; the HAR library decodes it only as bytes.
type content struct {
	plainContent
	Text string `json:"text"`
}

type plainContent har.Content

const base64Encoding = "base64"

// text returns the exchange as an entry of the archive, in JSON.
func (k *Entry) text() []byte {
	text, _ := strictjson.Encode(k.entry()) // these types always have a JSON form
	return text
}

func (k *Entry) entry() *entry {
	ms, proto := float64(k.Duration)/float64(time.Millisecond), cmp.Or(k.Proto, "HTTP/1.1")
	e := &entry{
		Entry: har.Entry{
			StartedDateTime: k.Started.UTC().Format(time.RFC3339Nano),
			Time:            ms,
			Request: &har.Request{
				Method: k.Method, URL: k.URL, HTTPVersion: proto, Cookies: []*har.Cookie{},
				Headers: nameValuePairs(k.Sent), QueryString: []*har.NameValuePair{}, HeadersSize: -1,
				BodySize: int64(len(k.SentBody)),
			},
			Cache:   &har.Cache{},
			Timings: &har.Timings{Wait: ms},
		},
		Response: &response{
			Response: har.Response{
				Status: int64(k.Status), StatusText: http.StatusText(k.Status), HTTPVersion: proto,
				Cookies: []*har.Cookie{}, Headers: nameValuePairs(k.Header), RedirectURL: k.Header.Get("Location"),
				HeadersSize: -1, BodySize: -1,
			},
			Content: content{
				plainContent: plainContent{Size: int64(k.Length()), MimeType: k.Header.Get("Content-Type")},
				Text:         string(k.Body),
			},
		},
		Exchange: k.Probe.ID,
		Probe:    &k.Probe,
		Fault:    k.Fault,
		Cut:      k.Cut,
		Withheld: k.Withheld,
	}
	if !utf8.Valid(k.Body) {
		e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(k.Body), base64Encoding
	}
	if k.SentBody != "" {
		e.Request.PostData = &har.PostData{
			MimeType: k.Sent.Get("Content-Type"), Params: []*har.Param{}, Text: k.SentBody,
		}
	}
	return e
}

// stored returns the exchange of an archive entry. The error names the missing or invalid member.
func (e *entry) stored() (*Entry, error) {
	switch {
	case e.Exchange == "":
		return nil, errors.New("_exchange is missing")
	case e.Probe == nil:
		return nil, errors.New("_probe is missing")
	case e.Request == nil:
		return nil, errors.New("request is missing")
	case e.Response == nil:
		return nil, errors.New("response is missing")
	}
	started, err := time.Parse(time.RFC3339Nano, e.StartedDateTime)
	if err != nil {
		return nil, fmt.Errorf("startedDateTime: expected a time of RFC 3339, found %q", e.StartedDateTime)
	}
	k := &Entry{Exchange: exchange.Exchange{
		Probe:    *e.Probe,
		Started:  started,
		Duration: time.Duration(math.Round(e.Time * float64(time.Millisecond))),
		Status:   int(e.Response.Status),
		Proto:    e.Response.HTTPVersion,
		Header:   headerOf(e.Response.Headers),
		Body:     []byte(e.Response.Content.Text),
		Size:     int(e.Response.Content.Size),
		Fault:    e.Fault,
		Cut:      e.Cut,
		Withheld: e.Withheld,
	}}
	k.Probe.ID = e.Exchange
	if e.Response.Content.Encoding == base64Encoding {
		if k.Body, err = base64.StdEncoding.DecodeString(e.Response.Content.Text); err != nil {
			return nil, fmt.Errorf("response.content.text is no base64: %w", err)
		}
	}
	if e.Fault != nil {
		k.Body = nil
	}
	k.Method, k.URL, k.Sent = e.Request.Method, e.Request.URL, headerOf(e.Request.Headers)
	if e.Request.PostData != nil {
		k.SentBody = e.Request.PostData.Text
	}
	return k, nil
}

// nameValuePairs returns a header sorted by name. Several values of one name keep their order.
func nameValuePairs(header http.Header) []*har.NameValuePair {
	list := []*har.NameValuePair{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, &har.NameValuePair{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(list, func(a, b *har.NameValuePair) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func headerOf(list []*har.NameValuePair) http.Header {
	header := http.Header{}
	for _, pair := range list {
		if pair != nil {
			header[pair.Name] = append(header[pair.Name], pair.Value)
		}
	}
	return header
}
