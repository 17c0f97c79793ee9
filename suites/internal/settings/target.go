package settings

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/net/http/httpguts"

	"authenticator-conformance/suites/internal/settings/input"
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

// words matches values made of words, such as application/json; q=high. A random secret rarely matches: no word has
// over 16 letters, and only its first may be a capital unless all are.
var words = regexp.MustCompile(`^(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15})([-/._,;=* ]+(\p{Lu}{1,16}|\p{Lu}?\p{Ll}{1,15}))*$`)

// Header is a header that is sent with every request.
type Header struct {
	// Name is a token of RFC 9110 section 5.1, as it was given. Value is a secret.
	Name, Value string
}

// MarshalText returns the name of the header. The value is never stored.
func (h Header) MarshalText() ([]byte, error) { return []byte(h.Name), nil }

// UnmarshalText reads the name of a header.
func (h *Header) UnmarshalText(name []byte) error {
	h.Name = string(name)
	return nil
}

// setHeaders reads the extra headers of the file or of a Go program. No error shows a value, and only the valid start
// of a wrong name: a misplaced value may be part of it.
func (r *resolver) setHeaders(t *Target, g *rawValue) error {
	var list []Header
	var shown []string
	var faults []error
	first := map[string]string{} // where each header is
	for name, value := range input.Members(g.node) {
		place, where := g.fileLine(name.Line), fmt.Sprintf("on line %d", name.Line)
		if g.file == "" {
			place, where = g.location, "there"
		}
		text, fault := r.headerValue(g, name.Value, value)
		h, form := Header{name.Value, text}, form{subject: "header " + name.Value + ": its value"}
		if r.unlessWords(text); strings.HasSuffix(strings.ToLower(h.Name), "authorization") {
			// even if the header is wrong
			r.secret(text)
			form.scheme = bearer
		}
		var again error
		canonical := textproto.CanonicalMIMEHeaderKey(h.Name)
		if earlier, twice := first[canonical]; twice {
			again = fmt.Errorf("header %s is already %s: remove one", h.Name, earlier)
		}
		first[canonical] = cmp.Or(first[canonical], where)
		if err := cmp.Or(headerFault(h.Name), again, fault, form.fault(text)); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", place, err))
			continue
		}
		list, shown = append(list, h), append(shown, h.Name+" (set)")
	}
	slices.SortFunc(list, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(shown)
	g.shown, t.Headers = strings.Join(shown, ", "), list
	return errors.Join(faults...)
}

// headerFault returns what is wrong with a header's name (RFC 9110 section 5.6.2).
func headerFault(name string) error {
	notInToken := func(r rune) bool { return !httpguts.IsTokenRune(r) }
	if at := strings.IndexFunc(name, notInToken); at >= 0 || name == "" {
		return fmt.Errorf("a header name that begins with %s is no token of RFC 9110: expected letters, digits and "+
			"hyphens, such as X-Tenant", input.Quote(name[:max(at, 0)]))
	}
	ownHeaders := []string{"User-Agent", "Content-Type", "Content-Length", "Accept-Encoding", "Host", "Connection",
		"Transfer-Encoding", "Te", "Trailer", "Upgrade"} // which the suite or the HTTP transport sets
	if slices.Contains(ownHeaders, textproto.CanonicalMIMEHeaderKey(name)) {
		return fmt.Errorf("header %s is set by the suite itself: remove it", name)
	}
	return nil
}

// headerValue returns a header's value of the file. Its source is a text, an environment variable, or a file, whose
// final line break is dropped.
func (r *resolver) headerValue(g *rawValue, name string, from *yaml.Node) (string, error) {
	value, err := kindHeader.text(from)
	switch {
	case err != nil:
		return "", fmt.Errorf("header %s: %w", name, err)
	case g.file != "" && placeholder.MatchString(value):
		return "", fmt.Errorf("header %s: ${…} is not replaced in this file: to take the value from a variable of "+
			"the environment, write {env: %s}", name, placeholder.FindStringSubmatch(value)[1])
	case from.Kind != yaml.MappingNode:
		return value, nil
	}
	var source struct {
		Env  string `yaml:"env"`
		File string `yaml:"file"`
	}
	if err := from.Load(&source, yaml.WithKnownFields()); err != nil || (source.Env == "") == (source.File == "") {
		return "", fmt.Errorf("header %s: expected a text, {env: NAME} or {file: PATH}, and nothing else", name)
	}
	if source.Env != "" {
		value, ok := Variable(r.in.environ, source.Env)
		if !ok {
			r.unlessWords(source.Env) // it can be the secret itself
			return "", fmt.Errorf("header %s: the variable %s is not set: set it, or correct its name", name,
				plainName(source.Env))
		}
		return value, nil
	}
	data, err := r.content(g.relativeTo(source.File))
	if err != nil {
		if !filepath.IsAbs(source.File) {
			r.unlessWords(source.File)
		}
		return "", fmt.Errorf("header %s: the file %s %w", name, input.Quote(g.relativeTo(source.File)), err)
	}
	return withoutLineBreak(string(data)), nil
}

// placeholder is how other tools name a variable inside a text.
var placeholder = regexp.MustCompile(`\$\{(\w+)[^}]*\}`)
