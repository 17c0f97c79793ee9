package settings

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// fromFile reads the configuration file. Every fault of its form is named, each with its line: members that are
// unknown, doubled, of the wrong type, or groups that hold nothing. Where the file can't be read as one, the map is
// nil.
func fromFile(files *Files, path string, table []definition) (map[string]given, error) {
	data, err := files.text(path)
	if err != nil {
		return nil, err
	}
	root, err := document(path, data)
	if errors.Is(err, errNoDocument) {
		return nil, fmt.Errorf("%s:1: holds no settings: give at least one, or leave the file out", path)
	}
	if err != nil {
		return nil, err
	}
	reader := newFileReader(path, table)
	reader.group("", root.Line, resolved(root))
	return reader.found, errors.Join(reader.faults...)
}

func newFileReader(path string, table []definition) *fileReader {
	reader := &fileReader{path: path, folder: folderOf(path), table: table, byKey: map[string]definition{}, found: map[string]given{}}
	for _, d := range table {
		if d.key != "" {
			reader.byKey[d.key] = d
			reader.keys = append(reader.keys, d.key)
		}
	}
	return reader
}

// fileReader walks the members of a configuration file.
type fileReader struct {
	path   string
	folder string // against which its relative paths are read
	table  []definition
	byKey  map[string]definition
	keys   []string
	found  map[string]given
	faults []error
}

func (f *fileReader) fail(line int, format string, values ...any) {
	f.faults = append(f.faults, fmt.Errorf("%s:%d: %s", f.path, line, fmt.Sprintf(format, values...)))
}

// group reads a mapping whose members are settings or groups; at is its dotted path, empty for the whole file.
func (f *fileReader) group(at string, line int, node *yaml.Node) {
	subject := "the file"
	if at != "" {
		subject = at
	}
	tag := tagOf(node)
	switch {
	case tag == tagMapping && len(node.Content) > 0:
		f.members(at, node)
	case tag == tagMapping, tag == tagNull:
		f.fail(line, "%s holds no settings: leave it out or give at least one", subject)
	default:
		f.fail(line, "%s: expected members, got %s", subject, kindOf(node))
	}
}

func (f *fileReader) members(at string, node *yaml.Node) {
	first := map[string]int{}
	for _, member := range pairs(node) {
		path := member.name
		if at != "" {
			path = at + "." + member.name
		}
		if line, twice := first[member.name]; twice {
			f.fail(member.line, "member %s stands twice (first on line %d): leave one", quote(path), line)
			continue
		}
		first[member.name] = member.line
		d, known := f.byKey[path]
		// A dot inside a name is no path: "target.url" as one name at the top is not the member url of target.
		switch {
		case strings.Contains(member.name, "."), !known && !f.isGroup(path):
			f.unknown(path, member.line)
		case known:
			f.setting(d, member)
		default:
			f.group(path, member.line, member.value)
		}
	}
}

// isGroup tells whether the members of a path are settings.
func (f *fileReader) isGroup(path string) bool {
	for _, key := range f.keys {
		if strings.HasPrefix(key, path+".") {
			return true
		}
	}
	return false
}

func (f *fileReader) unknown(path string, line int) {
	if name := lastPart(path); strings.EqualFold(name, "accessToken") || strings.EqualFold(name, "token") {
		f.fail(line, "member %s is not known: secrets have no place in this file; put the token into a file of its own "+
			"and name that by %s, or give it in %s", quote(path), definitionOf(f.table, nameTokenFile).key,
			definitionOf(f.table, nameToken).env)
		return
	}
	f.fail(line, "member %s is not known: take it out or correct its name%s", quote(path), guessPath(path, f.keys))
}

func (f *fileReader) setting(d definition, member pair) {
	place := fmt.Sprintf("%s:%d: %s", f.path, member.line, d.key)
	text, err := d.form.text(member.value)
	if err != nil {
		f.faults = append(f.faults, fmt.Errorf("%s: %w", place, err))
		return
	}
	f.found[d.name] = given{
		level: levelFile, text: text, node: member.value, entries: d.entries != nil, file: f.path, folder: f.folder, place: place,
		source: fmt.Sprintf("file %s:%d", f.path, member.line),
	}
}
