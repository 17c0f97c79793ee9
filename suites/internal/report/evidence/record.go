package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// recordFormat is the version of the member _run. Any other is an error.
const recordFormat = 3

// Record has what judging needs of a run besides its exchanges. It is the archive's member _run.
type Record struct {
	Format   int             `json:"format"`
	ID       string          `json:"id"`
	Started  time.Time       `json:"started"`
	Finished time.Time       `json:"finished"`
	Contract string          `json:"contract"` // digest of the contract that the run was judged with
	Error    *string         `json:"error"`    // why the run could not be carried out to its end
	Counts   exchange.Counts `json:"counts"`

	// Unknown are the random tokens that were sent as unknown ones.
	Unknown map[schemas.Version]string `json:"unknownToken"`

	Settings recordedSettings `json:"settings"`
	Values   string           `json:"values,omitempty"` // "hide" if the values of users are hidden

	// Observed is what each version showed of itself.
	Observed map[schemas.Version]exchange.Observed `json:"observed"`
}

// recordedSettings has the settings that judging and reports depend on, and the base URLs as texts.
type recordedSettings struct {
	Target map[schemas.Version]string `json:"target"`
	settings.Settings
}

// UnmarshalJSON reads a record. Unknown members are errors, because they could change a verdict. The error for another
// format is a *strictjson.OtherFormat without the release.
func (r *Record) UnmarshalJSON(text []byte) error {
	type plain Record
	var head struct{ Format int }
	if err := json.Unmarshal(text, &head); err == nil && head.Format != recordFormat {
		return &strictjson.OtherFormat{Format: strconv.Itoa(head.Format)}
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	return strict.Decode((*plain)(r))
}

// RecordOf returns the record of a run without secrets.
func RecordOf(r *result.Result, out *output) Record {
	s := r.Settings
	record := Record{Format: recordFormat, ID: r.ID, Started: r.Started.UTC(), Finished: r.Finished.UTC(),
		Contract: r.Suite.Contract.Digest, Counts: r.Counts, Unknown: r.Unknown,
		Observed: out.Observed(r.Observed), Values: out.Values()}
	if r.Err != nil {
		record.Error = new(out.Error(r.Err))
	}
	record.Settings = recordedSettings{map[schemas.Version]string{}, *out.Settings(s)}
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
		stored := r.Settings.Targets[v]
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

// Answers are those of one version, kept to be compared with those of another later.
type Answers struct{ byCall map[call]*Entry }

// call is one of the identical requests for a user, whatever the users file said of the user.
type call struct {
	operation schemas.Operation
	user      string
	round     int
}

func callOf(p exchange.Probe) call { return call{p.Operation, p.User.Key(), p.Round} }

// AnswersOf returns the answers of a version to its well-formed requests, and what is known of their run.
func (e *Evidence) AnswersOf(v schemas.Version, contract *schemas.Contract) (*Answers, exchange.Recorded, error) {
	facts := exchange.Recorded{Digest: e.digest, Target: e.Record.Settings.Target[v], Contract: e.Record.Contract,
		Users: int64(len(e.Settings.Users)), Started: e.Record.Started, Finished: e.Record.Finished}
	subject := e.Settings.Subject
	facts.Subject = (&report.Subject{Product: subject.Product, Version: subject.Version, Build: subject.Build,
		Owner: subject.Owner}).String()
	if e.Settings.Embedded {
		facts.Target = report.BuiltInReference
	}
	a := &Answers{map[call]*Entry{}}
	for p, i := range e.last {
		switch {
		case p.Version != v || !p.WellFormed() || p.Control:
		case judgeable(e.all[i]):
			a.byCall[callOf(p)] = e.all[i]
		default:
			facts.Withheld++
		}
	}
	switch {
	case e.Record.Error != nil:
		return nil, facts, errors.New("its run was not carried out to its end, so not every answer is there: name " +
			"the report folder of a run that was")
	case len(a.byCall) == 0:
		return nil, facts, fmt.Errorf("the evidence has no answer of %s: name the report folder of a run that asked "+
			"it", v)
	case e.Settings.Recorded[v] != nil:
		return nil, facts, fmt.Errorf("%s was read from a record there, too: name that (%s)", v,
			e.Settings.Recorded[v].From)
	case !contract.Is(e.Record.Contract):
		return nil, facts, fmt.Errorf("was recorded by another contract (%s) than that of this suite: compare with "+
			"the release of the suite that recorded it", e.Record.Contract)
	}
	return a, facts, nil
}

// Do returns the recorded answer to a probe. The error wraps exchange.ErrNotRecorded if there is none whose body was
// kept, to be compared.
func (a *Answers) Do(_ context.Context, p exchange.Probe) (*exchange.Exchange, error) {
	k := a.byCall[callOf(p)]
	if k == nil {
		return nil, fmt.Errorf("%s: %w", p.ID, exchange.ErrNotRecorded)
	}
	ex := k.Exchange
	ex.Probe = p
	return &ex, nil
}
