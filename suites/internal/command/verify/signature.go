package verify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"reflect"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

// payloadType is that of a signed in-toto statement.
const payloadType = "application/vnd.in-toto+json"

// bundle is a Sigstore bundle, as far as a signature by a key needs it.
type bundle struct {
	MediaType string    `json:"mediaType"`
	Material  *material `json:"verificationMaterial"`
	Envelope  *envelope `json:"dsseEnvelope"`
}

// material names the public key: by the base64 of its SHA-256 digest, as cosign does.
type material struct {
	PublicKey struct {
		Hint string `json:"hint"`
	} `json:"publicKey"`
}

// envelope is a DSSE envelope.
type envelope struct {
	Payload     []byte   `json:"payload"`
	PayloadType string   `json:"payloadType"`
	Signatures  []signed `json:"signatures"`
}

type signed struct {
	Signature []byte `json:"sig"`
}

// checkSignature checks the signature of the statement by a public key. The error says that the key can't be read.
func (c *certificate) checkSignature(key []byte) error {
	content := c.contents[report.SignatureFile]
	says := func(state State, format string, values ...any) error {
		c.add(state, "signature", format, values...)
		return nil
	}
	switch {
	case key == nil && content != nil:
		return says(Remark, "of %s was not checked: give the signer's public key with --key", report.SignatureFile)
	case key == nil:
		return says(Remark, "not signed: whoever made the certificate is not named")
	}
	public, err := publicKey(key)
	if err != nil {
		return fmt.Errorf("--key: %w; expected a public key in PEM, such as cosign.pub", err)
	}
	if content == nil {
		return says(Breaks, "not signed: there is no %s", report.SignatureFile)
	}
	var made bundle
	if err := strictjson.Valid(content); err != nil {
		return says(Breaks, "%s is no JSON: %v", report.SignatureFile, err)
	}
	if err := json.Unmarshal(content, &made); err != nil || made.Envelope == nil {
		return says(Breaks, "%s is no Sigstore bundle with a DSSE envelope", report.SignatureFile)
	}
	digest := sha256.Sum256(key)
	shown := hex.EncodeToString(digest[:])[:16]
	message := preAuthentication(made.Envelope.PayloadType, made.Envelope.Payload)
	for _, s := range made.Envelope.Signatures {
		switch {
		case !verifies(public, message, s.Signature):
		case made.Envelope.PayloadType != payloadType:
			return says(Breaks, "is of %q, not of an in-toto statement", made.Envelope.PayloadType)
		case !sameJSON(made.Envelope.Payload, c.contents[report.StatementFile]):
			return says(Breaks, "is of another statement than %s", report.StatementFile)
		default:
			return says(Holds, "the owner of the key signed %s (SHA-256 of the key's file: %s…)",
				report.StatementFile, shown)
		}
	}
	return says(Breaks, "is not by this key (SHA-256 of its file: %s…), or with a digest that is not supported",
		shown)
}

// preAuthentication is what DSSE signs (DSSE v1, "PAE").
func preAuthentication(kind string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(payload), payload)
}

// sameJSON reports whether two texts have the same value, in whatever form.
func sameJSON(a, b []byte) bool {
	one, err := strictjson.Decode(a)
	other, fault := strictjson.Decode(b)
	return err == nil && fault == nil && reflect.DeepEqual(one, other)
}

func publicKey(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("it has no PUBLIC KEY")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch key.(type) {
	case *ecdsa.PublicKey, ed25519.PublicKey, *rsa.PublicKey:
		return key, nil
	}
	return nil, fmt.Errorf("keys of the type %T are not supported", key)
}

// verifies checks a signature in the way of the key's kind: Ed25519, or ECDSA and RSA over SHA-256, as cosign signs, or
// over SHA-384 or SHA-512, as larger keys are used.
func verifies(public any, message, signature []byte) bool {
	if key, is := public.(ed25519.PublicKey); is {
		return ed25519.Verify(key, message, signature)
	}
	for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		digest := digestBy(hash, message)
		switch key := public.(type) {
		case *ecdsa.PublicKey:
			if ecdsa.VerifyASN1(key, digest, signature) {
				return true
			}
		case *rsa.PublicKey:
			if rsa.VerifyPKCS1v15(key, hash, digest, signature) == nil {
				return true
			}
		}
	}
	return false
}

func digestBy(hash crypto.Hash, message []byte) []byte {
	digest := hash.New()
	digest.Write(message)
	return digest.Sum(nil)
}
