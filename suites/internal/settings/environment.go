package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// variablePrefix begins the name of every variable that is ours: another name that begins so is a slip.
const variablePrefix = "AUTHN_"

// fromEnvironment reads the variables, each "NAME=value" as os.Environ gives them; of two with one name the later
// counts, as it does for a child process. A variable that no setting has is an error.
func fromEnvironment(environ []string, table []definition) (map[string]given, error) {
	byVariable := map[string]definition{}
	var known, unknown []string
	for _, d := range table {
		if d.env != "" {
			byVariable[d.env] = d
			known = append(known, strings.TrimPrefix(d.env, variablePrefix))
		}
	}
	found := map[string]given{}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, variablePrefix) {
			continue
		}
		d, ok := byVariable[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		found[d.name] = given{level: levelEnvironment, text: text, source: "environment " + name, place: name}
	}
	slices.Sort(unknown)
	var faults []error
	for _, name := range slices.Compact(unknown) {
		if flag := flagAlone(name, table); flag != "" {
			faults = append(faults, fmt.Errorf("the variable %s is not known: this setting has none; give --%s", name, flag))
			continue
		}
		hint := ""
		if near := Nearest(strings.TrimPrefix(name, variablePrefix), known); near != "" {
			hint = "; did you mean " + variablePrefix + near + "?"
		}
		faults = append(faults, fmt.Errorf("the variable %s is not known: unset it or correct its name%s", shownName(name), hint))
	}
	return found, errors.Join(faults...)
}

// flagAlone is the flag that a variable's name would stand for, of a setting that has no variable; else "".
func flagAlone(variable string, table []definition) string {
	flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, variablePrefix), "_", "-"))
	for _, d := range table {
		if d.flag == flag && d.env == "" {
			return d.flag
		}
	}
	return ""
}

// shownName leaves an ordinary name as it is and quotes any other.
func shownName(name string) string {
	if quoted := quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
