package settings

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
)

// Target is the installation that is asked for one version of the API, with all that is needed to ask it. Evidence
// stores the fields with a JSON name.
type Target struct {
	// URL is the base URL without a trailing slash; nil if the embedded reference is the target and not yet started.
	URL *url.URL `json:"-"`
	// AccessToken is the administrator's token (§5.1). It is a secret.
	AccessToken string `json:"-"`
	// TokenFile is the path of the file that holds the token, and TokenVariable the variable of the environment; "" if
	// it comes from elsewhere, or from a pipe.
	TokenFile     string `json:"tokenFile,omitempty"`
	TokenVariable string `json:"tokenVariable,omitempty"`
	// HasOwnToken and HasOwnURL are true if the token or the URL was given for this version alone.
	HasOwnToken bool `json:"-"`
	HasOwnURL   bool `json:"-"`
	// ApplicationID is the identifier of the calling module (§5.2).
	ApplicationID string `json:"applicationId"`
	// CA is the system's pool with the private CA added; nil means the system's pool alone.
	CA *x509.CertPool `json:"-"`
	// ClientCertificate is for a target that requests one; nil means none.
	ClientCertificate *tls.Certificate `json:"-"`
	// TLS is the configuration that a Go program gives, instead of CA and ClientCertificate; nil means none. It always
	// verifies certificates.
	TLS *tls.Config `json:"-"`
	// CAFile, ClientCertFile and ClientKeyFile are the paths of the files, for the curl commands that repeat a request.
	CAFile         string `json:"ca"`
	ClientCertFile string `json:"clientCert"`
	ClientKeyFile  string `json:"clientKey"`
	// Headers are sent with every request, sorted by name. Their values are secrets. HasOwnHeaders is true if they were
	// given for this version alone.
	Headers       []Header `json:"headers"`
	HasOwnHeaders bool     `json:"ownHeaders,omitempty"`
	// Proxy is the proxy to the target; nil if it is asked directly.
	Proxy *Proxy `json:"proxy,omitempty"`
	// InClear is true if the token is sent unencrypted over a network.
	InClear bool `json:"inClear,omitempty"`
	// Release is that of the product which answers this version.
	Release Release `json:"-"`

	tokenFrom       string // the place of the token's setting, for errors
	certPEM, keyPEM []byte
	isDirect        bool // no proxy, whatever the environment says
}

// address returns the base URL, or a name for the embedded reference, whose port is random.
func (t *Target) address(isEmbedded bool) string {
	if isEmbedded || t.URL == nil {
		return embeddedTarget
	}
	return t.URL.String()
}
