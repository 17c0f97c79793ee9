package client

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// decode returns the body without its content codings (RFC 9110 §8.4). Only gzip (or x-gzip) is accepted, as the suite
// requests no other. The decoded body is limited to maxBody too, so that a small body can't decode to a huge one. An
// empty body is never decoded, whatever its header. With a fault, the body is as far decoded as possible.
func decode(header http.Header, body []byte) ([]byte, *exchange.Fault) {
	codings := codings(header)
	if len(codings) == 0 || len(body) == 0 {
		return body, nil
	}
	var other *exchange.Fault
	if len(codings) > 1 || codings[0] != "gzip" {
		other = &exchange.Fault{Kind: exchange.Encoding,
			Detail: "Content-Encoding is " + strconv.QuoteToASCII(strings.Join(codings, ", ")) +
				", but only gzip was offered",
			Plain: "Content-Encoding is another one than gzip, but only gzip was offered"}
	}
	for _, coding := range slices.Backward(codings) { // the last was applied last
		reader, err := decoder(coding, body)
		if err != nil {
			return body, cmp.Or(other, fault(exchange.Encoding, "Content-Encoding is gzip, but the body is not gzip: "+
				err.Error()))
		}
		if body, err = io.ReadAll(io.LimitReader(reader, maxBody+1)); len(body) > maxBody {
			return body, cmp.Or(other, tooLarge("decoded body"))
		}
		if err != nil {
			return body, cmp.Or(other, fault(exchange.Encoding, "the gzip body is broken: "+err.Error()))
		}
	}
	return body, other
}

// decoder returns a reader that undoes a content coding. Deflate should have the zlib format, but some servers leave
// that out (RFC 9110 §8.4.1.2).
func decoder(coding string, body []byte) (io.Reader, error) {
	in := bytes.NewReader(body)
	switch coding {
	case "gzip":
		return gzip.NewReader(in)
	case "deflate":
		if reader, err := zlib.NewReader(in); err == nil {
			return reader, nil
		}
		return flate.NewReader(bytes.NewReader(body)), nil
	}
	return nil, errors.New("it is unknown")
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
