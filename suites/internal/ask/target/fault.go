package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// errLargeHeader is the error of a header block that net/http reads and that is over the limit: of HTTP/2 it takes some
// hundred bytes more.
var errLargeHeader = errors.New("response header list larger than the limit")

// headerSize returns the size in bytes of a header block as HTTP/1.1 writes it.
func headerSize(header http.Header) int {
	size := 0
	for name, values := range header {
		for _, value := range values {
			size += len(name) + len(": ") + len(value) + len("\r\n")
		}
	}
	return size
}

// faultOf returns the fault of a request without an answer. A header block over the limit is recognised by net/http's
// texts for HTTP/1 and HTTP/2: it exports no error for either. The text ends with more.
func faultOf(err error, s *settings.Settings, more string) *exchange.Fault {
	text := err.Error()
	if strings.Contains(text, "server response headers exceeded") ||
		strings.Contains(text, "response header list larger than") {
		return fault(exchange.Bound, "the header block is larger than 1 MiB, more than the suite reads"+more)
	}
	more = hint(err, s) + more
	return &exchange.Fault{Kind: exchange.Transport, Detail: text + more, Plain: plainCause(err) + more}
}

// plainCause returns the text of the known cause in an error, because the texts of net/http and crypto/x509 quote what
// the target sent.
func plainCause(err error) string {
	var operation *net.OpError
	var lookup *net.DNSError
	var errno syscall.Errno
	var alert tls.AlertError
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, &lookup):
		return lookup.Error()
	case errors.As(err, &errno) && errors.As(err, &operation):
		return operation.Op + " " + operation.Net + ": " + errno.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &alert):
		return alert.Error()
	}
	for _, known := range []error{io.ErrUnexpectedEOF, io.EOF, context.DeadlineExceeded, os.ErrDeadlineExceeded,
		context.Canceled, net.ErrClosed} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if hint(err, &settings.Settings{}) != "" {
		return "TLS: the target's certificate or handshake was refused"
	}
	return "the answer is not HTTP or is incomplete; its text is hidden (setting values)"
}

// hint returns what to do about a transport error with a known cause, or "".
func hint(err error, s *settings.Settings) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "; its certificate is signed by an authority that this machine does not know: give a private CA with " +
			s.Named("--ca (AUTHN_CA, target.ca)", "TLS.RootCAs")
	case errors.As(err, &name):
		return "; its certificate is for another name: use the name in the certificate"
	case errors.As(err, &invalid):
		return "; its certificate is not valid now: renew it, or set this machine's clock"
	case errors.As(err, &record):
		return "; the server there does not use TLS: is the URL's scheme http?"
	default:
		return ""
	}
}
