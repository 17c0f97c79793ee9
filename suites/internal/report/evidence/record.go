package evidence

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// recordFormat is the version of the member _run that is written. Unknown versions are an error. Format 1 can still be
// read: its answers were redacted after judging, and those that would now be judged differently are marked.
const (
	recordFormat = 2
	oldestFormat = 1
)

// Record has what judging needs of a run besides its exchanges. It is the archive's member _run.
type Record struct {
	Format   int              `json:"format"`
	ID       string           `json:"id"`
	Started  time.Time        `json:"started"`
	Finished time.Time        `json:"finished"`
	Contract string           `json:"contract"` // digest of the contract that the run was judged with
	Error    *string          `json:"error"`    // why the run could not be carried out to its end
	Counts   exchange.Counts  `json:"counts"`
	Unknown  string           `json:"unknownToken"` // the random token that was sent as an unknown one
	Settings recordedSettings `json:"settings"`
	Values   string           `json:"values,omitempty"` // "hide" if the values of users are hidden

	// Observed is what each version showed of itself.
	Observed map[schemas.Version]exchange.Observed `json:"observed,omitempty"`
}

// recordedSettings has the settings that judging and reports depend on, and the base URLs as texts.
type recordedSettings struct {
	Target map[schemas.Version]string `json:"target"`
	settings.Settings
}

// RecordOf returns the record of a run without secrets.
func RecordOf(r *result.Result, out *output) Record {
	s := r.Settings
	record := Record{Format: recordFormat, ID: r.ID, Started: r.Started.UTC(), Finished: r.Finished.UTC(),
		Contract: r.Suite.Contract.Digest, Counts: r.Counts, Unknown: r.Unknown, Observed: out.Observed(r.Observed)}
	if out.Hides() {
		record.Values = settings.ValuesHide
	}
	if r.Err != nil {
		message := out.Error(r.Err)
		record.Error = &message
	}
	record.Settings = recordedSettings{map[schemas.Version]string{}, *out.Settings(s)}
	for version, base := range s.URLs {
		record.Settings.Target[version] = out.Clean(base.String())
	}
	return record
}

// settings returns the settings of the run that judging depends on. Invalid values are errors.
func (r *Record) settings(versions []schemas.Version) (*settings.Settings, error) {
	s := r.Settings.Settings
	s.Concurrency = 1
	switch {
	case r.Format < oldestFormat || r.Format > recordFormat:
		return nil, fmt.Errorf("_run.format: expected %d or %d, found %d: the file is of another version of the "+
			"suite, or no evidence of this suite", oldestFormat, recordFormat, r.Format)
	case !validVersions(s.Versions, versions):
		return nil, fmt.Errorf("_run.settings.versions: expected some of %s in their order, found %q",
			schemas.Named(versions),
			s.Versions)
	case !slices.ContainsFunc(s.Users, func(u exchange.User) bool { return u.Enrolled }):
		return nil, errors.New("_run.settings.users: expected at least one user that is enrolled")
	case s.ParityMode != settings.ParityValue && s.ParityMode != settings.ParityShape:
		return nil, fmt.Errorf("_run.settings.parity: expected value or shape, found %q", s.ParityMode)
	case s.Divergence != settings.DivergenceReport && s.Divergence != settings.DivergenceFail:
		return nil, fmt.Errorf("_run.settings.divergence: expected report or fail, found %q", s.Divergence)
	}
	for _, v := range s.Versions {
		if r.Settings.Target[v] == "" {
			return nil, fmt.Errorf("_run.settings.target.%s is missing: expected the base URL of %s", v, v)
		}
	}
	return &s, nil
}

// validVersions reports whether the list has versions of the document, each once and in its order.
func validVersions(list, all []schemas.Version) bool {
	known := slices.DeleteFunc(slices.Clone(all), func(v schemas.Version) bool { return !slices.Contains(list, v) })
	return len(list) > 0 && slices.Equal(list, known)
}
