package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings/input"
)

// AddFlags defines the flags of a command's settings. Each help text also names the setting's environment variable.
func AddFlags(c Command, fs *pflag.FlagSet) {
	for _, s := range table(c) {
		if s.flag == "" || s.in&c == 0 {
			continue
		}
		help := s.help
		if s.ofTarget && s.version == "" {
			var own []string
			for _, v := range schemas.Versions() {
				own = append(own, "--"+ForVersion(s.flag, v))
			}
			help += "; " + strings.Join(own, ", ") + " for one version"
		}
		if s.env != "" {
			help += " (" + s.env + ")"
		}
		fs.Var(&flagValue{text: s.fallback, kind: s.kind, choices: s.choices}, s.flag, help)
		fs.Lookup(s.flag).Hidden = s.version != "" // the help of the flag for all versions names it
	}
}

// flagValue accepts any text. A parse of the flags only finds out whether the command line is well-formed, and ends at
// the first fault; Read takes the values, as the report folder counts even then. Resolve validates them.
type flagValue struct {
	text    string
	kind    kind
	choices []string
}

// Choices returns what a shell may offer for the value of a flag; nil if that is anything.
func Choices(f *pflag.Flag) []string {
	if value, ok := f.Value.(*flagValue); ok {
		return value.choices
	}
	return nil
}

func (f *flagValue) String() string        { return f.text }
func (f *flagValue) Set(text string) error { f.text = text; return nil }
func (f *flagValue) Type() string          { return string(f.kind) }

// lenientFlags returns the values of all flags, by flag name, in order of appearance, and the other arguments. It also
// accepts invalid arguments.
func lenientFlags(c Command, fs *pflag.FlagSet, args []string) (found map[string][]string, others []string) {
	if fs == nil {
		fs = pflag.NewFlagSet("", pflag.ContinueOnError)
		AddFlags(c, fs)
	}
	lenient := pflag.NewFlagSet("", pflag.ContinueOnError)
	lenient.Usage = func() {} // else --help prints it
	lenient.ParseErrorsAllowlist.UnknownFlags = true
	lenient.AddFlagSet(fs)
	parse := func(args []string) error {
		found = map[string][]string{}
		return lenient.ParseAll(args, func(f *pflag.Flag, text string) error {
			found[f.Name] = append(found[f.Name], text)
			return nil
		})
	}
	if parse(args) != nil { // parse again without the arguments that stop pflag
		noFlag := func(arg string) bool { return strings.HasPrefix(arg, "--=") || strings.HasPrefix(arg, "---") }
		_ = parse(slices.DeleteFunc(slices.Clone(args), noFlag))
	}
	return found, lenient.Args()
}

// kind is the type of a setting's value, as the flags' help shows it. It decides which YAML types the file may use. A
// kind without a constant below is a text.
type kind string

const (
	kindMode     kind = "MODE" // one of the setting's choices
	kindNumber   kind = "NUMBER"
	kindDuration kind = "DURATION"
	kindList     kind = "LIST"
	kindText     kind = "TEXT"
	kindDate     kind = "DATE"
	kindDays     kind = "DAYS"
	kindIDs      kind = "IDS"
	kindRecords  kind = "ENTRIES"
	kindHeaders  kind = "HEADERS"
	kindHeader   kind = "HEADER"
)

// accepted has the YAML tags that a value of a kind may have, and the expectation in words for errors. The other kinds
// are texts.
var accepted = map[kind]struct {
	tags     []string
	expected string
}{
	kindNumber: {[]string{input.Integer, input.Float}, "a number without quotes"},
	// A bare number of these and of days is accepted too: its parser explains how to write the unit.
	kindDuration: {[]string{input.Text, input.Integer, input.Float}, "a duration such as 10s"},
	kindDate:     {[]string{input.Text, input.Date}, "a date such as 2027-01-31"},
	kindDays:     {[]string{input.Text, input.Integer, input.Float}, "days such as 90d"},
	kindList:     {[]string{input.Text, input.List}, "a list of words"},
	kindIDs: {[]string{input.Text, input.List},
		"an id such as 2.1/Id, a pattern such as 2.1/*, or a list of these"},
	kindRecords: {[]string{input.List}, "a list of entries"},
	kindHeaders: {[]string{input.Mapping}, "headers, each as name: value"},
	kindHeader:  {[]string{input.Text, input.Mapping}, "a text, {env: NAME} or {file: PATH}"},
	kindText:    {[]string{input.Text}, "a text"},
}

// text returns a value of the file as the text that a flag would have. It is "" for null, lists of entries and
// mappings.
func (k kind) text(node *yaml.Node) (string, error) {
	value, ok := accepted[k]
	if !ok {
		value = accepted[kindText]
	}
	tags, expected, tag := value.tags, value.expected, input.Tag(node)
	switch {
	case tag == input.Null:
		return "", nil
	case !slices.Contains(tags, tag):
		hint, unquoted := "", []string{input.Integer, input.Float, input.Boolean, input.Date}
		if slices.Contains(tags, input.Text) && slices.Contains(unquoted, tag) {
			hint = ": put it in quotes"
		}
		return "", fmt.Errorf("expected %s, got %s%s", expected, input.Kind(node), hint)
	case k == kindRecords, tag == input.Mapping:
		return "", nil
	case tag != input.List:
		return node.Value, nil
	}
	var words []string
	for _, item := range node.Content {
		if input.Tag(item) != input.Text {
			return "", fmt.Errorf("expected %s, got %s among them", expected, input.Kind(item))
		}
		words = append(words, input.Resolve(item).Value)
	}
	return strings.Join(words, listSeparator), nil
}
