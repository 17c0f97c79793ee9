package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
)

// Observed is what a version of the target showed of itself in its first answer.
type Observed struct {
	TLS    *Certificate `json:"tls,omitempty"`    // nil without TLS
	Server string       `json:"server,omitempty"` // the header
}

// Certificate is the certificate of a TLS server (RFC 5280).
type Certificate struct {
	Key    string    `json:"key"`    // digest of its public key (SubjectPublicKeyInfo), sha256:…
	Issuer string    `json:"issuer"` // distinguished name
	Until  time.Time `json:"until"`
}

// ObservedIn returns what an answer shows of the target.
func ObservedIn(answer *http.Response) *Observed {
	o := &Observed{Server: answer.Header.Get("Server")}
	if answer.TLS != nil && len(answer.TLS.PeerCertificates) > 0 {
		leaf := answer.TLS.PeerCertificates[0]
		digest := sha256.Sum256(leaf.RawSubjectPublicKeyInfo)
		o.TLS = &Certificate{"sha256:" + hex.EncodeToString(digest[:]), leaf.Issuer.String(), leaf.NotAfter.UTC()}
	}
	return o
}
