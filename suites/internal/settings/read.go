package settings

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

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
	in.config = strongest(in.direct(row(c, nameConfig)))
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
// then too. Dated fills in its date. It reads the configuration file only if neither a flag nor the variable names the
// folder.
func (i *Input) ReportDir() string { return i.path(nameReportDir) }

// MetricsFile returns the path of the metrics beside the report folder, or "", even if other settings are invalid.
func (i *Input) MetricsFile() string { return i.path(nameMetricsFile) }

func (i *Input) path(name string) string {
	s := row(i.command, name)
	g := strongest(i.direct(s))
	if g.empty() {
		g = strongest(i.values(s, false))
	}
	if g.empty() {
		return s.fallback
	}
	return g.path()
}

// datePlace is the placeholder for the start in the name of a report folder.
const datePlace = "{date}"

// Dated replaces each {date} in the name of a report folder by a day and time in UTC: 2027-01-31T021500Z.
func Dated(dir string, start time.Time) string {
	return strings.ReplaceAll(dir, datePlace, start.UTC().Format("2006-01-02T150405Z"))
}

// strongest returns the first of the values that is not empty, or one that is empty if there is none.
func strongest(values []rawValue) rawValue {
	return append(slices.DeleteFunc(values, rawValue.empty), rawValue{})[0]
}

// values returns what is given for a setting, strongest first: the flags from the last to the first, the variable, and
// the member of the configuration file, which it reads. Judge and merge use the file only for where reports go, and for
// what is secret.
func (i *Input) values(s setting, atOnce bool) []rawValue {
	list := i.direct(s)
	if i.command&asking == 0 && s.name != nameReportDir && s.name != nameMetricsFile && !s.ofTarget {
		return list
	}
	if g, ok := i.configuration(atOnce).found[s.name]; ok {
		list = append(list, g)
	}
	return list
}

// configuration returns the content of the configuration file. With atOnce a pipe, which can block, has none.
func (i *Input) configuration(atOnce bool) *configuration {
	if atOnce && input.IsPipe(i.config.path()) {
		return &configuration{}
	}
	return i.file()
}

// direct returns what flags and the variable give for a setting, strongest first.
func (i *Input) direct(s setting) (list []rawValue) {
	for _, text := range slices.Backward(i.flags[s.flag]) {
		place := "--" + s.flag
		list = append(list, rawValue{priority: fromFlag, text: text, source: "flag " + place, location: place})
	}
	if text, ok := Variable(i.environ, s.env); ok {
		list = append(list, rawValue{priority: fromEnvironment, text: text, source: "environment " + s.env,
			location: s.env})
	}
	return list
}

// Inputs returns the paths of users, baseline and records that are given, even if they are wrong. It does not wait for
// a configuration file that is a pipe.
func (i *Input) Inputs() (paths []string) {
	for _, s := range table(i.command) {
		if s.name != nameUsers && s.name != nameBaseline && !s.isOfRecord() {
			continue
		}
		for _, g := range i.values(s, true) {
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

// filesGrace is how long Secrets waits for files: one can be a pipe that blocks.
const filesGrace = 2 * time.Second

// Secrets returns those that were given, for any version and by any source, even if they or other settings are wrong:
// an error may show a secret that was given in the wrong setting. It reads the files that have secrets, and leaves
// pipes out if they can't be read soon.
func (i *Input) Secrets() []string {
	all := make(chan []string, 1)
	go func() { all <- i.secrets(false) }()
	select {
	case secrets := <-all:
		return secrets
	case <-time.After(filesGrace):
		return i.SecretsAtOnce()
	}
}

// SecretsAtOnce returns Secrets without those that are in pipes.
func (i *Input) SecretsAtOnce() []string { return i.secrets(true) }

func (i *Input) secrets(atOnce bool) []string {
	r := newResolver(i, &Settings{}, nil, time.Time{})
	r.atOnce = atOnce
	for _, s := range r.rows {
		for _, g := range i.values(s, atOnce) {
			if s.ofTarget && !g.empty() {
				_ = s.set(r, &Target{}, &g) // Resolve reports the error
			}
		}
	}
	r.unlessWords(i.configuration(atOnce).suspects()...)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		text, _ := r.proxyVariable(name)
		r.secret(proxySecrets(text)...)
	}
	return r.settings.Secrets
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

// The sources of a setting, weakest first.
const (
	fromFile = 1 + iota
	fromEnvironment
	fromFlag
)

// rawValue is the value of one setting from one source, not yet validated.
type rawValue struct {
	setting  // the row, once the value is chosen
	priority int
	text     string
	node     *yaml.Node  // entries or headers, which have no text
	tls      *tls.Config // of a Go program
	// source and shown are for the list of effective settings, which has the text if shown is "". location is for
	// errors.
	source, shown, location string
	// file is the configuration file, or "" for another source. A relative path starts at folder.
	file, folder string
}

// empty reports whether the value is blank. A blank variable in a pipeline is an error: otherwise the run would use a
// default that nobody asked for.
func (r rawValue) empty() bool {
	return r.node == nil && r.tls == nil && strings.TrimSpace(r.text) == ""
}

// fileLine returns "file:line" for a line inside the setting's value; in a Go program "Config.Field[index]".
func (r rawValue) fileLine(line int) string {
	if r.file == "" {
		return fmt.Sprintf("%s[%d]", r.location, line)
	}
	return fmt.Sprintf("%s:%d", r.file, line)
}

// path returns the path of the file or folder that the setting names.
func (r rawValue) path() string { return r.relativeTo(r.text) }

// relativeTo resolves a path from the setting's value. A relative one starts at folder.
func (r rawValue) relativeTo(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.folder, path)
}
