package settings

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Parts of the lines around a certificate in a PEM file.
const (
	pemCertificate = "CERTIFICATE"
	pemMarker      = "-----"
	pemBegin       = pemMarker + "BEGIN " + pemCertificate + pemMarker
)

// setCA adds a private CA's certificates to the system's pool. A damaged certificate is an error: crypto/x509 would
// skip it silently, and the target would then seem untrusted.
func (r *resolver) setCA(g rawValue) error {
	data, err := r.contentOf(g)
	if err != nil {
		return err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	count := 0
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != pemCertificate {
			continue
		}
		count++
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("%s: certificate %d is damaged: %w", g.path(), count, err)
		}
		pool.AddCert(certificate)
	}
	if begun := bytes.Count(data, []byte(pemBegin)); count < begun {
		return fmt.Errorf("%s: %d of %d certificates are damaged: expected PEM text from BEGIN to END", g.path(),
			begun-count, begun)
	}
	if count == 0 {
		return fmt.Errorf("%s: has no certificate: expected at least one in PEM form (%s)", g.path(), pemBegin)
	}
	r.settings.CA, r.settings.CAFile = pool, g.path()
	return nil
}

// finishClientCertificate reads the client certificate and its key. One without the other is an error.
func (r *resolver) finishClientCertificate() {
	cert, certGiven := r.chosen[nameClientCert]
	key, keyGiven := r.chosen[nameClientKey]
	switch {
	case certGiven && !keyGiven:
		r.fail("%s: the client certificate needs its key: give %s", cert.location, alternatives(nameClientKey))
	case keyGiven && !certGiven:
		r.fail("%s: the client key needs its certificate: give %s", key.location, alternatives(nameClientCert))
	case certGiven && usable(cert) && usable(key):
		if err := r.loadClientCertificate(cert, key); err != nil {
			r.fail("%s and %s: %w", cert.location, key.location, err)
		}
	}
}

func (r *resolver) loadClientCertificate(cert, key rawValue) error {
	certPEM, certErr := r.contentOf(cert)
	keyPEM, keyErr := r.contentOf(key)
	if err := errors.Join(certErr, keyErr); err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return fmt.Errorf("are not a matching certificate and key in PEM form without a password: %w", err)
	}
	r.settings.ClientCertificate = &pair
	r.settings.ClientCertFile, r.settings.ClientKeyFile = cert.path(), key.path()
	r.secret(keyLines(keyPEM)...)
	r.show(nameClientCert, cert.text, cert.source)
	r.show(nameClientKey, key.text, key.source)
	return nil
}

// minSecretLine is the length of the shortest key line that is redacted. A shorter last line reveals nothing about the
// key, and would match unrelated text.
const minSecretLine = 8

// keyLines returns the lines of private keys in a PEM file, to redact them. A certificate in the same file is not
// secret.
func keyLines(data []byte) []string {
	var lines []string
	private := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, pemMarker):
			private = strings.Contains(line, "BEGIN") && strings.Contains(line, "PRIVATE KEY")
		case private && len(line) >= minSecretLine:
			lines = append(lines, line)
		}
	}
	return lines
}
