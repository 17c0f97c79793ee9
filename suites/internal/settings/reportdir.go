package settings

import (
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// ReportDir is the folder of the reports, as far as it can be known before any other setting is judged, so that even a
// run whose settings are wrong can take an earlier report out of the way. It reads the arguments without parsing them
// (fs only tells which flags take a value; nil means that none is known), then the variables, then the configuration
// file as far as that can be read, and ends at the default. With the files given to Resolve too, a pipe is read once.
// Where Resolve succeeds, it yields the same.
func ReportDir(files *Files, fs *pflag.FlagSet, args []string, environ []string) string {
	table := definitions()
	d := definitionOf(table, nameReportDir)
	if dir := lenientValue(d, fs, args, environ); dir != "" {
		return given{text: dir}.path()
	}
	if config := lenientValue(definitionOf(table, nameConfig), fs, args, environ); config != "" {
		if dir := reportDirInFile(files, config, table); dir != "" {
			return dir
		}
	}
	return d.fallback
}

// lenientValue is what the flags, else the variables say of a setting; "" where neither does.
func lenientValue(d definition, fs *pflag.FlagSet, args []string, environ []string) string {
	if text := lenientFlag(d.flag, fs, args); text != "" {
		return text
	}
	text := ""
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); name == d.env {
			text = value
		}
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// lenientFlag is the last value of a flag among arguments that may hold any fault.
func lenientFlag(name string, fs *pflag.FlagSet, args []string) (value string) {
	for i := 0; i < len(args); i++ {
		argument := args[i]
		if argument == "--" {
			break
		}
		flag, ok := strings.CutPrefix(argument, "--")
		if !ok {
			continue
		}
		flag, text, joined := strings.Cut(flag, "=")
		if !joined && i+1 < len(args) && (flag == name || takesValue(fs, flag)) {
			i++
			text = args[i]
		}
		if flag == name && strings.TrimSpace(text) != "" {
			value = text
		}
	}
	return value
}

// takesValue tells whether the argument after a flag is the flag's value.
func takesValue(fs *pflag.FlagSet, name string) bool {
	if fs == nil {
		return false
	}
	flag := fs.Lookup(name)
	return flag != nil && flag.NoOptDefVal == ""
}

// reportDirInFile finds the folder in a configuration file that may hold any fault; "" where it can't.
func reportDirInFile(files *Files, config string, table []definition) string {
	data, err := files.content(config)
	if err != nil {
		return ""
	}
	if dir := reportDirIn(string(data), config, table); dir != "" {
		return dir
	}
	// A file that is no YAML as a whole still tells its folder where the member stands on a line of its own.
	key := definitionOf(table, nameReportDir).key
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, key+":") {
			if dir := reportDirIn(line, config, table); dir != "" {
				return dir
			}
		}
	}
	return ""
}

func reportDirIn(text, config string, table []definition) string {
	var root yaml.Node
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil || loader.Load(&root) != nil {
		return ""
	}
	reader := newFileReader(config, table)
	reader.group("", root.Line, resolved(root.Content[0]))
	g, ok := reader.found[nameReportDir]
	if !ok || g.empty() {
		return ""
	}
	return g.path()
}
