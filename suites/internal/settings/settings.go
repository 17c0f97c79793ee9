// Package settings turns the configuration file, the environment and the flags of a command into one validated value.
//
// Every setting is a row of one table (rows.go). It defines the flags, the variables, the members of the file, the
// README's table and the list of effective settings.
//
// The sources, weakest first, are the default, the file, the environment and the flags. An unknown variable or member,
// an empty value, or a setting given twice is an error that names its place.
package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/settings/users"
)

// Settings has the validated settings of a run, a sweep or a plan. Evidence stores those with a JSON name, which are
// all that judging and reports depend on.
type Settings struct {
	// Targets has the target of each version under test.
	Targets map[schemas.Version]*Target `json:"targets,omitempty"`
	// Embedded is true if no URL was given: the embedded reference is the target.
	Embedded bool `json:"embedded"`
	// Users are the users whose authenticators are requested: at least one is enrolled. Empty for a sweep with a users
	// file, which it reads itself.
	Users []exchange.User `json:"users"`
	// UsersFile is the path of the users file, or StandardInput in a sweep; "" for the embedded users.
	UsersFile string `json:"-"`
	// Versions are the versions under test, in the order of the API document. At least one.
	Versions []schemas.Version `json:"versions"`
	// Record is the file, or with shards the folder, into which a sweep records the answers of the one version; "" if
	// it compares two.
	Record string `json:"-"`
	// Recorded has the versions that are read from a record instead of being asked; nil if all are asked.
	Recorded map[schemas.Version]*exchange.Recorded `json:"recorded,omitempty"`
	// ReportDir is the folder of the reports. With "" a sweep writes nothing to disk.
	ReportDir string `json:"-"`
	// MetricsFile is where metrics.prom is written beside the report folder; "" means nowhere.
	MetricsFile string `json:"-"`
	// Concurrency is the number of requests of a sweep in flight, 1 to 256. A run has none: it asks one at a time.
	Concurrency int `json:"-"`
	// Rate is in requests per second; 0 means unlimited.
	Rate float64 `json:"-"`
	// Timeout is the limit for one request, over 0 and up to 10 minutes.
	Timeout time.Duration `json:"-"`
	// Deadline is the limit for the whole run, over 0 and up to 24 hours.
	Deadline time.Duration `json:"-"`
	// ParityMode is ParityValue or ParityShape.
	ParityMode string `json:"parity"`
	// Ignore has the places that parity leaves out, including expired entries.
	Ignore []Ignore `json:"ignore"`
	// Divergence is DivergenceReport or DivergenceFail.
	Divergence string `json:"divergence"`
	// Stale is StaleFail or StaleReport; "" is StaleFail.
	Stale string `json:"stale,omitempty"`
	// MinServed is the least share ("50%") or number of users whom each operation of a version must serve in a sweep.
	MinServed string `json:"-"`
	// Values is ValuesShow or ValuesHide; "" shows them too.
	Values string `json:"-"`
	// Waivers has one waiver for each waived requirement, including expired ones.
	Waivers []ledger.Waiver `json:"waivers"`
	// Subject is what a certificate is about. It changes no verdict.
	Subject Subject `json:"subject,omitzero"`
	// Baseline is the path of an earlier report.json to gate against; empty means none.
	Baseline string `json:"-"`
	// LabelFilter and Focus select tests, in Ginkgo's syntax; empty selects all.
	LabelFilter string `json:"labelFilter"`
	Focus       string `json:"focus"`
	// LastFailed is the report folder from which OnlyRows and Users were taken; empty means none.
	LastFailed string `json:"-"`
	// OnlyRows are the rows to judge, such as "2.1/CreatedOn v6"; empty means all.
	OnlyRows []string `json:"onlyRows,omitempty"`
	// Program is true if a Go program gave the settings: messages name the fields of its Config, not flags.
	Program bool `json:"-"`
	// Effective lists every setting in effect with its source, without secrets.
	Effective []Effective `json:"effective"`
	// Cautions are sentences about settings that have no effect. They are printed before anything is sent.
	Cautions []string `json:"-"`
	// Secrets are the texts that must be redacted from all output.
	Secrets []string `json:"-"`
}

