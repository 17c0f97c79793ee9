// Package settings turns the configuration file, the environment and the flags of a command into one judged value.
//
// Every setting is a row of one table (table.go). From it come the flags, the variables that are looked up, the members
// that the file may have, the README's table and the list of effective settings.
//
// Weakest first: the default, the file, the environment, the flags. An unknown variable or member, a setting given as
// nothing, or one given twice is an error that says where it stands.
package settings

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/population"
)

// Settings is what a run, a sweep or a plan was asked to do, judged and complete.
type Settings struct {
	// URLs has the base URL of each version under test, without a trailing slash. Empty when Embedded.
	URLs map[schemas.Version]*url.URL
	// Proxies has the proxy of each version that is asked through one; nil where none is.
	Proxies map[schemas.Version]*Proxy
	// InClear are the versions to which the token travels in clear text.
	InClear []schemas.Version
	// Embedded is true if no URL was given: the embedded reference is the target.
	Embedded bool
	// AccessToken is the administrator's token (§5.1). It is a secret.
	AccessToken string
	// ApplicationID is the identifier of the calling module (§5.2).
	ApplicationID string
	// CA is the system's pool with the private CA added; nil means the system's pool alone.
	CA *x509.CertPool
	// ClientCertificate is shown to a target that asks for one; nil means none.
	ClientCertificate *tls.Certificate
	// TLS is the configuration that a Go program gives, in place of CA and ClientCertificate; nil means none. It
	// verifies.
	TLS *tls.Config
	// CAFile, ClientCertFile and ClientKeyFile are the files they were read from, so that a request can be repeated.
	CAFile, ClientCertFile, ClientKeyFile string
	// Headers are sent with every request, sorted by name. Their values are secrets.
	Headers []Header
	// Users are those whose authenticators are looked up: at least one, and at least one of them enrolled. A sweep
	// reads them by itself, so that here are none.
	Users []User
	// UsersFile is the file of the users, fit to be opened, or StandardInput in a sweep; "" for the embedded users.
	UsersFile string
	// Versions are those under test, in the document's order. At least one.
	Versions []schemas.Version
	// ReportDir is the folder of the reports. A sweep with "" keeps nothing on disk.
	ReportDir string
	// Concurrency is the number of requests in flight, 1 to 256.
	Concurrency int
	// Rate is in requests per second; 0 means unlimited.
	Rate float64
	// Timeout is one request's deadline, over 0 and up to 10 minutes.
	Timeout time.Duration
	// Deadline is the run's, over 0 and up to 24 hours.
	Deadline time.Duration
	// ParityMode is ParityValue or ParityShape.
	ParityMode string
	// Ignore has the places that parity leaves out, those past their date included.
	Ignore []Ignore
	// Divergence is DivergenceReport or DivergenceFail.
	Divergence string
	// Waivers has what the target's owner sets aside, one for each requirement, those past their date included.
	Waivers []Waiver
	// Baseline is the path of an earlier report.json to gate against; empty means none.
	Baseline string
	// LabelFilter and Focus narrow a run, in Ginkgo's language; empty means not at all.
	LabelFilter, Focus string
	// Effective lists every setting in effect with its source, fit to be shown.
	Effective []Effective
	// Secrets are the texts that may stand in no output.
	Secrets []string
}

// The words of the settings that have a fixed choice.
const (
	ParityValue       = "value"
	ParityShape       = "shape"
	DivergenceReport  = "report"
	DivergenceFail    = "fail"
	WaiveFail         = "fail"
	WaiveInconclusive = "inconclusive"
)

// User is a pair known to the target, as a users file gives it.
type User = population.User

// StandardInput in place of the users file stands for the standard input of a sweep.
const StandardInput = population.StandardInput

// Waiver is a requirement that the target's owner sets aside.
type Waiver struct {
	// Requirement is the id of a documented requirement.
	Requirement string
	// Pattern is what the entry gives to match the requirement, such as 2.1/*; empty if it gives the id.
	Pattern string
	// Version is empty if the waiver is for every version.
	Version schemas.Version
	// Verdict is what is set aside: WaiveFail or WaiveInconclusive.
	Verdict string
	Reason  string
	// Until is midnight UTC at the start of the last day on which the waiver holds.
	Until time.Time
	// Where is the entry's place, "file:line".
	Where string
}

// Ignore is a place that parity leaves out.
type Ignore struct {
	// Pointer is a JSON Pointer (RFC 6901) of at least one token; the token "*" stands for every index of an array.
	Pointer, Reason string
	// Until is midnight UTC at the start of the last day on which the entry holds; the zero time means for ever.
	Until time.Time
	// Where is the entry's place, "file:line".
	Where string
}

// Header is a header that is sent with every request.
type Header struct {
	// Name is a token of RFC 9110 section 5.1, as written in the file. Value is a secret.
	Name, Value string
}

// Effective is one setting in effect, fit to be shown.
type Effective struct {
	// Name is the setting's name in the README's table. Value is "set" where the setting is a secret.
	Name, Value string
	// Source is "default", "file conformance.yaml:3", "environment AUTHN_RATE" or "flag --rate".
	Source string
}

// Name is what the entry says of the requirement: its id, or the pattern.
func (w Waiver) Name() string {
	if w.Pattern != "" {
		return w.Pattern
	}
	return w.Requirement
}

// Holds reports whether the waiver is still in force: its last day, in UTC, is included.
func (w Waiver) Holds(now time.Time) bool { return holds(w.Until, now) }

// Holds reports whether the entry is still in force: its last day, in UTC, is included.
func (i Ignore) Holds(now time.Time) bool { return i.Until.IsZero() || holds(i.Until, now) }

func holds(until, now time.Time) bool { return now.Before(until.AddDate(0, 0, 1)) }
