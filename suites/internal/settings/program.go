package settings

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"authenticator-conformance/schemas"
)

// Program is what a Go program gives in code, instead of a configuration file, variables and flags. A field that has
// its zero value is not given. Each field is a field of conformance.Config, and errors name it so.
type Program struct {
	TargetURL, TargetURLV5, TargetURLV6 string
	AccessToken, ApplicationID          string
	Users                               []User
	Versions                            []string
	TLS                                 *tls.Config
	Header                              http.Header
	Concurrency                         int
	Rate                                float64
	Timeout, Deadline                   time.Duration
	ReportDir                           string
}

// field is the name of a field of Program in errors, and the source of its value in the list of effective settings.
func field(name string) string { return "Config." + name }

// Resolve judges the settings. The environment (as os.Environ gives it) tells the proxies and nothing else. The error
// names every fault that was found, one to a line, each with its field. No secret stands in it.
func (p Program) Resolve(environ []string, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(nil, contract, now, definitions())
	r.environ = environ
	r.layer(p.texts())
	r.judge()
	if p.ReportDir == "" {
		r.settings.ReportDir = ""
		delete(r.effective, nameReportDir)
	}
	r.programVersions(p.Versions)
	r.programCredentials(p)
	r.programUsers(p.Users)
	r.programHeader(p.Header)
	r.programTLS(p.TLS)
	r.programURLs()
	r.finishWays(environ)
	return r.result()
}

// texts are the settings whose value is one text, by the setting's name.
func (p Program) texts() map[string]given {
	list := map[string]given{}
	give := func(setting, name, text string) {
		if text != "" {
			list[setting] = given{level: levelFlag, text: text, source: field(name), place: field(name)}
		}
	}
	give(nameURL, "TargetURL", p.TargetURL)
	give(nameVersionURL(schemas.V5), "TargetURLV5", p.TargetURLV5)
	give(nameVersionURL(schemas.V6), "TargetURLV6", p.TargetURLV6)
	give(nameApplicationID, "ApplicationID", p.ApplicationID)
	give(nameReportDir, "ReportDir", p.ReportDir)
	if !slices.Contains(p.Versions, "") {
		give(nameVersions, "Versions", strings.Join(p.Versions, listSeparator))
	}
	if p.Concurrency != 0 {
		give(nameConcurrency, "Concurrency", strconv.Itoa(p.Concurrency))
	}
	if p.Rate != 0 {
		give(nameRate, "Rate", strconv.FormatFloat(p.Rate, 'f', -1, 64))
	}
	if p.Timeout != 0 {
		give(nameTimeout, "Timeout", p.Timeout.String())
	}
	if p.Deadline != 0 {
		give(nameDeadline, "Deadline", p.Deadline.String())
	}
	return list
}

// programVersions refuses an entry that is empty or holds several versions: what is one text elsewhere is a list here.
func (r *resolver) programVersions(versions []string) {
	for i, version := range versions {
		if version == "" || strings.Contains(version, listSeparator) {
			r.fail("%s[%d]: %s is no version of the API: expected %s", field("Versions"), i, quote(version), strings.Join(versionWords(), " or "))
		}
	}
}

func (r *resolver) programCredentials(p Program) {
	if p.ApplicationID == "" {
		r.fail("%s: is empty: give the identifier of the calling module", field("ApplicationID"))
	}
	if p.AccessToken == "" {
		r.fail("%s: is empty: give the administrator's token", field("AccessToken"))
		return
	}
	if err := tokenFault(p.AccessToken); err != nil {
		r.fail("%s: %w", field("AccessToken"), err)
		return
	}
	r.settings.AccessToken = p.AccessToken
	r.secret(p.AccessToken)
	r.showProgram(nameToken, "AccessToken", "")
}

// showProgram adds a setting that the program gave to the list of those in effect.
func (r *resolver) showProgram(setting, name, value string) {
	r.show(definitionOf(r.table, setting), value, field(name))
}

