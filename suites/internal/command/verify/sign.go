package verify

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// Sign signs the statement of a report folder with a private key (PEM), and returns the Sigstore bundle. It is an error
// if a file is not that of the statement. No error contains a part of the key.
func Sign(files Files, key []byte) ([]byte, error) {
	private, err := privateKey(key)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	c, err := open(files, nil)
	if err != nil {
		return nil, err
	}
	if err := c.checkFiles(); err != nil {
		return nil, err
	}
	if len(c.Fails) > 0 {
		return nil, fmt.Errorf("the folder was not signed: %s", c.Lines[0].Text)
	}
	if c.report.Error != nil {
		return nil, fmt.Errorf("the folder was not signed: the run was not carried out: %s",
			report.Printable(*c.report.Error, 300))
	}
	payload := mend(c.contents[report.StatementFile])
	message, options := preAuthentication(payloadType, payload), crypto.SHA256
	switch key := private.Public().(type) {
	case ed25519.PublicKey:
		options = 0 // it signs the message itself
	case *ecdsa.PublicKey: // a digest of the key's size
		if size := key.Curve.Params().BitSize; size > 384 {
			options = crypto.SHA512
		} else if size > 256 {
			options = crypto.SHA384
		}
	}
	if options != 0 {
		message = digestBy(options, message)
	}
	signature, err := private.Sign(rand.Reader, message, options)
	if err != nil {
		return nil, errors.New("--key: it can't sign")
	}
	made := bundle{bundleType, &material{}, &envelope{payload, payloadType, []signed{{signature}}}}
	if public, err := x509.MarshalPKIXPublicKey(private.Public()); err == nil {
		hint := sha256.Sum256(public)
		made.Material.PublicKey.Hint = base64.StdEncoding.EncodeToString(hint[:])
	}
	var text bytes.Buffer
	err = strictjson.WriteIndented(&text, made)
	return text.Bytes(), err
}

func privateKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it has no PEM: expected a private key (PKCS#8, SEC 1 or PKCS#1)")
	}
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "ENCRYPTED PRIVATE KEY", "ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY":
		return nil, errors.New("it is encrypted: decrypt it with openssl pkey, or sign with cosign")
	default:
		return nil, fmt.Errorf("it has a %s: expected a private key", report.Printable(block.Type, 40))
	}
	signer, can := key.(crypto.Signer)
	if err != nil || !can {
		return nil, errors.New("it can't be read as a private key of ECDSA, Ed25519 or RSA")
	}
	return signer, nil
}
