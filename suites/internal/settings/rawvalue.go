package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The sources of a setting, weakest first.
const (
	fromFile = 1 + iota
	fromEnvironment
	fromFlag
)

// rawValue is the value of one setting from one source, not yet validated.
type rawValue struct {
	priority int
	text     string
	node     *yaml.Node // entries or headers of the file, which have no text
	// source is shown in the list of effective settings, and place in errors.
	source, location string
	// file is the configuration file, or "" for another source. A relative path starts at folder.
	file, folder string
}

// empty reports whether the value is blank. A blank variable in a pipeline is an error: otherwise the run would use a
// default that nobody asked for.
func (g rawValue) empty() bool { return g.node == nil && strings.TrimSpace(g.text) == "" }

// fileLine returns "file:line" for a line inside the setting's value.
func (g rawValue) fileLine(line int) string { return fmt.Sprintf("%s:%d", g.file, line) }

// path returns the path of the file or folder that the setting names.
func (g rawValue) path() string { return g.relativeTo(g.text) }

// relativeTo resolves a path from the setting's value. A relative one starts at folder.
func (g rawValue) relativeTo(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(g.folder, path)
}
