package settings

import (
	"regexp"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/settings/input"
)

// Variable returns the value of a variable of an environment ("NAME=value" entries). If the name appears twice the
// later one counts, as for a child process.
func Variable(environ []string, name string) (value string, ok bool) {
	for _, entry := range slices.Backward(environ) {
		if before, after, found := strings.Cut(entry, "="); found && before == name && name != "" {
			return after, true
		}
	}
	return "", false
}

// variablePrefix starts the name of every variable of the suite. Any other variable with this prefix is a typing error.
const variablePrefix = "AUTHN_"

// checkVariables adds an error for each variable with the suite's prefix that no setting uses.
func (r *resolver) checkVariables() {
	var known, unknown []string
	for _, s := range r.rows {
		if s.env != "" {
			known = append(known, strings.TrimPrefix(s.env, variablePrefix))
		}
	}
	for _, entry := range r.in.environ {
		name, _, _ := strings.Cut(entry, "=")
		if rest, isOurs := strings.CutPrefix(name, variablePrefix); isOurs && !slices.Contains(known, rest) {
			unknown = append(unknown, rest)
		}
	}
	slices.Sort(unknown)
	for _, rest := range unknown {
		advice := "unset it or correct its name"
		alone := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		flagOnly := func(s setting) bool { return s.flag == alone && s.env == "" && s.in&r.in.command != 0 }
		if alone != "" && slices.ContainsFunc(r.rows, flagOnly) {
			advice = "this setting has none; give --" + alone
		} else if serviceLink.MatchString(rest) {
			advice = "Kubernetes sets such variables for a Service; set enableServiceLinks: false in the pod's spec, " +
				"or unset it"
		} else if nearest := input.Nearest(rest, known); nearest != "" {
			advice += "; did you mean " + variablePrefix + nearest + "?"
		}
		r.fail("the variable %s is unknown: %s", plainName(variablePrefix+rest), advice)
	}
}

// serviceLink matches the names of the variables that Kubernetes sets for each Service, without the prefix.
var serviceLink = regexp.MustCompile(
	`^(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// plainName returns an ordinary name unchanged and quotes any other.
func plainName(name string) string {
	if quoted := input.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
