package target

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"

	"authenticator-conformance/suites/internal/judge/exchange"
)

// decode returns the body without its content encoding (RFC 9110 §8.4.1). Only gzip (or x-gzip) is accepted, as the
// suite requests no other. The decoded body is limited to maxBody too, so that a small body can't decode to a huge one.
// An empty body is never decoded, whatever its header. With a fault, the body is as far decoded as possible.
func decode(header http.Header, encoded []byte) ([]byte, *exchange.Fault) {
	codings := codings(header)
	if len(codings) == 0 || len(encoded) == 0 {
		return encoded, nil
	}
	if len(codings) > 1 || codings[0] != "gzip" {
		return encoded, &exchange.Fault{Kind: exchange.Encoding,
			Detail: "Content-Encoding is " + strconv.QuoteToASCII(strings.Join(codings, ", ")) +
				", but only gzip was offered",
			Plain: "Content-Encoding is another one than gzip, but only gzip was offered"}
	}
	reader, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return encoded, fault(exchange.Encoding, "Content-Encoding is gzip, but the body is not gzip: "+err.Error())
	}
	decoded, err := io.ReadAll(io.LimitReader(reader, maxBody+1))
	if len(decoded) > maxBody {
		return decoded, tooLarge("decoded body")
	}
	if err != nil {
		return decoded, fault(exchange.Encoding, "the gzip body is broken: "+err.Error())
	}
	return decoded, nil
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
