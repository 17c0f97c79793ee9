package settings

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"authenticator-conformance/schemas"
)

// AddFlags defines the flags of a command's settings. Each help text also names the setting's environment variable.
func AddFlags(c Command, fs *pflag.FlagSet) {
	for _, s := range table() {
		if s.flag == "" || s.in&c == 0 {
			continue
		}
		help := s.help
		if c == Sweep && s.sweepHelp != "" {
			help = s.sweepHelp
		}
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
		fs.Var(&flagValue{text: s.defaultIn(c), kind: s.kind}, s.flag, help)
		fs.Lookup(s.flag).Hidden = s.version != "" // the help of the flag for all versions names it
	}
}

// flagValue accepts any text. Resolve validates it, once the weaker sources are known too.
type flagValue struct {
	text string
	kind kind
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
