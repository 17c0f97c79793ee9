package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
)

// Command is a command that reads settings. The constants are bits and can be combined.
type Command uint8

// The commands that have settings.
const (
	Run Command = 1 << iota
	Plan
	Sweep
	Judge
	Merge
)

// Groups of commands: those that send requests, those that run the suite, and those that write reports.
const (
	asking  = Run | Plan | Sweep
	running = Run | Plan
	all     = asking | Judge | Merge
)

// setting is one row of the table, with everything about one setting. A command reads the settings that have its bit in
// `in`.
type setting struct {
	name, flag, key string
	// env is the variable. If it is "", a setting with a flag and a key has that of the flag's name.
	env string
	// field is the field of the Go API's Config and, for one version, of its Target; "" if it has none.
	field string
	in    Command
	kind  kind
	// fallback is the default value of the command as text; "" means none.
	fallback string
	help     string
	// sweepHelp is the help for a sweep, if it differs. A setting with sweepHelp has no default in a sweep.
	sweepHelp string
	set       setter
	// choices are what a shell offers. A setting of kindMode has one of them.
	choices []string
	// ofTarget is true for the settings of a target. Each has a row for all versions and one for each version.
	ofTarget bool
	// version is the version of the API that the row is for; "" for all.
	version schemas.Version
	// replaces is the name of the setting that this one is another way to give; "" if there is none.
	replaces string
}

// The names of settings that the code refers to.
const (
	nameURL, nameApplicationID                        = "target URL", "application id"
	nameToken, nameTokenFile                          = "access token", "access token file"
	nameTLS, nameProxy, nameHeaders                   = "TLS", "proxy", "headers"
	nameClientCert, nameClientKey                     = "client certificate", "client key"
	nameUsers, nameVersions, nameValues, nameBaseline = "users", "versions", "values", "baseline"
	nameReportDir, nameMetricsFile                    = "report folder", "metrics file"
	nameConfig, nameLastFailed                        = "configuration file", "what failed last"
	nameConcurrency                                   = "concurrency"
)

// ConcurrencyFlag is a flag of a sweep. OneAtATime is the reason why a run has none.
const (
	ConcurrencyFlag = "concurrency"
	OneAtATime      = "a run asks one request at a time"
)

// LastFailedFlag names a report folder. It is read before the reports in the folder of this run replace it.
const LastFailedFlag = "last-failed"

// table returns all settings, with the defaults of a command, in the order of the README. A setting of the target has a
// row for all versions and one for each.
func table(c Command) (all []setting) {
	for _, s := range rows(c) {
		if c == Sweep && s.sweepHelp != "" {
			s.help, s.fallback = s.sweepHelp, ""
		}
		if s.env == "" && s.flag != "" && s.key != "" {
			s.env = variablePrefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
		}
		if all = append(all, s); s.ofTarget {
			for _, v := range schemas.Versions() {
				all = append(all, s.of(v))
			}
		}
	}
	for _, v := range schemas.Versions() { // the flag is one for all versions
		all = append(all, setting{name: nameRecorded(v), version: v, field: "Recorded", in: asking,
			kind: "PATH", key: "target." + string(v) + ".recorded", set: alreadyRead})
	}
	return all
}

// Names returns what the suite calls its settings: names, flags, variables, members of the file and of the Go API.
func Names() (names []string) {
	for _, s := range table(Run) {
		names = append(names, s.name, "--"+s.flag, s.env, s.key)
		if s.field != "" {
			names = append(names, ForVersion("Config."+s.field, s.version))
		}
	}
	return names
}

// of returns the row of a setting of the target for one version.
func (s setting) of(v schemas.Version) setting {
	s.version, s.name, s.replaces = v, s.name+" of "+string(v), s.base()
	s.flag, s.env, s.key = ForVersion(s.flag, v), ForVersion(s.env, v), ForVersion(s.key, v)
	s.help += ", for " + string(v)
	return s
}

// base returns the name of the setting for all versions, in the first of its forms.
func (s setting) base() string { return cmp.Or(s.replaces, s.name) }

// ForVersion returns the name that a setting of the target has if it is given for one version. It takes a flag, a
// variable of the environment, a member of the file, or a field of Config.
func ForVersion(name string, v schemas.Version) string {
	group, member, isMember := strings.Cut(name, ".")
	switch {
	case name == "" || v == "":
		return name
	case group == "Config":
		return fmt.Sprintf("Config.Targets[%q].%s", v, strings.TrimPrefix(member, "Target"))
	case isMember:
		return group + "." + string(v) + "." + member
	case strings.HasPrefix(name, variablePrefix):
		return name + "_" + strings.ToUpper(string(v))
	}
	return name + "-" + string(v)
}

// row returns the setting with one of the names above, with the default of a command.
func row(c Command, name string) setting {
	rows := table(c)
	return rows[slices.IndexFunc(rows, func(s setting) bool { return s.name == name })]
}

// ownReportDirs are the default report folders of the commands but run: none replaces the files of another.
var ownReportDirs = map[Command]string{Sweep: "conformance-sweep", Judge: "conformance-judged",
	Merge: "conformance-merged"}

// alternatives returns every way to give a setting for a version, or for all, for the error that it is missing.
func (r *resolver) alternatives(v schemas.Version, name string) string {
	var flags, variables, keys []string
	for _, s := range r.rows {
		if s.base() != name || s.version != v {
			continue
		}
		if r.settings.Program {
			return ForVersion("Config."+s.field, v)
		}
		if s.flag != "" {
			flags = append(flags, "--"+s.flag)
		}
		if s.env != "" {
			variables = append(variables, s.env)
		}
		if s.key != "" {
			keys = append(keys, s.key)
		}
	}
	return strings.Join(append(flags, variables...), ", ") + " or " + strings.Join(keys, ", ") +
		" in the configuration file"
}
