package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"authenticator-conformance/suites/internal/ask/bounded"
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

// exhausted are the errors of a machine that has no file, port or memory left for another connection.
var exhausted = []error{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM}

// failedHere returns the error of a request that this machine could not send, or nil. The target did not see it, so it
// is no fault of the target, and nobody refused it. So is a defect of the suite.
func failedHere(err error, s *settings.Settings) error {
	if defect, ok := errors.AsType[*bounded.Defect](err); ok {
		return defect
	}
	if operation, ok := errors.AsType[*net.OpError](err); !ok || operation.Op != "dial" ||
		!slices.ContainsFunc(exhausted, func(known error) bool { return errors.Is(err, known) }) {
		return nil
	}
	return fmt.Errorf("this machine can't open another connection: %w; raise the limit of open files (ulimit -n), "+
		"or send less: %s", err, s.Slower())
}

// faultOf returns the fault of a request without an answer. A header block over the limit is recognised by net/http's
// texts for HTTP/1 and HTTP/2: it exports no error for either. The text ends with more.
func faultOf(err error, c cause, more string) *exchange.Fault {
	text := err.Error()
	if strings.Contains(text, "server response headers exceeded") ||
		strings.Contains(text, "response header list larger than") {
		return fault(exchange.Bound, "the header block is larger than 1 MiB, more than the suite reads"+more)
	}
	hint := c.hint(err)
	_, refused := errors.AsType[*refusal](err)
	advised := hint != "" || refused
	if !advised {
		hint = c.guess(err)
	}
	more = hint + more
	return &exchange.Fault{Kind: exchange.Transport, Detail: unquoted(text) + more, Plain: plainCause(err) + more,
		Advised: advised}
}

// quoted is a text as strconv.Quote writes it.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// unquoted returns a text of net/http with what the target sent as the target sent it. A secret that the target encoded
// would be encoded twice in quoted form, and secrets are looked for once encoded (J21).
func unquoted(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(part string) string {
		sent, err := strconv.Unquote(part)
		if err != nil {
			return part
		}
		return `"` + sent + `"`
	})
}

// hungUp reports whether the error means that the other end closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || // over TLS
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http does not export this one
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
	if (cause{&settings.Settings{}, &version{Target: &settings.Target{}}}).hint(err) != "" {
		return "TLS: the target's certificate or handshake was refused"
	}
	return "the answer is not HTTP or is incomplete; its text is hidden (setting values)"
}

// cause is what is known of a target when a request to it ends without an answer.
type cause struct {
	settings *settings.Settings
	*version
}

// hint returns what to do about a transport error with a known cause, or "".
func (c cause) hint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	var operation *net.OpError
	switch {
	case errors.As(err, &operation) && operation.Op == "proxyconnect":
		return "; it is the proxy that can't be reached: check its address, or " + c.Proxy.Around()
	case errors.As(err, &verification) && len(verification.UnverifiedCertificates) > 1 &&
		verification.UnverifiedCertificates[0].IsCA:
		return "; the server sends its certificates in the wrong order: let it send its own first, then that of its " +
			"signer"
	case errors.As(err, &authority) && (c.CA != nil || c.TLS != nil && c.TLS.RootCAs != nil):
		return "; its certificate is signed by an authority that is not in the file of the private CA: give the " +
			"right one, or let the server send the intermediate certificates, too"
	case errors.As(err, &authority):
		return "; its certificate is signed by an authority that this machine does not know: give a private CA with " +
			c.settings.Named("--ca (AUTHN_CA, target.ca)", "TLS.RootCAs") +
			"; with a public one the server has to send the intermediate certificates, too"
	case errors.As(err, &name) && len(name.Certificate.DNSNames)+len(name.Certificate.IPAddresses) == 0:
		return "; its certificate has no subjectAltName, and the common name alone is not accepted (RFC 9525): let " +
			"it be issued again with the host's name as subjectAltName"
	case errors.As(err, &name):
		return "; its certificate is for another name: use the name in the certificate"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "; its certificate is not valid now: renew it, or set this machine's clock"
	case errors.As(err, &invalid):
		return "; its certificate must not be used for this server (RFC 5280): let it be issued again"
	case errors.As(err, &record):
		return "; the server there does not use TLS: give the URL as http://, if that is meant"
	}
	return c.handshakeHint(err)
}

// handshakeHint returns what to do if the target ended the handshake, or "". crypto/tls has no type for an alert of the
// other side.
func (c cause) handshakeHint(err error) string {
	text := err.Error()
	certificate := c.settings.Named("--client-cert and --client-key", "TLS.Certificates")
	contains := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, "tls: "+part) })
	}
	ended := contains("handshake failure", "bad certificate", "certificate required", "unknown certificate",
		"certificate unknown", "access denied") || hungUp(err)
	switch {
	case contains("no renegotiation"):
		return "; the server asks for a client certificate by renegotiation: give " + certificate
	case contains("unexpected message"):
		return "; the server sent data in the middle of a handshake, as one does that answers before its " +
			"renegotiation has ended: let it ask for the client certificate in the first handshake (IIS: " +
			"clientcertnegotiation=enable)"
	case ended && c.connections != nil && c.connections.asksForCertificate.Load(), contains("certificate required"):
		return "; the server asks for a client certificate: give " + certificate
	case contains("bad certificate", "unknown certificate", "certificate unknown", "access denied",
		"expired certificate",
		"revoked certificate", "unsupported certificate"):
		return "; the server refuses the client certificate: see whether it trusts the signer and whether the " +
			"certificate is valid (" + certificate + ")"
	case contains("handshake failure", "insufficient security"):
		return "; the server has no cipher suite in common with this client, which offers no RSA key exchange: " +
			"enable ECDHE suites there"
	case contains("protocol version not supported", "server selected unsupported protocol version"):
		return "; the server has no version of TLS in common with this client: enable TLS 1.2 or 1.3 there"
	}
	return ""
}

// guess returns what may be the cause of a connection that the target closed, or "".
func (c cause) guess(err error) string {
	if !hungUp(err) || c.URL.Scheme != "https" {
		return ""
	}
	const does = "; a server that wants a client certificate after the handshake does so, too"
	if c.ClientCertificate != nil || c.TLS != nil {
		return does + ", as this client can't give it then with TLS 1.3: let the server use TLS 1.2 or ask in the " +
			"handshake"
	}
	return does + ": give " + c.settings.Named("--client-cert and --client-key", "TLS.Certificates") +
		" if it does (with TLS 1.3 this client can't; let the server use TLS 1.2 or ask in the handshake)"
}
