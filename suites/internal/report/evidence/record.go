package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/settings"
)

// recordFormat is the version of the member _run that is written. Unknown versions are an error. Format 1 can still be
// read: its answers were redacted after judging, and those that would now be judged differently are marked. Up to
// format 2 all versions had one target.
const (
	recordFormat = 3
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
	Unknown  unknownTokens    `json:"unknownToken"` // the random tokens that were sent as unknown ones
	Settings recordedSettings `json:"settings"`
	Values   string           `json:"values,omitempty"` // "hide" if the values of users are hidden

	// Observed is what each version showed of itself.
	Observed map[schemas.Version]exchange.Observed `json:"observed"`
}

// recordedSettings has the settings that judging and reports depend on, and the base URLs as texts.
type recordedSettings struct {
	Target map[schemas.Version]string `json:"target"`
	settings.Settings
	*SharedTarget // up to format 2
}

// SharedTarget is the one target of all versions, as format 2 has it.
type SharedTarget struct {
	settings.Target
	Proxies map[schemas.Version]*settings.Proxy `json:"proxies"`
	InClear []schemas.Version                   `json:"inClear"`
}

// unknownTokens are the random tokens that were sent, by version. Up to format 2 it is one text for all.
type unknownTokens map[schemas.Version]string

// UnmarshalJSON reads either form.
func (u *unknownTokens) UnmarshalJSON(text []byte) error {
	var shared string
	if json.Unmarshal(text, &shared) != nil {
		return json.Unmarshal(text, (*map[schemas.Version]string)(u))
	}
	*u = unknownTokens{}
	for _, v := range schemas.Versions() {
		(*u)[v] = shared
	}
	return nil
}

// UnmarshalJSON reads a record. Unknown members are errors, because they could change a verdict.
func (r *Record) UnmarshalJSON(text []byte) error {
	type plain Record
	if err := strictjson.Valid(text); err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	return strict.Decode((*plain)(r))
}

// RecordOf returns the record of a run without secrets.
func RecordOf(r *result.Result, out *output) Record {
	s := r.Settings
	record := Record{Format: recordFormat, ID: r.ID, Started: r.Started.UTC(), Finished: r.Finished.UTC(),
		Contract: r.Suite.Contract.Digest, Counts: r.Counts, Unknown: unknownTokens(r.Unknown),
		Observed: out.Observed(r.Observed)}
	if out.Hides() {
		record.Values = settings.ValuesHide
	}
	if r.Err != nil {
		record.Error = new(out.Error(r.Err))
	}
	record.Settings = recordedSettings{map[schemas.Version]string{}, *out.Settings(s), nil}
	for v, t := range s.Targets {
		record.Settings.Target[v] = out.Clean(t.URL.String())
	}
	return record
}

// settings returns the settings of the run that judging depends on. Invalid values are errors.
func (r *Record) settings(versions []schemas.Version) (*settings.Settings, error) {
	s := r.Settings.Settings
	known := slices.DeleteFunc(slices.Clone(versions),
		func(v schemas.Version) bool { return !slices.Contains(s.Versions, v) })
	switch {
	case r.Format < oldestFormat || r.Format > recordFormat:
		return nil, fmt.Errorf("_run.format: expected %d or %d, found %d: the file is of another version of the "+
			"suite, or no evidence of this suite", oldestFormat, recordFormat, r.Format)
	case len(s.Versions) == 0 || !slices.Equal(s.Versions, known):
		return nil, fmt.Errorf("_run.settings.versions: expected some of %s in their order, found %q",
			schemas.Named(versions), s.Versions)
	case !slices.ContainsFunc(s.Users, func(u exchange.User) bool { return u.Enrolled }):
		return nil, errors.New("_run.settings.users: expected at least one user that is enrolled")
	case s.ParityMode != settings.ParityValue && s.ParityMode != settings.ParityShape:
		return nil, fmt.Errorf("_run.settings.parity: expected value or shape, found %q", s.ParityMode)
	case s.Divergence != settings.DivergenceReport && s.Divergence != settings.DivergenceFail:
		return nil, fmt.Errorf("_run.settings.divergence: expected report or fail, found %q", s.Divergence)
	}
	s.Targets = map[schemas.Version]*settings.Target{}
	for _, v := range s.Versions {
		stored := r.Settings.of(v)
		if r.Settings.Target[v] == "" || stored == nil {
			return nil, fmt.Errorf("_run.settings.target.%s is missing: expected the base URL of %s", v, v)
		}
		base, err := url.Parse(r.Settings.Target[v])
		if err != nil { // a part of it was redacted; it is only shown
			base = &url.URL{Opaque: r.Settings.Target[v]}
		}
		s.Targets[v] = new(*stored)
		s.Targets[v].URL = base
	}
	return &s, nil
}

// of returns the target of a version; nil if there is none.
func (r *recordedSettings) of(v schemas.Version) *settings.Target {
	if r.SharedTarget == nil {
		return r.Targets[v]
	}
	one := r.SharedTarget.Target
	one.Proxy, one.InClear = r.Proxies[v], slices.Contains(r.InClear, v)
	return &one
}
