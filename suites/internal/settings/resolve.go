package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"authenticator-conformance/schemas"

	"github.com/spf13/pflag"
)

// Resolve judges all settings: those of the flags fs (after parsing, defined by AddFlags; nil means none), of environ
// (as os.Environ gives it) and of the configuration file that one of the two names. The defaults d are taken for the
// embedded reference only; now tells which entries are past their date.
//
// The error names every fault that was found, one to a line, each with its flag, variable, or file, line and member.
// No secret stands in it.
func Resolve(fs *pflag.FlagSet, environ []string, d Defaults, contract *schemas.Contract, now time.Time) (*Settings, error) {
	return resolve(newResolver(d.Files, contract, now, definitions()), fs, environ, d)
}

// ResolveForPlan judges all settings as Resolve does, for a command that sends nothing: of a target the token and the
// application id may be missing, for which others stand, and so may the file of the token.
func ResolveForPlan(fs *pflag.FlagSet, environ []string, d Defaults, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(d.Files, contract, now, definitions())
	r.planning = true
	return resolve(r, fs, environ, d)
}

func resolve(r *resolver, fs *pflag.FlagSet, environ []string, d Defaults) (*Settings, error) {
	if r.gather(fs, environ); !r.unreadable {
		r.judge()
		r.finish(d, environ)
	}
	return r.result()
}

func newResolver(files *Files, contract *schemas.Contract, now time.Time, table []definition) *resolver {
	return &resolver{
		files: files, contract: contract, now: now, table: table,
		settings:  &Settings{},
		won:       map[string]given{},
		urls:      map[schemas.Version]*url.URL{},
		effective: map[string]Effective{},
	}
}

// finish reads the settings that only have a meaning together.
func (r *resolver) finish(d Defaults, environ []string) {
	r.finishToken(d)
	r.finishClientCertificate()
	r.finishTarget(d)
	r.finishWays(environ)
}

// result is the settings, or every fault that was found.
func (r *resolver) result() (*Settings, error) {
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	for _, defined := range r.table {
		if effective, ok := r.effective[defined.name]; ok {
			r.settings.Effective = append(r.settings.Effective, effective)
		}
	}
	for _, v := range r.settings.Versions {
		if p := r.settings.Proxies[v]; p != nil {
			r.settings.Effective = append(r.settings.Effective, Effective{Name: "proxy of " + string(v), Value: p.Shown, Source: "environment " + p.Variable})
		}
	}
	return r.settings, nil
}

// resolver is the state of one Resolve.
type resolver struct {
	files    *Files
	contract *schemas.Contract
	now      time.Time
	table    []definition
	environ  []string // as os.Environ gives it
	settings *Settings
	// won has the strongest source of each setting that was given, by the setting's name.
	won map[string]given
	// urls has the URL given for a version, and that for all under "".
	urls      map[schemas.Version]*url.URL
	effective map[string]Effective
	faults    []error
	// planning is true for a command that sends nothing.
	planning bool
	// unreadable tells that the configuration file can't be read as one, so that nothing is known of its settings.
	unreadable bool
}

func (r *resolver) fail(format string, values ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, values...))
}

// gather reads the three sources and keeps the strongest of each setting.
func (r *resolver) gather(fs *pflag.FlagSet, environ []string) {
	r.environ = environ
	flags, err := fromFlags(fs, r.table)
	r.note(err)
	variables, err := fromEnvironment(environ, r.table)
	r.note(err)
	r.layer(variables)
	r.layer(flags)
	config, ok := r.won[nameConfig]
	if !ok || config.empty() {
		return
	}
	members, err := fromFile(r.files, config.path(), r.table)
	if members == nil {
		r.fail("%s: %w", config.place, err)
		r.unreadable = true
		return
	}
	r.note(err)
	r.layer(members)
}

func (r *resolver) note(err error) {
	if err != nil {
		r.faults = append(r.faults, err)
	}
}

// layer keeps what is stronger than what is there. A setting given as nothing is an error at every level: that a
// stronger one covers it today is luck.
func (r *resolver) layer(source map[string]given) {
	for _, d := range r.table {
		g, ok := source[d.name]
		if !ok {
			continue
		}
		switch {
		case g.empty():
			r.fail("%s: is empty: leave it out or give a value", g.place)
		case !utf8.ValidString(g.text):
			r.fail("%s: is not valid UTF-8: give it in UTF-8", g.place)
		}
		if there, ok := r.won[d.name]; !ok || there.level < g.level {
			r.won[d.name] = g
		}
	}
}

// judge reads each setting in effect, but for those that only have a meaning together.
func (r *resolver) judge() {
	for _, d := range r.table {
		g, ok := r.won[d.name]
		if !ok {
			if d.fallback == "" {
				continue
			}
			g = given{level: levelDefault, text: d.fallback, source: sourceDefault, place: "the default of " + d.name}
		}
		if !r.usable(g) {
			continue
		}
		switch {
		case d.entries != nil:
			shown, faults := d.entries(r, g)
			r.faults = append(r.faults, faults...)
			r.show(d, shown, g.source)
		case d.take != nil:
			if err := d.take(r, g); err != nil {
				r.fail("%s: %w", g.place, err)
			}
			r.show(d, g.text, g.source)
		case d.name == nameConfig:
			r.show(d, g.text, g.source)
		}
	}
}

// usable tells whether a value is worth judging: what layer refused was named there.
func (r *resolver) usable(g given) bool { return !g.empty() && utf8.ValidString(g.text) }

// sourceDefault is the source of a setting that nobody gave.
const sourceDefault = "default"

// show adds a setting to the list of those in effect, a secret without its value; entries come fit to be shown.
func (r *resolver) show(d definition, value, source string) {
	if d.secret && d.entries == nil {
		value = "set"
	}
	r.effective[d.name] = Effective{Name: d.name, Value: value, Source: source}
}

// missing says that settings which the target needs were not given, and every way to give them.
func (r *resolver) missing(what string, names ...string) {
	definitions := make([]definition, 0, len(names))
	for _, name := range names {
		if _, ok := r.won[name]; ok {
			return
		}
		definitions = append(definitions, definitionOf(r.table, name))
	}
	r.fail("%s is missing: the target needs it; give %s", what, ways(definitions...))
}

// secret notes texts that may stand in no output.
func (r *resolver) secret(texts ...string) {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			r.settings.Secrets = append(r.settings.Secrets, text)
		}
	}
}
