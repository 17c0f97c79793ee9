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

// setTLS checks the TLS configuration of a Go program. It is cloned, so that the caller can't change the verification
// after this check (J18).
func (r *resolver) setTLS(t *Target, g *rawValue) error {
	if g.tls.InsecureSkipVerify {
		return errors.New("InsecureSkipVerify is set, but a target whose certificate nobody verifies could be " +
			"anyone: remove it, and give the certificates of a private CA in RootCAs")
	}
	t.TLS, g.shown = g.tls.Clone(), "set"
	return nil
}

// pemContent returns the content of a file that must be PEM. A binary form, such as PKCS#12, is an error.
func (r *resolver) pemContent(g *rawValue) ([]byte, error) {
	if strings.Contains(g.text, pemMarker) {
		r.secret(keyLines([]byte(g.text))...)
		return nil, errors.New("is PEM text itself: write it to a file, and give the path of that file")
	}
	data, err := r.content(g.path())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", g.path(), err)
	case bytes.HasPrefix(data, []byte{0x30, 0x82}): // a DER sequence of some length
		return nil, fmt.Errorf("%[1]s: is in a binary form, such as PKCS#12 (.pfx, .p12) or DER: convert it to PEM, "+
			"with openssl pkcs12 -in %[1]s -nodes -out file.pem or openssl x509 -inform der -in %[1]s -out file.pem",
			g.path())
	}
	return data, nil
}

// setCA adds a private CA's certificates to the system's pool. A damaged certificate is an error: crypto/x509 would
// skip it silently, and the target would then seem untrusted.
func (r *resolver) setCA(t *Target, g *rawValue) error {
	data, err := r.pemContent(g)
	if err == nil {
		t.CAFile = g.path()
		t.CA, err = poolOf(g.path(), data)
	}
	return err
}

// poolOf returns the system's pool with the certificates of a file.
func poolOf(path string, data []byte) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	count := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != pemCertificate {
			continue
		}
		count++
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d is damaged: %w", path, count, err)
		}
		pool.AddCert(certificate)
	}
	if begun := bytes.Count(data, []byte(pemBegin)); count < begun {
		return nil, fmt.Errorf("%s: %d of %d certificates are damaged: expected PEM text from BEGIN to END", path,
			begun-count, begun)
	}
	if count == 0 {
		return nil, fmt.Errorf("%s: has no certificate: expected at least one in PEM form (%s)", path, pemBegin)
	}
	return pool, nil
}

// setClientCert and setClientKey read the two files of a client certificate.
func (r *resolver) setClientCert(t *Target, g *rawValue) (err error) {
	t.ClientCertFile = g.path()
	t.certPEM, err = r.pemContent(g)
	return err
}

func (r *resolver) setClientKey(t *Target, g *rawValue) error {
	data, err := r.pemContent(g)
	r.secret(keyLines(data)...)
	if bytes.Contains(data, []byte("ENCRYPTED")) {
		return fmt.Errorf("%[1]s: the key is encrypted, and nobody is there to type its password: decrypt it with "+
			"openssl pkey -in %[1]s -out client.key", g.path())
	}
	t.keyPEM, t.ClientKeyFile = data, g.path()
	return err
}

// pairClientCertificate makes the client certificate of the target from its two files. One without the other is an
// error.
func (r *resolver) pairClientCertificate(t *Target, cert, key rawValue) {
	switch {
	case cert.location == "" && key.location == "":
	case key.location == "":
		r.fail("%s: the client certificate needs its key: give %s", cert.location,
			r.alternatives(cert.version, nameClientKey))
	case cert.location == "":
		r.fail("%s: the client key needs its certificate: give %s", key.location,
			r.alternatives(key.version, nameClientCert))
	case t.certPEM != nil && t.keyPEM != nil:
		var err error
		if t.ClientCertificate, err = pairOf(t.certPEM, t.keyPEM); err != nil {
			r.fail("%s and %s: %w", cert.location, key.location, err)
		}
	}
}

// pairOf returns the certificate in a file with its key. The certificate that the key belongs to must come first.
func pairOf(certPEM, keyPEM []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err == nil {
		return &pair, nil
	}
	for block, rest := pem.Decode(certPEM); block != nil; block, rest = pem.Decode(rest) {
		if _, fault := tls.X509KeyPair(rest, keyPEM); fault == nil {
			return nil, errors.New("the chain is in the wrong order: expected the client's own certificate first in " +
				"the file, then that of its signer, and so on")
		}
	}
	return nil, fmt.Errorf("are not a matching certificate and key in PEM form without a password: %w", err)
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
