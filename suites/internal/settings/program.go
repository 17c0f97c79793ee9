package settings

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/input"
	"authenticator-conformance/suites/internal/population"
)

// Program has the settings that a Go program passes in code, instead of a configuration file, variables and flags. A
// zero field is not set. Each field is a field of conformance.Config, and errors use that name.
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
	ReportDir, Values                   string
	Parity, Divergence, Baseline        string
	Ignore                              []Ignore
	Waivers                             []Waiver // Requirement may be a pattern
}

// Resolve validates the settings. From environ, which has the form of os.Environ, it reads only the proxy variables.
// The error lists every fault, one per line, each with its field, and never a secret.
func (p Program) Resolve(environ []string, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(&Input{command: Run, environ: environ}, contract, now)
	r.settings.Program = true
	r.chooseFields(p)
	r.apply()
	if p.ReportDir == "" {
		r.settings.ReportDir = ""
		delete(r.effective, nameReportDir)
	}
	for i, version := range p.Versions { // a single text in the other sources, a list here
		if version == "" || strings.Contains(version, listSeparator) {
			r.fail("Config.Versions[%d]: %w", i, notAVersion(version))
		}
	}
	if p.ApplicationID == "" {
		r.fail("Config.ApplicationID: is empty: give the identifier of the calling module")
	}
	if p.AccessToken == "" {
		r.fail("Config.AccessToken: is empty: give the administrator's token")
	} else {
		r.setToken(nameToken, fromField("Config.AccessToken", p.AccessToken), p.AccessToken, "set")
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

// fromField returns the text of a field as the value of a setting.
func fromField(field, text string) rawValue {
	return rawValue{text: text, source: field, location: field}
}

// chooseFields chooses the settings whose value is one text.
func (r *resolver) chooseFields(p Program) {
	give := func(setting, name, text string, zero bool) {
		if !zero && text != "" {
			r.choose(row(setting), []rawValue{fromField("Config."+name, text)})
		}
	}
	give(nameURL, "TargetURL", p.TargetURL, false)
	give(nameVersionURL(schemas.V5), "TargetURLV5", p.TargetURLV5, false)
	give(nameVersionURL(schemas.V6), "TargetURLV6", p.TargetURLV6, false)
	give(nameApplicationID, "ApplicationID", p.ApplicationID, false)
	give(nameReportDir, "ReportDir", p.ReportDir, false)
	give(nameValues, "Values", p.Values, false)
	give(nameVersions, "Versions", strings.Join(p.Versions, listSeparator), slices.Contains(p.Versions, ""))
	give(nameConcurrency, "Concurrency", strconv.Itoa(p.Concurrency), p.Concurrency == 0)
	give(nameRate, "Rate", strconv.FormatFloat(p.Rate, 'f', -1, 64), p.Rate == 0)
	give(nameTimeout, "Timeout", p.Timeout.String(), p.Timeout == 0)
	give(nameDeadline, "Deadline", p.Deadline.String(), p.Deadline == 0)
	give(nameParity, "Parity", p.Parity, false)
	give(nameDivergence, "Divergence", p.Divergence, false)
	give(nameBaseline, "Baseline", p.Baseline, false)
	r.chooseEntries(nameIgnore, "Ignore", len(p.Ignore), func(i int) []string {
		return []string{memberPointer, p.Ignore[i].Pointer, memberReason, p.Ignore[i].Reason,
			memberUntil, day(p.Ignore[i].Until)}
	})
	r.chooseEntries(nameWaivers, "Waivers", len(p.Waivers), func(i int) []string {
		w := p.Waivers[i]
		return []string{memberRequirement, w.Requirement, memberVersion, string(w.Version), memberVerdict, w.Verdict,
			memberReason, w.Reason, memberUntil, day(w.Until)}
	})
}

// day returns the date of a time, or "" for the zero time.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// chooseEntries chooses a setting that is a list, as if it were in a configuration file, so that the same rules apply.
// members returns the names and values of an entry; those without a value are left out.
func (r *resolver) chooseEntries(setting, field string, count int, members func(i int) []string) {
	if count == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range count {
		entry := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: i}
		for pair := range slices.Chunk(members(i), 2) {
			if pair[1] != "" {
				for _, text := range pair {
					entry.Content = append(entry.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: i})
				}
			}
		}
		list.Content = append(list.Content, entry)
	}
	name := "Config." + field
	r.choose(row(setting), []rawValue{{node: list, source: name, location: name, field: name}})
}

// programUsers validates the users by the rules of a users file.
func (r *resolver) programUsers(users []User) {
	if len(users) == 0 {
		r.fail("Config.Users: is empty: give at least one user that the target knows")
		return
	}
	idFault := population.IDFault(r.contract)
	first, quote := map[string]int{}, input.Quote
	if r.hidesValues() {
		quote = func(string) string { return "a value that is hidden" }
	}
	for i, user := range users {
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
	if !slices.ContainsFunc(users, func(u User) bool { return u.Enrolled }) {
		r.fail("Config.Users: every user is marked NotEnrolled, so no requirement can pass: add at least one who is " +
			"enrolled")
	}
	r.settings.Users = slices.Clone(users)
	r.show(nameUsers, strconv.Itoa(len(users)), "Config.Users")
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
