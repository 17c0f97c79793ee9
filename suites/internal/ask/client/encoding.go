package client

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// decode returns the body without its content coding (RFC 9110 §8.4). Only gzip (or x-gzip), once, is decoded, as the
// suite requests no other. The decoded body is limited to maxBody too, so that a small body can't decode to a huge one.
// An empty body is never decoded, whatever its header. With a fault, the body is as far decoded as possible.
func decode(header http.Header, body []byte) ([]byte, *exchange.Fault) {
	codings := codings(header)
	switch {
	case len(codings) == 0 || len(body) == 0:
		return body, nil
	case len(codings) > 1 || codings[0] != "gzip":
		return body, &exchange.Fault{Kind: exchange.Encoding,
			Detail: `Content-Encoding is "` + strings.Join(codings, ", ") + `", but only gzip was offered`,
			Plain:  "Content-Encoding is another one than gzip, but only gzip was offered"}
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body, fault(exchange.Encoding, "Content-Encoding is gzip, but the body is not gzip: "+err.Error())
	}
	switch body, err = io.ReadAll(io.LimitReader(reader, maxBody+1)); {
	case len(body) > maxBody:
		return body, tooLarge("decoded body")
	case err != nil:
		return body, fault(exchange.Encoding, "the gzip body is broken: "+err.Error())
	}
	return body, nil
}

// codings returns the content codings of an answer in lower case. "identity" is left out and "x-gzip" becomes "gzip".
func codings(header http.Header) []string {
	var list []string
	if len(header["Content-Encoding"]) == 0 {
		return nil // as with nearly all answers
	}
	for _, coding := range strings.Split(strings.Join(header.Values("Content-Encoding"), ","), ",") {
		switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
		case "", "identity":
		case "x-gzip":
			list = append(list, "gzip")
		default:
			list = append(list, coding)
		}
	}
	return list
}
