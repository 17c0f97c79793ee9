package settings

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
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
	// Config is a struct with the fields that the table of settings names. A zero field is not set. Errors use the
	// fields' names.
	Config        any
	AccessToken   string
	ApplicationID string
	Users         []exchange.User
	TLS           *tls.Config
	Header        http.Header
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
	if p.ApplicationID == "" {
		r.fail("Config.ApplicationID: is empty: give the identifier of the calling module")
	}
	if field := "Config.AccessToken"; p.AccessToken == "" {
		r.fail("Config.AccessToken: is empty: give the administrator's token")
	} else {
		r.setToken(nameToken, rawValue{source: field, location: field}, p.AccessToken, "set")
	}
	r.programUsers(p.Users)
	r.programHeader(p.Header)
	if p.TLS != nil && p.TLS.InsecureSkipVerify {
		r.fail("Config.TLS: InsecureSkipVerify is set, but a target whose certificate nobody verifies could " +
			"be anyone: remove it, and give the certificates of a private CA in RootCAs")
	}
	r.settings.TLS = p.TLS.Clone() // so that the caller can't change the verification after this check (J18)
	if !r.urlGiven() {
		r.fail("Config.TargetURL: is empty: give the base URL of the target, such as https://host/prefix")
	} else {
		r.targetURLs(func(v schemas.Version) {
			r.fail("Config.TargetURL%s: is empty, and %s is under test: give its base URL, or one for all versions "+
				"in Config.TargetURL", strings.ToUpper(string(v)), v)
		})
	}
	r.finishRoutes()
	return r.result()
}

// chooseFields chooses the settings that have a field in the program's Config.
func (r *resolver) chooseFields(config reflect.Value) {
	for _, s := range table() {
		v, name := config.FieldByName(s.field), "Config."+s.field
		if !v.IsValid() || v.IsZero() {
			continue
		}
		g := rawValue{source: name, location: name}
		switch v.Kind() {
		case reflect.Slice:
			if v.Len() == 0 {
				continue
			}
			if s.kind == kindRecords {
				g.field, g.node = name, entriesOf(v)
				break
			}
			var words []string
			for i := range v.Len() {
				words = append(words, v.Index(i).String())
				if word := words[i]; word == "" || strings.Contains(word,
					listSeparator) { // one text in the other sources
					r.fail("%s[%d]: %w", name, i, notAVersion(word))
				}
			}
			g.text = strings.Join(words, listSeparator)
		default:
			g.text = fieldText(v)
		}
		r.choose(s, []rawValue{g})
	}
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
				for _, scalar := range []string{strings.ToLower(field.Name), text} {
					entry.Content = append(entry.Content,
						&yaml.Node{Kind: yaml.ScalarNode, Tag: input.Text, Value: scalar, Line: i})
				}
			}
		}
		list.Content = append(list.Content, entry)
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

// programHeader validates the headers by the rules of target.headers. No error shows a value.
func (r *resolver) programHeader(header http.Header) {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		values, canonical := header[name], textproto.CanonicalMIMEHeaderKey(name)
		fault := r.addHeader(name, func() (value, fault string) {
			switch {
			case seen[canonical]:
				return "", fmt.Sprintf("header %s occurs twice: remove one", name)
			case len(values) != 1:
				return "", fmt.Sprintf("header %s has %d values: give one", name, len(values))
			}
			return values[0], ""
		})
		seen[canonical] = true
		if fault != "" {
			r.fail("Config.Header: %s", fault)
		}
	}
	if len(header) > 0 {
		r.showHeaders("Config.Header")
	}
}
