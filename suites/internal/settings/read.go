package settings

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings/input"
)

// Input has the flags, variables and configuration file of a command, each read once and not yet validated. It is safe
// for concurrent use.
type Input struct {
	command Command
	flags   map[string][]string
	others  []string
	environ []string
	// config names the configuration file; it is empty if none is named. file reads it on the first call.
	config rawValue
	file   func() *configuration
	// contents has, by path, a function that reads a file on the first call: a pipe can be read only once.
	contents sync.Map
}

// Read collects the settings of a command; Resolve reports what is wrong with them. The flags in args are those of fs,
// or of AddFlags if fs is nil. environ has the form of os.Environ. The first method that needs the configuration file
// reads it, because it may be a pipe that blocks.
func Read(c Command, fs *pflag.FlagSet, args, environ []string) *Input {
	in := &Input{command: c, environ: environ}
	in.flags, in.others = lenientFlags(c, fs, args)
	in.config = in.strongest(row(c, nameConfig))
	in.file = sync.OnceValue(func() *configuration { return readConfiguration(in.config) })
	return in
}

// Arguments returns the arguments that are no flags, the name of the command first.
func (i *Input) Arguments() []string { return i.others }

// Flag returns the last value of any flag. given is false if the flag is not on the command line.
func (i *Input) Flag(name string) (text string, given bool) {
	for _, text := range slices.Backward(i.flags[name]) {
		return text, true
	}
	return "", false
}

// CheckOnce returns an error for the first of these flags that is given more than once, or is empty: an unset variable
// in a script must not mean the default.
func (i *Input) CheckOnce(flags ...string) error {
	for _, name := range flags {
		switch given := i.flags[name]; {
		case len(given) > 1:
			return fmt.Errorf("--%s: is given %d times: give it once", name, len(given))
		case len(given) == 1 && given[0] == "":
			return fmt.Errorf("--%s: is empty: give it a value or leave it out", name)
		}
	}
	return nil
}

// ReportDir returns the folder of the reports, even if other settings are invalid: an earlier report must be removed
// then too. It reads the configuration file only if neither a flag nor the variable names the
// folder.
func (i *Input) ReportDir() string { return i.path(nameReportDir) }

// MetricsFile returns the path of the metrics beside the report folder, or "", even if other settings are invalid.
func (i *Input) MetricsFile() string { return i.path(nameMetricsFile) }

func (i *Input) path(name string) string {
	s := row(i.command, name)
	if g := i.strongest(s); !g.empty() {
		return g.path()
	}
	return s.fallback
}

// strongest returns the strongest value of a setting that is not empty, or an empty one if there is none.
func (i *Input) strongest(s setting) rawValue {
	for g := range i.values(s, false) {
		if !g.empty() {
			return g
		}
	}
	return rawValue{}
}

// values yields what is given for a setting, strongest first: the flags from the last to the first, the variable, and
// the member of the configuration file, which is read only then. Judge and merge use the file only for where reports
// go, and for what is secret.
func (i *Input) values(s setting, atOnce bool) iter.Seq[rawValue] {
	return func(yield func(rawValue) bool) {
		for _, text := range slices.Backward(i.flags[s.flag]) {
			place := "--" + s.flag
			if !yield(rawValue{priority: fromFlag, text: text, source: "flag " + place, location: place}) {
				return
			}
		}
		if text, ok := Variable(i.environ, s.env); ok && !yield(rawValue{priority: fromEnvironment, text: text,
			source: "environment " + s.env, location: s.env}) {
			return
		}
		isRead := i.command&asking != 0 || s.name == nameReportDir || s.name == nameMetricsFile || s.ofTarget
		if s.key == "" || !isRead {
			return
		}
		if g, ok := i.configuration(atOnce).found[s.name]; ok {
			yield(g)
		}
	}
}

// configuration returns the content of the configuration file. With atOnce a pipe, which can block, has none.
func (i *Input) configuration(atOnce bool) *configuration {
	if atOnce && input.IsPipe(i.config.path()) {
		return &configuration{}
	}
	return i.file()
}

// Inputs returns the paths of users, baseline and records that are given, even if they are wrong. It does not wait for
// a configuration file that is a pipe.
func (i *Input) Inputs() (paths []string) {
	for _, s := range table(i.command) {
		if s.name != nameUsers && s.name != nameBaseline && !s.isOfRecord() {
			continue
		}
		for g := range i.values(s, true) {
			if _, path, ofVersion := strings.Cut(g.text, "="); ofVersion && s.name == nameRecord {
				g.text = path
			}
			if !g.empty() {
				paths = append(paths, g.path())
			}
		}
	}
	return paths
}

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
