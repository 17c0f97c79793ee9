package exchange

import (
	"fmt"
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
		o.TLS = &Certificate{DigestOf(leaf.RawSubjectPublicKeyInfo), leaf.Issuer.String(), leaf.NotAfter.UTC()}
	}
	return o
}

// Recorded describes a record: the answers of one version, kept to be compared with those of another later.
type Recorded struct {
	From       string    `json:"from"`    // the file or folder that the settings name
	Digest     string    `json:"digest"`  // of what was read: sha256:…
	Target     string    `json:"target"`  // the base URL that was asked, as it may be shown
	Subject    string    `json:"subject"` // the product that was asked, in words; "" if it has no name
	Suite      string    `json:"suite"`   // version and commit of the suite that recorded
	Contract   string    `json:"contract"`
	Settings   string    `json:"settings"` // fingerprint of the settings that change verdicts
	Population string    `json:"population"`
	Users      int64     `json:"users"`
	Withheld   int64     `json:"withheld"` // answers whose body was not kept
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
}

// String describes what was recorded, when, and of what.
func (r *Recorded) String() string {
	days := r.Started.UTC().Format("2006-01-02 15:04")
	if r.Finished.Sub(r.Started) > time.Minute {
		days += " to " + r.Finished.UTC().Format("2006-01-02 15:04")
	}
	subject := ""
	if r.Subject != "" {
		subject = " (" + r.Subject + ")"
	}
	return fmt.Sprintf("recorded %s UTC, of %s%s, record %.19s…", days, r.Target, subject, r.Digest)
}
