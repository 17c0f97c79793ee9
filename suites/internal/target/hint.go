package target

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// hint says what to do about a fault of transport whose cause is known; "" for others.
func hint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "; its certificate is signed by an authority that this machine does not know: give a private CA with --ca (AUTHN_CA, target.ca)"
	case errors.As(err, &name):
		return "; its certificate is for another name: use the name that the certificate bears"
	case errors.As(err, &invalid):
		return "; its certificate is not valid now: renew it, or set this machine's clock"
	case errors.As(err, &record):
		return "; what answers there does not speak TLS: is the URL's scheme http?"
	default:
		return ""
	}
}
