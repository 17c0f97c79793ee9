package settings

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings/input"
	"authenticator-conformance/suites/internal/settings/users"
)

// setter validates a value and stores it in the settings of the resolver or, for a setting of a target, in the target.
// It may set how the value is shown.
type setter func(*resolver, *Target, *rawValue) error

// inSettings returns a setter that parses the text and stores the value in a field of the settings.
func inSettings[T any](parse func(string) (T, error), field func(*Settings) *T) setter {
	return func(r *resolver, _ *Target, g *rawValue) (err error) {
		*field(r.settings), err = parse(g.text)
		return err
	}
}

// inTarget returns a setter that parses the text and stores the value in a field of the target.
func inTarget[T any](parse func(string) (T, error), field func(*Target) *T) setter {
	return func(_ *resolver, t *Target, g *rawValue) (err error) {
		*field(t), err = parse(g.text)
		return err
	}
}

// path returns a setter that stores the text as a path, relative to its source's folder.
func path(field func(*Settings) *string) setter {
	return func(r *resolver, _ *Target, g *rawValue) error {
		*field(r.settings) = g.path()
		return nil
	}
}

// The placeholders in the name of a report folder: for the start, and for the number of a sweep's shard.
const (
	DatePlace  = "{date}"
	ShardPlace = "{shard}"
)

// setReportDir sets the report folder. Its placeholders are filled in where the folder is opened.
func (r *resolver) setReportDir(_ *Target, g *rawValue) error {
	r.settings.ReportDir = g.path()
	places, known := []string{DatePlace}, DatePlace+", which is the day and time of the start"
	if r.in.command == Sweep {
		places, known = append(places, ShardPlace), known+", or "+ShardPlace+", which is the number of the shard"
	}
	for _, name := range regexp.MustCompile(`\{\w*\}`).FindAllString(g.path(), -1) {
		if !slices.Contains(places, name) {
			return fmt.Errorf("%s stands for nothing: expected %s", name, known)
		}
	}
	return nil
}

// alreadyRead is the setter of a setting that was already read elsewhere.
func alreadyRead(*resolver, *Target, *rawValue) error { return nil }

// setConcurrency is for a sweep only: a run has none.
func (r *resolver) setConcurrency(_ *Target, g *rawValue) error {
	n, err := strconv.Atoi(g.text)
	if err != nil || strconv.Itoa(n) != g.text || n < 1 || n > maxConcurrency {
		return fmt.Errorf("expected a whole number from 1 to %d, got %s", maxConcurrency, input.Quote(g.text))
	}
	if r.in.command == Sweep {
		r.settings.Concurrency = n
	}
	return nil
}

// setVersions stores the versions in the order of the API document.
func (r *resolver) setVersions(_ *Target, g *rawValue) error {
	var asked []schemas.Version
	for word := range strings.SplitSeq(g.text, listSeparator) {
		v := schemas.Version(strings.TrimSpace(word))
		switch {
		case v == "":
			return fmt.Errorf("an entry of %s is empty: expected versions such as %s", input.Quote(g.text),
				joined(schemas.Versions(), listSeparator))
		case !slices.Contains(schemas.Versions(), v):
			return NotAVersion(string(v))
		case slices.Contains(asked, v):
			return fmt.Errorf("%s occurs twice: give each version once", v)
		}
		asked = append(asked, v)
	}
	r.settings.Versions = slices.DeleteFunc(schemas.Versions(),
		func(v schemas.Version) bool { return !slices.Contains(asked, v) })
	if r.in.command == Sweep {
		return r.sweptVersions()
	}
	return nil
}

// hidesValues reports whether values are hidden, before that setting is validated. Any value but "show" hides them.
func (r *resolver) hidesValues() bool {
	g, given := r.chosen[nameValues]
	return given && g.text != ValuesShow
}

// setUsers reads the users of a run. For a sweep it only stores the path, as a sweep reads its users as a stream.
func (r *resolver) setUsers(_ *Target, g *rawValue) (err error) {
	r.settings.UsersFile = g.path()
	switch {
	case r.in.command != Sweep:
		var notes []string
		r.settings.Users, notes, err = users.ReadAll(g.path(), r.contract, r.hidesValues())
		for _, note := range notes {
			r.caution("%s: %s", g.path(), note)
		}
	case g.text == StandardInput:
		r.settings.UsersFile = StandardInput
	case g.path() == StandardInput: // a file of that name, given as ./-
		r.settings.UsersFile = "./" + StandardInput
	}
	return err
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
