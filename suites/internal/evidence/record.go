package evidence

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/run"
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
}

// recordedSettings has the settings that judging and reports depend on. Of headers it has only the names.
type recordedSettings struct {
	Target        map[schemas.Version]string         `json:"target"`
	Proxies       map[schemas.Version]settings.Proxy `json:"proxies,omitempty"` // without credentials
	InClear       []schemas.Version                  `json:"inClear,omitempty"`
	Embedded      bool                               `json:"embedded"`
	ApplicationID string                             `json:"applicationId"`
	CA            string                             `json:"ca"`
	ClientCert    string                             `json:"clientCert"`
	ClientKey     string                             `json:"clientKey"`
	Headers       []string                           `json:"headers"`
	Users         []settings.User                    `json:"users"`
	Versions      []schemas.Version                  `json:"versions"`
	Parity        string                             `json:"parity"`
	Ignore        []settings.Ignore                  `json:"ignore"`
	Divergence    string                             `json:"divergence"`
	Waivers       []settings.Waiver                  `json:"waivers"`
	LabelFilter   string                             `json:"labelFilter"`
	Focus         string                             `json:"focus"`
	Effective     []settings.Effective               `json:"effective"`
}

// RecordOf returns the record of a run without secrets. err is why the run could not be carried out to its end, or nil.
func RecordOf(r *run.Run, out *output, err error) Record {
	s, clean := r.Settings, out.Clean
	record := Record{Format: recordFormat, ID: r.ID, Started: r.Started.UTC(), Finished: r.Finished.UTC(),
		Contract: r.Contract.Digest, Counts: r.Counts(), Unknown: r.Unknown}
	if out.Hides() {
		record.Values = settings.ValuesHide
	}
	if err != nil {
		message := out.Error(err)
		record.Error = &message
	}
	record.Settings = recordedSettings{
		Target: map[schemas.Version]string{}, InClear: s.InClear, Embedded: s.Embedded,
		ApplicationID: clean(s.ApplicationID), CA: clean(s.CAFile), ClientCert: clean(s.ClientCertFile),
		ClientKey: clean(s.ClientKeyFile), Versions: s.Versions, Parity: s.ParityMode, Divergence: s.Divergence,
		LabelFilter: s.LabelFilter, Focus: s.Focus, Headers: []string{}, Users: storedUsers(out, s.Users),
		Ignore: []settings.Ignore{}, Waivers: []settings.Waiver{}, Effective: []settings.Effective{},
	}
	for version, base := range s.URLs {
		record.Settings.Target[version] = clean(base.String())
	}
	for version, p := range s.Proxies {
		if record.Settings.Proxies == nil {
			record.Settings.Proxies = map[schemas.Version]settings.Proxy{}
		}
		record.Settings.Proxies[version] = settings.Proxy{Shown: clean(p.Shown), Variable: p.Variable}
	}
	for _, h := range s.Headers {
		record.Settings.Headers = append(record.Settings.Headers, clean(h.Name))
	}
	for _, i := range s.Ignore {
		i.Pointer, i.Reason, i.Where = clean(i.Pointer), clean(i.Reason), clean(i.Where)
		record.Settings.Ignore = append(record.Settings.Ignore, i)
	}
	for _, w := range s.Waivers {
		w.Pattern, w.Reason, w.Where = clean(w.Pattern), clean(w.Reason), clean(w.Where)
		record.Settings.Waivers = append(record.Settings.Waivers, w)
	}
	for _, e := range s.Effective {
		e.Value, e.Source = clean(e.Value), clean(e.Source)
		record.Settings.Effective = append(record.Settings.Effective, e)
	}
	return record
}

func storedUsers(out *output, users []settings.User) []settings.User {
	list := []settings.User{}
	for _, u := range users {
		list = append(list, out.StoredUser(exchange.Probe{User: u}))
	}
	return list
}

// settings returns the settings of the run that judging depends on. Invalid values are errors.
func (r *Record) settings() (*settings.Settings, error) {
	in := r.Settings
	s := &settings.Settings{
		InClear: in.InClear, Embedded: in.Embedded, ApplicationID: in.ApplicationID,
		CAFile: in.CA, ClientCertFile: in.ClientCert, ClientKeyFile: in.ClientKey, Versions: in.Versions,
		Concurrency: 1, ParityMode: in.Parity, Divergence: in.Divergence, Ignore: in.Ignore, Waivers: in.Waivers,
		LabelFilter: in.LabelFilter, Focus: in.Focus, Effective: in.Effective, Users: in.Users,
	}
	for version, p := range in.Proxies {
		if s.Proxies == nil {
			s.Proxies = map[schemas.Version]*settings.Proxy{}
		}
		s.Proxies[version] = &p
	}
	for _, name := range in.Headers {
		s.Headers = append(s.Headers, settings.Header{Name: name})
	}
	switch {
	case r.Format < oldestFormat || r.Format > recordFormat:
		return nil, fmt.Errorf("_run.format: expected %d or %d, found %d: the file is of another version of the "+
			"suite, or no evidence of this suite", oldestFormat, recordFormat, r.Format)
	case !validVersions(s.Versions):
		return nil, fmt.Errorf("_run.settings.versions: expected v5, v6 or both, found %q", s.Versions)
	case !slices.ContainsFunc(s.Users, func(u settings.User) bool { return u.Enrolled }):
		return nil, errors.New("_run.settings.users: expected at least one user that is enrolled")
	case s.ParityMode != settings.ParityValue && s.ParityMode != settings.ParityShape:
		return nil, fmt.Errorf("_run.settings.parity: expected value or shape, found %q", s.ParityMode)
	case s.Divergence != settings.DivergenceReport && s.Divergence != settings.DivergenceFail:
		return nil, fmt.Errorf("_run.settings.divergence: expected report or fail, found %q", s.Divergence)
	}
	for _, v := range s.Versions {
		if in.Target[v] == "" {
			return nil, fmt.Errorf("_run.settings.target.%s is missing: expected the base URL of %s", v, v)
		}
	}
	return s, nil
}

// validVersions reports whether the list has versions of the document, each once and in its order.
func validVersions(list []schemas.Version) bool {
	known := slices.DeleteFunc(schemas.Versions(), func(v schemas.Version) bool { return !slices.Contains(list, v) })
	return len(list) > 0 && slices.Equal(list, known)
}
