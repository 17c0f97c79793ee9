package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// flagValue keeps each value of a flag, so that a flag given twice can be named; judging comes later, when the weaker
// sources are known too.
type flagValue struct {
	definition definition
	values     []string
}

// String yields the value in effect, which pflag shows in its help before any is given.
func (f *flagValue) String() string {
	if len(f.values) == 0 {
		return f.definition.fallback
	}
	return f.values[len(f.values)-1]
}

// Set keeps one more value.
func (f *flagValue) Set(text string) error {
	f.values = append(f.values, text)
	return nil
}

// Type is what pflag shows in place of the value.
func (f *flagValue) Type() string { return f.definition.form.placeholder }

// AddFlags defines the flags of all settings that have one; each help text names the variable too.
func AddFlags(fs *pflag.FlagSet) { addFlags(fs, definitions()) }

// AddJudgeFlags defines the flags of the settings that judging again has a use for. All else comes from the evidence.
func AddJudgeFlags(fs *pflag.FlagSet) { addFlags(fs, judgeDefinitions()) }

func judgeDefinitions() []definition {
	table := definitions()
	return []definition{definitionOf(table, nameReportDir), definitionOf(table, nameBaseline)}
}

// Baseline is the setting of that name, and the only one to be resolved, of a command with the flags of AddJudgeFlags;
// "" where it is not given. A variable that no setting has is an error, as it is for a run.
func Baseline(fs *pflag.FlagSet, environ []string) (string, error) {
	found, err := few(fs, environ, judgeDefinitions())
	if g, ok := found[nameBaseline]; ok {
		return g.path(), err
	}
	return "", err
}

// AddMergeFlags defines the flag of the one setting that counts where the shards of a sweep are merged.
func AddMergeFlags(fs *pflag.FlagSet) { addFlags(fs, mergeDefinitions()) }

func mergeDefinitions() []definition {
	return []definition{definitionOf(definitions(), nameReportDir)}
}

// CheckMerge judges what was given to a command with the flags of AddMergeFlags.
func CheckMerge(fs *pflag.FlagSet, environ []string) error {
	_, err := few(fs, environ, mergeDefinitions())
	return err
}

// few reads settings, of flags and environment, for a command to which only these matter. All variables are known to
// it.
func few(fs *pflag.FlagSet, environ []string, table []definition) (map[string]given, error) {
	flags, err := fromFlags(fs, table)
	variables, unknown := fromEnvironment(environ, definitions())
	faults := []error{err, unknown}
	found := map[string]given{}
	for _, d := range table {
		for _, source := range []map[string]given{variables, flags} {
			g, ok := source[d.name]
			switch {
			case ok && g.empty():
				faults = append(faults, fmt.Errorf("%s: is empty: give it a value or leave it out", g.place))
			case ok:
				found[d.name] = g
			}
		}
	}
	return found, errors.Join(faults...)
}

// AddSweepFlags defines the flags of all settings that a sweep has a use for.
func AddSweepFlags(fs *pflag.FlagSet) { addFlags(fs, sweepDefinitions()) }

func addFlags(fs *pflag.FlagSet, table []definition) {
	for _, d := range table {
		if d.flag == "" {
			continue
		}
		help := d.help
		if d.env != "" {
			help += " (" + d.env + ")"
		}
		fs.Var(&flagValue{definition: d}, d.flag, help)
	}
}

// fromFlags reads the flags that were given. The set may lack some, or be nil: then they were not given.
func fromFlags(fs *pflag.FlagSet, table []definition) (map[string]given, error) {
	found := map[string]given{}
	var faults []error
	for _, d := range table {
		values := flagValues(fs, d.flag)
		if len(values) == 0 {
			continue
		}
		place := "--" + d.flag
		if len(values) > 1 {
			faults = append(faults, fmt.Errorf("%s: is given %d times: give it once%s", place, len(values), manyWords(d)))
		}
		found[d.name] = given{level: levelFlag, text: values[len(values)-1], source: "flag " + place, place: place}
	}
	return found, errors.Join(faults...)
}

func flagValues(fs *pflag.FlagSet, name string) []string {
	if fs == nil || name == "" {
		return nil
	}
	flag := fs.Lookup(name)
	if flag == nil {
		return nil
	}
	value, ok := flag.Value.(*flagValue)
	if !ok {
		return nil
	}
	return value.values
}

// manyWords reminds of the way to give several words to one flag.
func manyWords(d definition) string {
	if !strings.Contains(d.fallback, listSeparator) {
		return ""
	}
	return ", such as --" + d.flag + " " + d.fallback
}
