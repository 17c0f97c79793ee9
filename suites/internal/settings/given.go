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

// given is one setting as one source gives it, not judged yet.
type given struct {
	strength int
	text     string
	node     *yaml.Node // entries or headers of the file, which have no text
	// source is what the list of effective settings says, and place what an error says.
	source, place string
	// file is the configuration file, "" for another source; folder is where a relative path starts.
	file, folder string
}

// empty reports whether the setting is given as nothing. A variable that a pipeline left blank must not pass for one
// that is not there: the run would go on with a default that nobody asked for.
func (g given) empty() bool { return g.node == nil && strings.TrimSpace(g.text) == "" }

// at is the place of a line inside the setting's value, "file:line".
func (g given) at(line int) string { return fmt.Sprintf("%s:%d", g.file, line) }

// path is the file or folder that the setting names.
func (g given) path() string { return g.beside(g.text) }

// beside is a path that the setting's value holds.
func (g given) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(g.folder, path)
}
