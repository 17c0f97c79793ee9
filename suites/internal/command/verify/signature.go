package verify

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

// payloadType is that of a signed in-toto statement.
const payloadType = "application/vnd.in-toto+json"

// bundle is what is read of a Sigstore bundle: its DSSE envelope.
type bundle struct {
	Envelope *struct {
		Payload     []byte `json:"payload"`
		PayloadType string `json:"payloadType"`
		Signatures  []struct {
			Signature []byte `json:"sig"`
		} `json:"signatures"`
	} `json:"dsseEnvelope"`
}

// checkSignature checks the signature of the statement by a public key. The error says that the key can't be read.
func (c *certificate) checkSignature(key []byte) error {
	const name = "signature"
	content := c.contents[bundleFile]
	if key == nil {
		if content != nil {
			c.add(Remark, name, "of %s was not checked: give the signer's public key with --key", bundleFile)
			return nil
		}
		c.add(Remark, name, "not signed: whoever made the certificate is not named")
		return nil
	}
	public, err := publicKey(key)
	if err != nil {
		return fmt.Errorf("--key: %w; expected a public key in PEM, such as cosign.pub", err)
	}
	if content == nil {
		c.add(Breaks, name, "not signed: there is no %s", bundleFile)
		return nil
	}
	var signed bundle
	if err := strictjson.Valid(content); err != nil {
		c.add(Breaks, name, "%s is no JSON: %v", bundleFile, err)
		return nil
	}
	if err := json.Unmarshal(content, &signed); err != nil || signed.Envelope == nil {
		c.add(Breaks, name, "%s is no Sigstore bundle with a DSSE envelope", bundleFile)
		return nil
	}
	digest := sha256.Sum256(key)
	shown := hex.EncodeToString(digest[:])[:16]
	message := preAuthentication(signed.Envelope.PayloadType, signed.Envelope.Payload)
	for _, s := range signed.Envelope.Signatures {
		switch {
		case !verifies(public, message, s.Signature):
		case signed.Envelope.PayloadType != payloadType:
			c.add(Breaks, name, "is of %q, not of an in-toto statement", signed.Envelope.PayloadType)
			return nil
		case !sameJSON(signed.Envelope.Payload, c.contents[report.StatementFile]):
			c.add(Breaks, name, "is of another statement than %s", report.StatementFile)
			return nil
		default:
			c.add(Holds, name, "the owner of the key signed %s (SHA-256 of the key's file: %s…)",
				report.StatementFile,
				shown)
			return nil
		}
	}
	c.add(Breaks, name, "is not by the owner of the key (SHA-256 of the key's file: %s…)", shown)
	return nil
}

// preAuthentication is what DSSE signs (DSSE v1, "PAE").
func preAuthentication(kind string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(payload), payload)
}

func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	one, err := strictjson.Decode(a)
	if err != nil {
		return false
	}
	other, err := strictjson.Decode(b)
	if err != nil {
		return false
	}
	x, _ := json.Marshal(one)
	y, _ := json.Marshal(other)
	return bytes.Equal(x, y)
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

// verifies checks a signature in the way of the key's kind, as cosign signs: ECDSA and RSA over SHA-256, or Ed25519.
func verifies(public any, message, signature []byte) bool {
	digest := sha256.Sum256(message)
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, digest[:], signature)
	case ed25519.PublicKey:
		return ed25519.Verify(key, message, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}
