package settings

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/settings/input"
	"authenticator-conformance/suites/internal/settings/users"
)

// Program has the settings that a Go program passes in code, instead of a configuration file, variables and flags.
type Program struct {
	// Config is a struct with the fields that the table of settings names, and with those of the target of one version
	// in its map Targets. A zero field is not set. Errors use the fields' names.
	Config any
	Users  []exchange.User
}

// Resolve validates the settings. From environ, which has the form of os.Environ, it reads only the proxy variables.
// The error lists every fault, one per line, each with its field, and never a secret.
func (p Program) Resolve(environ []string, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(&Input{command: Run, environ: environ}, &Settings{Program: true}, contract, now)
	r.chooseFields(reflect.ValueOf(p.Config))
	r.apply()
	if _, given := r.chosen[nameReportDir]; !given {
		r.settings.ReportDir = ""
		delete(r.effective, nameReportDir)
	}
	r.programUsers(p.Users)
	r.finish(Defaults{})
	return r.result()
}

// chooseFields chooses the settings that have a field in the program's Config, or in the target of a version.
func (r *resolver) chooseFields(config reflect.Value) {
	targets := config.FieldByName("Targets")
	for _, s := range r.rows {
		field := s.field + strings.ToUpper(string(s.version)) // such as TargetURLV5
		r.chooseField(s, config.FieldByName(field), "Config."+field)
		if target := targets.MapIndex(reflect.ValueOf(string(s.version))); target.IsValid() {
			name := ForVersion("Config."+s.field, s.version)
			r.chooseField(s, target.FieldByName(name[strings.LastIndex(name, ".")+1:]), name)
		}
	}
	for _, key := range targets.MapKeys() {
		if !slices.Contains(schemas.Versions(), schemas.Version(key.String())) {
			r.fail("Config.Targets: %w", NotAVersion(key.String()))
		}
	}
}

// chooseField chooses the value of a setting, if the field is there and not zero.
func (r *resolver) chooseField(s setting, v reflect.Value, name string) {
	if !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return
	}
	g := rawValue{source: name, location: name}
	switch value := v.Interface().(type) {
	case *tls.Config:
		g.tls = value
	case http.Header:
		g.node = r.headersOf(value, name)
	case []string:
		for i, word := range value {
			if word == "" || strings.Contains(word, listSeparator) { // one text in the other sources
				r.fail("%s[%d]: %w", name, i, NotAVersion(word))
			}
		}
		g.text = strings.Join(value, listSeparator)
	default:
		if s.kind == kindRecords {
			g.node = entriesOf(v)
		} else {
			g.text = fieldText(v)
		}
	}
	if given, twice := r.chosen[s.name]; twice {
		r.fail("%s and %s are both given: give one of them", given.location, g.location)
	}
	r.choose(s, g)
}

// fieldText returns a field as the text that a flag would have. A date has its day, or "" if it is zero.
func fieldText(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Time:
		if value.IsZero() {
			return ""
		}
		return value.Format(time.DateOnly)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// entriesOf returns a list of structs as if it were in a configuration file, so that the same rules apply. The members
// have the fields' names; empty ones are left out.
func entriesOf(v reflect.Value) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: input.List}
	for i := range v.Len() {
		entry := &yaml.Node{Kind: yaml.MappingNode, Tag: input.Mapping, Line: i}
		for at, field := range reflect.VisibleFields(v.Index(i).Type()) {
			if text := fieldText(v.Index(i).Field(at)); text != "" {
				entry.Content = append(entry.Content, textNode(strings.ToLower(field.Name), i), textNode(text, i))
			}
		}
		list.Content = append(list.Content, entry)
	}
	return list
}

func textNode(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: input.Text, Value: text, Line: line}
}

// headersOf returns headers as if they were in a configuration file.
func (r *resolver) headersOf(headers http.Header, field string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.MappingNode, Tag: input.Mapping}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if n := len(headers[name]); n != 1 {
			r.fail("%s: header %s has %d values: give one", field, name, n)
			continue
		}
		list.Content = append(list.Content, textNode(name, 0), textNode(headers[name][0], 0))
	}
	return list
}

// programUsers validates the users by the rules of a users file.
func (r *resolver) programUsers(list []exchange.User) {
	if len(list) == 0 {
		r.fail("Config.Users: is empty: give at least one user that the target knows")
		return
	}
	idFault := users.IDFault(r.contract)
	first, quote := map[string]int{}, input.Quote
	if r.hidesValues() {
		quote = func(string) string { return "a value that is hidden" }
	}
	for i, user := range list {
		place := fmt.Sprintf("Config.Users[%d]", i)
		if expected := idFault(user.ID); expected != "" {
			r.fail("%s.ID: expected %s, got %s", place, expected, quote(user.ID))
		}
		switch {
		case user.UserID == "":
			r.fail("%s.UserID: is empty: expected the user's internal identifier", place)
		case !utf8.ValidString(user.UserID):
			r.fail("%s.UserID: is not valid UTF-8: give it in UTF-8", place)
		}
		if at, twice := first[user.Key()]; twice {
			r.fail("%s: the user with ID %s and UserID %s is the same as Config.Users[%d]: remove one", place,
				quote(user.ID), quote(user.UserID), at)
			continue
		}
		first[user.Key()] = i
	}
	if !slices.ContainsFunc(list, func(u exchange.User) bool { return u.Enrolled }) {
		r.fail("Config.Users: every user is marked NotEnrolled, so no requirement can pass: add at least one who is " +
			"enrolled")
	}
	r.settings.Users = slices.Clone(list)
	r.show(nameUsers, strconv.Itoa(len(list)), "Config.Users")
}
