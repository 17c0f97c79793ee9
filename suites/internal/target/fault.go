package target

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"

	"authenticator-conformance/suites/internal/exchange"
)

// faultOf returns the fault of a request without an answer. A header block over the limit is recognised by net/http's
// texts for HTTP/1 and HTTP/2: it exports no error for either.
func faultOf(err error) *exchange.Fault {
	text := err.Error()
	if strings.Contains(text, "server response headers exceeded") ||
		strings.Contains(text, "response header list larger than") {
		return &exchange.Fault{Kind: exchange.Bound,
			Detail: "the header block is larger than 1 MiB, more than the suite reads"}
	}
	return &exchange.Fault{Kind: exchange.Transport, Detail: text + hint(err)}
}

// hint returns what to do about a transport error with a known cause, or "".
func hint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "; its certificate is signed by an authority that this machine does not know: give a private CA with --ca (AUTHN_CA, target.ca)"
	case errors.As(err, &name):
		return "; its certificate is for another name: use the name in the certificate"
	case errors.As(err, &invalid):
		return "; its certificate is not valid now: renew it, or set this machine's clock"
	case errors.As(err, &record):
		return "; what answers there does not speak TLS: is the URL's scheme http?"
	default:
		return ""
	}
}
