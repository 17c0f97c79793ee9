package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/input"
)

// Defaults are taken for the embedded reference only: a remote target's token, application and users must be given.
type Defaults struct {
	AccessToken, ApplicationID string
	Users                      []User
}

// Resolve judges what was read; now tells which entries are past their date. The error names every fault, one to a
// line, each with its flag, variable, or file, line and member. No secret stands in it.
//
// What differs between commands: a plan needs no token and no application id. A sweep has no users, but the file that
// they are in, which is not opened yet; it has no default deadline and needs both versions. Judge has only the baseline
// and the report folder, merge only the latter; both judge no other setting, and take none from the file but the folder
// of ReportDir. OpenAPI has the versions and their URLs, and needs none. A setting of the environment or the file that is for other commands is judged and then left out.
func (in *Input) Resolve(d Defaults, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(in.command, contract, now)
	r.in = in
	r.note(in.unknownVariables())
	for _, s := range table() {
		if r.judges(s) {
			r.choose(s, append(in.given(s), in.inFile(s)...))
		}
	}
	if in.command&located == 0 {
		r.judge()
		return r.result()
	}
	if in.file != nil {
		c, err := in.file()
		if r.note(err); err != nil { // nothing of it can be judged
			return r.result()
		}
		r.note(errors.Join(c.faults...))
	}
	r.judge()
	if in.command == OpenAPI {
		if r.settings.Embedded = !r.urlGiven(); !r.settings.Embedded {
			r.targetURLs(r.noURL)
		}
		return r.result()
	}
	r.finishToken(d)
	r.finishClientCertificate()
	r.finishTarget(d)
	r.finishRoutes(in.variable)
	return r.result()
}

// judges reports whether a setting is judged, even if the command does without it.
func (r *resolver) judges(s setting) bool { return r.command&targeted != 0 || s.in&r.command != 0 }

// resolver is the state of one Resolve.
type resolver struct {
	command  Command
	in       *Input // nil for a program
	contract *schemas.Contract
	now      time.Time
	settings *Settings
	// won has the strongest source of each setting that was given, by the setting's name.
	won map[string]given
	// urls has the URL given for a version, and that for all under "".
	urls      map[schemas.Version]*url.URL
	effective map[string]Effective
	contents  map[string][]byte
	faults    []error
}

func newResolver(c Command, contract *schemas.Contract, now time.Time) *resolver {
	return &resolver{command: c, contract: contract, now: now, settings: &Settings{}, won: map[string]given{},
		urls: map[schemas.Version]*url.URL{}, effective: map[string]Effective{}, contents: map[string][]byte{}}
}

func (r *resolver) fail(format string, values ...any) { r.note(fmt.Errorf(format, values...)) }

func (r *resolver) note(err error) {
	if err != nil {
		r.faults = append(r.faults, err)
	}
}

// choose keeps the strongest source of a setting. A setting given as nothing is an error at every source: that a
// stronger one covers it today is luck.
func (r *resolver) choose(s setting, list []given) {
	flags := 0
	for _, g := range list {
		switch {
		case g.empty():
			r.fail("%s: is empty: leave it out or give a value", g.place)
		case !utf8.ValidString(g.text):
			r.fail("%s: is not valid UTF-8: give it in UTF-8", g.place)
		}
		if g.strength == fromFlag {
			flags++
		}
	}
	if flags > 1 {
		hint := ""
		if s.kind == kindList {
			hint = ", such as --" + s.flag + " " + s.fallback
		}
		r.fail("--%s: is given %d times: give it once%s", s.flag, flags, hint)
	}
	if len(list) > 0 {
		r.won[s.name] = list[0]
	}
}

// judge reads each setting in effect, but for those that only have a meaning together.
func (r *resolver) judge() {
	for _, s := range table() {
		g, ok := r.won[s.name]
		applies := s.in&r.command != 0
		if ok && !applies && usable(g) {
			own := r.settings // what the setting of another command comes to is thrown away
			r.settings = &Settings{}
			_, err := s.set(r, g)
			r.note(placed(g, err))
			r.settings = own
		}
		if !ok || !applies {
			g = given{text: s.defaultIn(r.command), source: sourceDefault}
		}
		if s.set == nil || !usable(g) {
			continue
		}
		shown, err := s.set(r, g)
		r.note(placed(g, err))
		if applies {
			r.show(s.name, shown, g.source)
		}
	}
}

// placed says where the value of an error stands. Entries say it themselves, each with its line.
func placed(g given, err error) error {
	if err == nil || g.node != nil {
		return err
	}
	return fmt.Errorf("%s: %w", g.place, err)
}

// usable reports whether a value is worth judging: choose has named what is wrong with others.
func usable(g given) bool { return !g.empty() && utf8.ValidString(g.text) }

// sourceDefault is the source of a setting that nobody gave.
const sourceDefault = "default"

// show adds a setting to the list of those in effect.
func (r *resolver) show(name, value, source string) {
	r.effective[name] = Effective{Name: name, Value: value, Source: source}
}

// content is what a file holds, read once: a pipe gives it only once. Errors do not repeat the path.
func (r *resolver) content(path string) (data []byte, err error) {
	data, known := r.contents[path]
	if !known {
		if data, err = input.ReadFile(path); err == nil {
			r.contents[path] = data
		}
	}
	return data, err
}

// contentOf is what the file of a setting holds. Errors name it.
func (r *resolver) contentOf(g given) ([]byte, error) {
	data, err := r.content(g.path())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.path(), err)
	}
	return data, nil
}

// secret notes texts that may stand in no output.
func (r *resolver) secret(texts ...string) {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			r.settings.Secrets = append(r.settings.Secrets, text)
		}
	}
}

// result is the settings, or every fault that was found.
func (r *resolver) result() (*Settings, error) {
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	for _, s := range table() {
		if effective, ok := r.effective[s.name]; ok {
			r.settings.Effective = append(r.settings.Effective, effective)
		}
	}
	for _, v := range r.settings.Versions {
		if p := r.settings.Proxies[v]; p != nil {
			r.settings.Effective = append(r.settings.Effective,
				Effective{Name: "proxy of " + string(v), Value: p.Shown, Source: "environment " + p.Variable})
		}
	}
	return r.settings, nil
}
