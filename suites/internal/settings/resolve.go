package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Defaults are used for the embedded reference only. For a remote target the token, application id and users are
// required.
type Defaults struct {
	AccessToken, ApplicationID string
	Users                      []exchange.User
}

// Resolve validates what was read; now decides which entries have expired. The error lists every fault, one per line,
// with its flag, variable, or file, line and member. It may show a secret that was given in the wrong setting: show it
// without the Secrets.
//
// The commands differ as follows.
// Plan needs no token and no application id.
// Sweep does not open the users file, has no default deadline, and needs both versions.
// Judge uses only the baseline and the report folder, and merge only the report folder. Both validate no other setting,
// and read only the report folder from the file.
//
// A setting for other commands, from the environment or the file, is validated and then ignored. A caution says so of
// concurrency.
func (i *Input) Resolve(d Defaults, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(i, &Settings{Secrets: i.Secrets()}, contract, now)
	r.checkVariables()
	for _, s := range r.rows {
		if (i.command&asking | s.in&i.command) != 0 {
			r.choose(s, slices.Collect(i.values(s, false))...)
		}
	}
	if i.command&asking != 0 {
		c := i.configuration(false)
		if r.note(c.err); c.err != nil { // no setting in the file can be validated
			return r.result()
		}
		r.note(errors.Join(c.faults...))
		r.misspelt = c.misspelt
	}
	r.apply()
	if i.command&asking != 0 {
		r.finish(d)
	}
	return r.result()
}

// finish sets and checks what depends on several settings.
func (r *resolver) finish(d Defaults) {
	r.setRecorded()
	r.setTargets()
	if !r.misspelt {
		r.finishTargets(d)
	}
	r.finishRoutes()
	r.nameSubject()
	r.checkTokenEnds()
}

// resolver is the state of one Resolve.
type resolver struct {
	in       *Input
	contract *schemas.Contract
	now      time.Time
	settings *Settings
	rows     []setting
	// chosen has the strongest value of each setting that was given, by setting name.
	chosen    map[string]rawValue
	effective map[string]Effective
	faults    []error
	atOnce    bool // no pipe is read
	misspelt  bool // a member of the file that was meant for the target is unknown
}

func newResolver(in *Input, s *Settings, contract *schemas.Contract, now time.Time) *resolver {
	return &resolver{in: in, contract: contract, now: now, settings: s, rows: table(in.command),
		chosen: map[string]rawValue{}, effective: map[string]Effective{}}
}

func (r *resolver) fail(format string, values ...any) { r.note(fmt.Errorf(format, values...)) }

func (r *resolver) note(err error) {
	isSame := func(other error) bool { return other.Error() == err.Error() }
	if err != nil && !slices.ContainsFunc(r.faults, isSame) { // what is wrong for two versions is said once
		r.faults = append(r.faults, err)
	}
}

func (r *resolver) caution(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(r.settings.Cautions, text) {
		r.settings.Cautions = append(r.settings.Cautions, text)
	}
}

// withoutEffect lists a value as one that changes nothing, and adds a caution with the reason.
func (r *resolver) withoutEffect(g rawValue, why string) {
	r.show(g.name, "without effect", g.source+"; "+why)
	r.caution("%s has no effect: %s", g.location, why)
}

// choose keeps the strongest value of a setting, which is the first. An empty value is an error in every source, even
// if a stronger source overrides it.
func (r *resolver) choose(s setting, list ...rawValue) {
	for _, g := range list {
		switch {
		case g.empty():
			r.fail("%s: is empty: leave it out or give a value", g.location)
		case !utf8.ValidString(g.text):
			r.fail("%s: is not valid UTF-8: give it in UTF-8", g.location)
		}
	}
	if times := len(r.in.flags[s.flag]); times > 1 && s.flag != RecordedFlag {
		hint := ""
		if s.kind == kindList {
			hint = ", such as --" + s.flag + " " + s.fallback
		}
		r.fail("--%s: is given %d times: give it once%s", s.flag, times, hint)
	}
	if len(list) > 0 {
		g := list[0]
		g.setting = s
		r.chosen[s.name] = g
	}
}

// apply validates and stores each setting but those of the target. A setting of another command is only validated.
func (r *resolver) apply() {
	for _, s := range r.rows {
		g, given := r.chosen[s.name]
		if s.ofTarget {
			continue
		}
		if given && s.in&r.in.command == 0 {
			if r.validate(g); s.name == nameConcurrency {
				r.withoutEffect(g, OneAtATime)
			}
			given = false
		}
		if !given {
			g = rawValue{setting: s, text: s.fallback, source: sourceDefault}
		}
		r.set(nil, g)
	}
}

// validate checks a value that is not used.
func (r *resolver) validate(g rawValue) {
	settings := *r.settings
	r.store(&Target{}, &g)
	*r.settings = settings
}

// set validates and stores a value, and lists it as effective.
func (r *resolver) set(t *Target, g rawValue) {
	if r.store(t, &g) && g.in&r.in.command != 0 {
		r.show(g.name, cmp.Or(g.shown, g.text), g.source)
	}
}

// store validates and stores a value. It returns false if choose has already reported that there is none.
func (r *resolver) store(t *Target, g *rawValue) bool {
	if g.set == nil || !usable(*g) {
		return false
	}
	var err error
	if g.kind == kindMode {
		err = checkWord(g.text, g.choices...)
	}
	if err == nil {
		err = g.set(r, t, g)
	}
	if err != nil && g.node == nil { // errors about entries and headers already have their line
		err = fmt.Errorf("%s: %w", g.location, err)
	}
	r.note(err)
	return true
}

// usable reports whether a value is worth validating. choose has already reported the others.
func usable(g rawValue) bool { return !g.empty() && utf8.ValidString(g.text) }

// sourceDefault is the source of a setting that was not given.
const sourceDefault = "default"

// show adds a setting to the list of effective settings.
func (r *resolver) show(name, value, source string) {
	r.effective[name] = Effective{Name: name, Value: value, Source: source}
}

// result returns the settings, or an error with every fault.
func (r *resolver) result() (*Settings, error) {
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	for _, s := range r.rows {
		if effective, ok := r.effective[s.name]; ok {
			r.settings.Effective = append(r.settings.Effective, effective)
		}
	}
	return r.settings, nil
}
