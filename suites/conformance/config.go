package conformance

import (
	"crypto/tls"
	"maps"
	"net/http"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// User is a pair known to the target, whose authenticators are looked up (§4.1).
type User struct {
	// ID is a GUID; UserID is not empty.
	ID, UserID string
	// NotEnrolled means that the target has no authenticator for this user.
	NotEnrolled bool
}

// Target is the installation that is asked for one version of the API. A zero field is that of Config.
type Target struct {
	// URL is the base URL of the service, with or without a path prefix.
	URL string
	// AccessToken is the administrator's token (§5.1), a secret; ApplicationID identifies the calling module (§5.2).
	AccessToken, ApplicationID string
	// TLS and Header take the place of those of Config, whole.
	TLS    *tls.Config
	Header http.Header
	// Proxy is the URL of the proxy to this target, "none" for none; "" means that of HTTPS_PROXY, HTTP_PROXY and
	// NO_PROXY.
	Proxy string
	// Recorded is the path of a record of the version, which is read instead of asking it: what conformance sweep
	// --record wrote, or the report folder of an earlier run. One version at least is asked.
	Recorded string
	// SubjectVersion and SubjectBuild say which release of the product it is.
	SubjectVersion, SubjectBuild string
}

// Config is what Register needs to know of the target. TargetURL, AccessToken, ApplicationID and Users must be given;
// the first three may be given by version in Targets instead.
type Config struct {
	// Targets has the target of a version, "v5" or "v6", where it differs from that of all. A token or a header that is
	// given here is sent to this version only.
	Targets map[string]Target
	// TargetURL is the base URL of the service, with or without a path prefix. TargetURLV5 and TargetURLV6 take its
	// place for one version.
	TargetURL, TargetURLV5, TargetURLV6 string
	// AccessToken is the administrator's token (§5.1), a secret; ApplicationID identifies the calling module (§5.2).
	AccessToken, ApplicationID string
	// Users are those whose authenticators are looked up. At least one is enrolled.
	Users []User
	// Versions are those under test, "v5" and "v6"; none means both.
	Versions []string
	// TLS holds a private CA, client certificates and the like; nil means Go's defaults. A configuration that does not
	// verify the target's certificate (InsecureSkipVerify) is refused. The minimum version is TLS 1.2.
	TLS *tls.Config
	// Header is sent with every request, one value for each name. Its values count as secrets.
	Header http.Header
	// SubjectProduct, SubjectVersion, SubjectBuild and SubjectOwner say in the report what was tested; each may be
	// empty.
	SubjectProduct, SubjectVersion, SubjectBuild, SubjectOwner string
	// ValidFor is how long a certificate holds, such as "90d"; empty means that it has no end.
	ValidFor string
	// Concurrency has no effect: a run asks one request at a time. It is kept so that programs compile.
	Concurrency int
	// Rate is in requests per second; 0 means unlimited.
	Rate float64
	// Timeout is one request's deadline, up to 10 minutes; 0 means 10 seconds. Deadline is that of all requests
	// together, up to 24 hours; 0 means 10 minutes.
	Timeout, Deadline time.Duration
	// ReportDir is the folder for the same files that the command conformance run writes: report.html, report.json and
	// the others. In its name, {date} is the day and time of the start in UTC. If it is empty, nothing is written.
	ReportDir string
	// Replace lets the files replace a signed certificate, or those of another command, in ReportDir. Otherwise such a
	// folder is refused.
	Replace bool
	// MetricsFile is the path of a file for the metrics beside the one in ReportDir, such as one in the folder of node
	// exporter's textfile collector. If it is empty, there is none.
	MetricsFile string
	// Values is "show" or "hide": whether the files and the messages of the specs have the values of users, or types
	// and lengths in their place; "" means "show".
	Values string
	// Parity is what v5 and v6 must agree on, "value" or "shape"; "" means "value". Ignore has places that the
	// comparison leaves out.
	Parity string
	Ignore []Ignored
	// Divergence is what to do where v5 and v6 differ at an open point, "report" or "fail"; "" means "report".
	Divergence string
	// Stale is what stale waivers and entries of the baseline do, "fail" or "report"; "" means "fail".
	Stale string
	// Waivers are failures, or checks that can't be decided, that the owner of the target waives. Their specs are
	// skipped.
	Waivers []Waiver
	// Baseline is the path of a file that conformance run --update-baseline wrote. What failed then may fail, and its
	// specs are skipped.
	Baseline string
	// FailInconclusive makes a spec fail that could not be decided. Otherwise it is skipped, and the number of such
	// specs is printed at the end of the suite.
	FailInconclusive bool
}

// Waiver is a requirement that the owner of the target waives.
type Waiver struct {
	// Requirement is an id, or a pattern such as 2.1/*. Version is "v5", "v6", "v5=v6" or, for all of them, "".
	Requirement, Version string
	// Verdict is what is waived: "fail" or, for "", that; or "inconclusive".
	Verdict string
	Reason  string
	// Until is the last day on which the waiver holds.
	Until time.Time
}

// Ignored is a place that the comparison of v5 with v6 leaves out.
type Ignored struct {
	// Pointer is a JSON Pointer; the token * matches every index of an array.
	Pointer, Reason string
	// Until is the last day on which the entry holds; zero means for ever.
	Until time.Time
}

// settings validates the configuration. The error names each wrong field.
func (c *Config) settings(environ []string, contract *schemas.Contract, now time.Time) (*settings.Settings, error) {
	users := make([]exchange.User, len(c.Users))
	for i, u := range c.Users {
		users[i] = exchange.User{ID: u.ID, UserID: u.UserID, Enrolled: !u.NotEnrolled}
	}
	return settings.Program{Config: *c, Users: users}.Resolve(environ, contract, now)
}

// out returns the way out for the token and the values of headers. It also works for an invalid configuration, where a
// secret may be in the wrong field.
func (c *Config) out() *sanitize.Output {
	var values []string
	add := func(token string, header http.Header) {
		values = append(values, token)
		for _, name := range slices.Sorted(maps.Keys(header)) {
			values = append(values, header[name]...)
		}
	}
	add(c.AccessToken, c.Header)
	for _, v := range slices.Sorted(maps.Keys(c.Targets)) {
		add(c.Targets[v].AccessToken, c.Targets[v].Header)
	}
	return sanitize.Of(values...)
}

// knownVersions returns the known versions that a configuration names, or all if it names none of them.
func knownVersions(named []string) []schemas.Version {
	versions := slices.DeleteFunc(schemas.Versions(),
		func(v schemas.Version) bool { return !slices.Contains(named, string(v)) })
	if len(versions) == 0 {
		return schemas.Versions()
	}
	return versions
}

// recordedVersions returns the versions that have a record.
func recordedVersions(c *Config) []schemas.Version {
	return slices.DeleteFunc(schemas.Versions(),
		func(v schemas.Version) bool { return c.Targets[string(v)].Recorded == "" })
}

// none is the way out for the values that a test passes to a matcher: it knows no secrets.
var none = sanitize.Of()
