package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/input"
)

// Input is what a command was given: its flags, the variables and the configuration file, each read once and not
// judged. It is safe for concurrent use.
type Input struct {
	command Command
	flags   map[string][]string
	environ []string
	// file reads the configuration file, the first time that it is called; nil if none is named.
	file func() (*configuration, error)
}

// Read reads the settings of a command as far as it can; what is wrong is said by Resolve. The arguments are those of
// the command line, for flags defined by AddFlags and others in fs; nil means those of AddFlags alone. The environment
// is as os.Environ gives it. The configuration file is read by the first method that needs it: a pipe may be waited for.
func Read(c Command, fs *pflag.FlagSet, args, environ []string) *Input {
	in := &Input{command: c, flags: lenientFlags(c, fs, args), environ: environ}
	if g, ok := strongest(in.given(row(nameConfig))); ok {
		in.file = sync.OnceValues(func() (*configuration, error) {
			c, err := readConfiguration(g.path())
			if err != nil {
				err = fmt.Errorf("%s: %w", g.place, err)
			}
			return c, err
		})
	}
	return in
}

// strongest is the first that is given as more than nothing.
func strongest(list []given) (given, bool) {
	for _, g := range list {
		if !g.empty() {
			return g, true
		}
	}
	return given{}, false
}

// Flag is the last value of a flag, whether it is of a setting or not; given is false if it does not stand there.
func (in *Input) Flag(name string) (text string, given bool) {
	values := in.flags[name]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// ReportDir is the folder of the reports. Also a command whose settings are wrong takes an earlier report out of the
// way. If Resolve succeeds, its settings have the same folder. The configuration file is read only if neither a flag nor
// the variable names the folder.
func (in *Input) ReportDir() string {
	s := row(nameReportDir)
	if g, ok := strongest(in.given(s)); ok {
		return g.path()
	}
	if g, ok := strongest(in.inFile(s)); ok {
		return g.path()
	}
	return s.fallback
}

// given is what flags and variables say of a setting, the strongest first: each flag, the last one first, then the
// variable.
func (in *Input) given(s setting) (list []given) {
	for _, text := range slices.Backward(in.flags[s.flag]) {
		list = append(list, given{strength: fromFlag, text: text, source: "flag --" + s.flag, place: "--" + s.flag})
	}
	if text, ok := in.variable(s.env); ok {
		list = append(list, given{strength: fromEnvironment, text: text, source: "environment " + s.env, place: s.env})
	}
	return list
}

// inFile is what the configuration file says of a setting. To judge and merge it says the report folder only, to the
// others that ask no target only what they have.
func (in *Input) inFile(s setting) []given {
	if in.file == nil || in.command&targeted == 0 && s.name != nameReportDir && s.in&in.command&OpenAPI == 0 {
		return nil
	}
	c, _ := in.file()
	if g, ok := c.found[s.name]; ok {
		return []given{g}
	}
	return nil
}

// variable is the value of a variable; of two with one name the later counts, as it does for a child process.
func (in *Input) variable(name string) (value string, ok bool) {
	for _, entry := range slices.Backward(in.environ) {
		if before, after, found := strings.Cut(entry, "="); found && before == name && name != "" {
			return after, true
		}
	}
	return "", false
}

// variablePrefix begins the name of every variable of the suite: another name that begins so is a slip.
const variablePrefix = "AUTHN_"

// unknownVariables is an error for each variable of the suite that no setting has.
func (in *Input) unknownVariables() error {
	var known, unknown []string
	for _, s := range table() {
		if s.env != "" {
			known = append(known, strings.TrimPrefix(s.env, variablePrefix))
		}
	}
	for _, entry := range in.environ {
		name, _, _ := strings.Cut(entry, "=")
		if rest, ours := strings.CutPrefix(name, variablePrefix); ours && !slices.Contains(known, rest) {
			unknown = append(unknown, rest)
		}
	}
	slices.Sort(unknown)
	var faults []error
	for _, rest := range slices.Compact(unknown) {
		what := "unset it or correct its name"
		alone := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		if slices.ContainsFunc(table(),
			func(s setting) bool { return s.flag != "" && s.flag == alone && s.env == "" && s.in&in.command != 0 }) {
			what = "this setting has none; give --" + alone
		} else if near := input.Nearest(rest, known); near != "" {
			what += "; did you mean " + variablePrefix + near + "?"
		}
		faults = append(faults, fmt.Errorf("the variable %s is not known: %s", plainName(variablePrefix+rest), what))
	}
	return errors.Join(faults...)
}

// plainName leaves an ordinary name as it is and quotes any other.
func plainName(name string) string {
	if quoted := input.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
