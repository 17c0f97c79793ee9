package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// readBody reads an answer's body to its end, but at most one byte over the limit, and closes it. If the Content-Length
// is known and at most 64 KiB, it allocates only once.
func readBody(resp *http.Response) ([]byte, error) {
	defer func() { _ = resp.Body.Close() }() // the body has been read; an error on close does not concern the answer
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil // what follows is no body, and reading it would ignore the deadline
	}
	const limit = 64 << 10
	if resp.ContentLength < 0 || resp.ContentLength > limit {
		var body bytes.Buffer // it grows in larger steps than io.ReadAll
		_, err := body.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
		return body.Bytes(), err
	}
	body := make([]byte, resp.ContentLength)
	n, err := io.ReadFull(resp.Body, body)
	for err == nil {
		// net/http never returns more than Content-Length. Reading on returns the end of the body, or the error there.
		_, err = resp.Body.Read(make([]byte, 1))
	}
	if err == io.EOF {
		err = nil
	}
	return body[:n], err
}

// received returns the beginning of a body that did not come whole or can't be decoded, if that is text: what a request
// that should be refused was given all the same (J13). Of a well-formed request it is nothing to judge.
func received(p exchange.Probe, body []byte) []byte {
	if p.WellFormed() {
		return nil
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	body = body[:min(len(body), maxReceived)]
	for cut := 0; cut < utf8.UTFMax; cut++ {
		if text := body[:max(0, len(body)-cut)]; utf8.Valid(text) {
			return text
		}
	}
	return nil
}

// content returns an answer's body with gzip decoded. The fault is set if it is incomplete, undecodable or larger than
// maxBody: then the body is what came, decoded as far as possible.
func (a answer) content() ([]byte, *exchange.Fault) {
	switch {
	case a.StatusCode == http.StatusSwitchingProtocols:
		return nil, fault(exchange.Encoding, "status 101, a change of protocol that was not asked for")
	case len(a.body) > maxBody:
		return a.body, tooLarge("body")
	case a.bodyErr != nil:
		const brokeOff = "the body broke off: "
		begun, _ := decode(a.Header, a.body)
		return begun, &exchange.Fault{Kind: exchange.Transport, Detail: brokeOff + a.bodyErr.Error(),
			Plain: brokeOff + plainCause(a.bodyErr)}
	}
	return decode(a.Header, a.body)
}

// fault returns a fault whose text quotes nothing of the answer.
func fault(kind exchange.FaultKind, text string) *exchange.Fault {
	return &exchange.Fault{Kind: kind, Detail: text, Plain: text}
}

func tooLarge(what string) *exchange.Fault {
	return fault(exchange.Bound, fmt.Sprintf("the %s is larger than 16 MiB, more than the suite reads", what))
}