// Tokens returns the different tokens of the targets, in the order of their versions.
func (s *Settings) Tokens() []string {
	var tokens []string
	for _, v := range schemas.InOrder(s.Targets) {
		if token := s.Targets[v].AccessToken; token != "" && !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// Named returns how to give a setting: the flags and variables of the command or, in a Go program, the field of Config.
func (s *Settings) Named(flags, field string) string {
	if s.Program {
		return "Config." + field
	}
	return flags
}

// Slower names the settings with which less is sent.
func (s *Settings) Slower() string {
	if s.Concurrency > 0 {
		return "--rate, --concurrency"
	}
	return s.Named("--rate", "Rate")
}

// Subject is the tested product, as its owner names it. Every member may be empty. Where the versions of the API belong
// to several releases, Version and Build name them all: "8.2 (v5), 9.2 (v6)".
type Subject struct {
	Product string `json:"product,omitempty"`
	Version string `json:"version,omitempty"`
	Build   string `json:"build,omitempty"`
	Owner   string `json:"owner,omitempty"`
	// Versions has the release of each version of the API; nil if there is one release.
	Versions map[schemas.Version]Release `json:"versions,omitempty"`
	// ValidFor is how many days a certificate holds after its run; 0 means that it has no end.
	ValidFor int `json:"validFor,omitempty"`
}

// Release is the version and the build of a product.
type Release struct {
	Version string `json:"version,omitempty"`
	Build   string `json:"build,omitempty"`
}

// The values of the settings with a fixed choice.
const (
	ParityValue      = "value"
	ParityShape      = "shape"
	DivergenceReport = "report"
	DivergenceFail   = "fail"
	StaleFail        = "fail"
	StaleReport      = "report"
	ValuesShow       = "show"
	ValuesHide       = "hide"
)

// StandardInput as the path of the users file means standard input. Only a sweep accepts it.
const StandardInput = users.StandardInput

// Effective is one setting in effect, without secrets.
type Effective struct {
	// Name is the setting's name in the README's table. Value is "set" if the setting is a secret.
	Name, Value string
	// Source is "default", "file conformance.yaml:3", "environment AUTHN_RATE" or "flag --rate".
	Source string
}

// InterruptionNote returns a note about times in which the target refused everybody, and served again (J23); "" if
// there were none. renewed is true if the token was renewed meanwhile, and the new one was served.
func (s *Settings) InterruptionNote(interruptions int64, renewed bool) string {
	advice := "if a limit is in front of it, send less: " + s.Slower()
	if renewed {
		advice = "the file of the access token was read again, and the new token was served: renew the file before a " +
			"token ends"
	}
	times := ""
	switch {
	case interruptions == 0:
		return ""
	case interruptions > 1:
		times = fmt.Sprintf(" %d times", interruptions)
	}
	return "the target refused everybody for a while" + times + ", and then served again; " + advice
}

// Rules returns the settings that change verdicts, with entries that are not past their date, as JSON: they are equal
// if two sweeps judge alike. clean takes the secrets out of the targets' texts, so that evidence has the same rules.
// MinServed is none, so that a sweep can be resumed with another value.
func (s *Settings) Rules(now time.Time, clean func(string) string) []byte {
	pointers := []string{}
	for _, i := range Active(s.Ignore, now) {
		pointers = append(pointers, i.Pointer)
	}
	text, _ := json.Marshal(map[string]any{ // texts and lists of them
		nameURL:           s.eachTarget(func(t *Target) string { return clean(t.address(s.Embedded)) }),
		nameApplicationID: s.eachTarget(func(t *Target) string { return clean(t.ApplicationID) }),
		"parity":          s.ParityMode,
		"ignored places":  pointers,
		"divergence":      s.Divergence,
		"waivers":         Active(s.Waivers, now),
		"label filter":    s.LabelFilter,
		"focus":           s.Focus,
		nameLastFailed:    s.OnlyRows,
	})
	return text
}

// eachTarget returns a text of the target of each version under test.
func (s *Settings) eachTarget(text func(*Target) string) map[schemas.Version]string {
	all := map[schemas.Version]string{}
	for _, v := range s.Versions {
		if t := s.Targets[v]; t != nil {
			all[v] = text(t)
		}
	}
	return all
}
