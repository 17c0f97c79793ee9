package settings

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/suites/internal/settings/input"
)

// configuration is the content of a configuration file, by setting name.
type configuration struct {
	path, folder string // relative paths in the file start at folder
	text         string
	found        map[string]rawValue
	err          error   // why the file can't be read
	faults       []error // members that are unknown, repeated or of the wrong type, and empty groups
	misspelt     bool    // a member that was meant for the target is unknown, so none of it is called missing
}

// readConfiguration reads the configuration file that a setting names, if it names any.
func readConfiguration(g rawValue) *configuration {
	c := &configuration{path: g.path(), folder: filepath.Dir(g.path()), found: map[string]rawValue{}}
	if input.IsPipe(c.path) { // a shell puts its pipes into /dev/fd
		c.folder = ""
	}
	if !g.empty() {
		if err := c.read(); err != nil {
			c.err = fmt.Errorf("%s: %w", g.location, err)
		}
	}
	return c
}

// read reads the file. If it is not valid YAML, only the report folder is read, from a line of its own.
func (c *configuration) read() error {
	if strings.Contains(c.path, "\n") { // it may have secrets
		return errors.New("has several lines: expected the path of a file")
	}
	data, err := input.ReadFile(c.path)
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	c.text = string(data)
	root, err := input.Document(c.path, data)
	switch key := row(Run, nameReportDir).key + ":"; {
	case err != nil:
		for line := range strings.Lines(c.text) {
			if root, fault := input.Document(c.path, []byte(line)); strings.HasPrefix(line, key) && fault == nil {
				c.group("", root.Line, root)
			}
		}
		return err
	case root == nil:
		return fmt.Errorf("%s:1: has no settings: give at least one, or leave the file out", c.path)
	}
	c.group("", root.Line, root)
	return nil
}

// secretMember matches the name of a member that has secrets, or should have none of them.
var secretMember = regexp.MustCompile(`(?i)(headers|token|secret|password|api[-_]?key)["']?\s*:`)

// The most that is searched for, and the most bytes of a line. A file with more is another one than a configuration.
const (
	maxSuspects = 200
	maxSuspect  = 8 << 10
)

// suspects returns what may be a secret in a configuration file that is refused, even one that is no YAML: the values
// of such members, and below them.
func (c *configuration) suspects() (list []string) {
	if c.err == nil && len(c.faults) == 0 {
		return nil
	}
	within := -1 // the indentation of that member
	for line := range strings.Lines(c.text) {
		value := strings.TrimLeft(line, " ")
		indent := len(line) - len(value)
		if indent <= within && strings.TrimSpace(value) != "" && value[0] != '-' {
			within = -1
		}
		if at := secretMember.FindStringIndex(value); within >= 0 {
			_, after, _ := strings.Cut(value, ": ")
			value = cmp.Or(after, value)
		} else if at != nil {
			within, value = indent, value[at[1]:]
		} else {
			continue
		}
		value = value[:min(len(value), maxSuspect)]
		const marks = " \t\r\n'\"{}[],:"
		parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(marks, r) })
		list = append(append(list, strings.Trim(value, marks)), parts...)
	}
	return list[:min(len(list), maxSuspects)]
}

func (c *configuration) fail(line int, format string, values ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s:%d: %s", c.path, line, fmt.Sprintf(format, values...)))
}

// group reads a mapping whose members are settings or groups. at is its dotted path; "" is the whole file.
func (c *configuration) group(at string, line int, node *yaml.Node) {
	subject, prefix := at, at+"."
	if at == "" {
		subject, prefix = "the file", ""
	}
	switch tag := input.Tag(node); {
	case tag != input.Mapping && tag != input.Null:
		c.fail(line, "%s: expected members, got %s", subject, input.Kind(node))
		return
	case len(node.Content) == 0:
		c.fail(line, "%s has no settings: leave it out or give at least one", subject)
		return
	}
	rows, first := table(Run), map[string]int{}
	for name, value := range input.Members(node) {
		path := prefix + name.Value
		line, twice := first[name.Value]
		isGroup := slices.ContainsFunc(rows, func(s setting) bool { return strings.HasPrefix(s.key, path+".") })
		known := slices.IndexFunc(rows, func(s setting) bool { return s.key == path })
		switch {
		case twice:
			c.fail(name.Line, "member %s is already on line %d: remove one", input.Quote(path), line)
			continue
		// A dot in a name is no path: "target.url" as one top-level name is not the member url of target.
		case strings.Contains(name.Value, "."), name.Value == "", known < 0 && !isGroup:
			c.unknown(path, name.Line)
		case isGroup:
			c.group(path, name.Line, value)
		default:
			c.setting(rows[known], name.Line, value)
		}
		first[name.Value] = name.Line
	}
}

func (c *configuration) unknown(path string, line int) {
	if name := lastPart(path); strings.EqualFold(name, "accessToken") || strings.EqualFold(name, "token") {
		c.fail(line, "member %s is unknown: secrets have no place in this file; put the token into a file of its own "+
			"and name that by %s, or give it in %s", input.Quote(path), row(Run, nameTokenFile).key,
			row(Run, nameToken).env)
		return
	}
	c.misspelt = c.misspelt || strings.HasPrefix(path, targetMember)
	var keys, parts []string // of members and of groups
	for _, s := range table(Run) {
		for key := s.key; key != "" && !slices.Contains(keys, key); key = groupOf(key) {
			keys, parts = append(keys, key), append(parts, lastPart(key))
		}
	}
	hint := input.Suggest(path, keys)
	// The right name in the wrong place.
	if nearest := input.Nearest(lastPart(path), parts); hint == "" && nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", keys[slices.Index(parts, nearest)])
	}
	c.fail(line, "member %s is unknown: remove it or correct its name%s", input.Quote(path), hint)
}

// targetMember is the group of the target's settings.
const targetMember = "target"

// groupOf returns the path of the group that a member is in; "" for the whole file.
func groupOf(path string) string { return path[:max(strings.LastIndex(path, "."), 0)] }

func lastPart(path string) string { return path[strings.LastIndex(path, ".")+1:] }

func (c *configuration) setting(s setting, line int, value *yaml.Node) {
	g := rawValue{priority: fromFile, file: c.path, folder: c.folder,
		location: fmt.Sprintf("%s:%d: %s", c.path, line, s.key), source: fmt.Sprintf("file %s:%d", c.path, line)}
	var err error
	if g.text, err = s.kind.text(value); err != nil {
		c.faults = append(c.faults, fmt.Errorf("%s: %w", g.location, err))
		return
	}
	if (s.kind == kindRecords || s.kind == kindHeaders) && input.Tag(value) != input.Null {
		g.node = value
	}
	c.found[s.name] = g
}