// programUsers keeps the rules of a users file.
func (r *resolver) programUsers(users []User) {
	name := field("Users")
	if len(users) == 0 {
		r.fail("%s: is empty: give at least one user that the target knows", name)
		return
	}
	judge := newRowJudge(name, r.contract)
	first, enrolled := map[string]int{}, false
	for i, user := range users {
		place := fmt.Sprintf("%s[%d]", name, i)
		if expected := judge.idFault(user.ID); expected != "" {
			r.fail("%s.ID: expected %s, got %s", place, expected, quote(user.ID))
		}
		switch {
		case user.UserID == "":
			r.fail("%s.UserID: is empty: expected the user's internal identifier", place)
		case !utf8.ValidString(user.UserID):
			r.fail("%s.UserID: is not valid UTF-8: give it in UTF-8", place)
		}
		key := user.Key()
		if at, twice := first[key]; twice {
			r.fail("%s: the user with ID %s and UserID %s stands twice (first as %s[%d]): leave one", place, quote(user.ID), quote(user.UserID), name, at)
		} else {
			first[key] = i
		}
		enrolled = enrolled || user.Enrolled
	}
	if !enrolled {
		r.fail("%s: every user is marked NotEnrolled, so nothing could be witnessed: give at least one who is enrolled", name)
	}
	r.settings.Users = slices.Clone(users)
	r.showProgram(nameUsers, "Users", strconv.Itoa(len(users)))
}

// programHeader keeps the rules of target.headers. No error shows a value.
func (r *resolver) programHeader(header http.Header) {
	seen := map[string]bool{}
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		values, canonical := header[name], textproto.CanonicalMIMEHeaderKey(name)
		fault := headerFault(name, canonical)
		switch {
		case fault != "":
		case seen[canonical]:
			fault = fmt.Sprintf("header %s stands twice: leave one", name)
		case len(values) != 1:
			fault = fmt.Sprintf("header %s has %d values: give one", name, len(values))
		default:
			fault = headerValueFault("header "+name, values[0])
		}
		seen[canonical] = true
		if fault != "" {
			r.fail("%s: %s", field("Header"), fault)
			continue
		}
		shown = append(shown, name+" (set)")
		r.settings.Headers = append(r.settings.Headers, Header{Name: name, Value: values[0]})
		r.secret(headerSecrets(name, values[0])...)
	}
	if len(shown) > 0 {
		r.showProgram(nameHeaders, "Header", strings.Join(shown, ", "))
	}
}

// programTLS takes a copy, so that what is verified can't be changed after it was judged (J18).
func (r *resolver) programTLS(config *tls.Config) {
	if config == nil {
		return
	}
	if config.InsecureSkipVerify {
		r.fail("%s: InsecureSkipVerify is set, but a target whose certificate nobody verifies could be anyone: take it out, and "+
			"give the certificates of a private CA in RootCAs", field("TLS"))
		return
	}
	r.settings.TLS = config.Clone()
}

// programURLs gives each version under test the URL given for it, else the one given for all.
func (r *resolver) programURLs() {
	r.settings.URLs = map[schemas.Version]*url.URL{}
	if !r.urlGiven() {
		r.fail("%s: is empty: give the base URL of the target, such as https://host/prefix", field("TargetURL"))
		return
	}
	for _, v := range r.settings.Versions {
		_, own := r.won[nameVersionURL(v)]
		_, general := r.won[nameURL]
		switch {
		case own && r.urls[v] != nil:
			r.settings.URLs[v] = r.urls[v]
		case !own && general && r.urls[""] != nil:
			r.settings.URLs[v] = r.urls[""]
		case !own && !general:
			r.fail("%s%s: is empty, and %s is under test: give its base URL, or one for all versions in %s", field("TargetURL"),
				strings.ToUpper(string(v)), v, field("TargetURL"))
		}
	}
}
