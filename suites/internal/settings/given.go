package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// level is how strong a setting's source is.
type level int

// The levels, weakest first.
const (
	levelDefault level = iota
	levelFile
	levelEnvironment
	levelFlag
)

// given is one setting as one source gives it, not judged yet.
type given struct {
	level level
	// text is the value in words; a member of the file that holds entries has none.
	text string
	// node is the member's value; nil unless the source is the file.
	node *yaml.Node
	// entries tells that the value holds entries. A list of none of them is given, and means none.
	entries bool
	// source is what the list of effective settings says, and place what an error says.
	source, place string
	// folder is where a relative path starts: the file's own folder, or "" for the working folder.
	folder string
	// file is the configuration file's path; "" unless the source is the file.
	file string
}

// empty tells whether the setting is given as nothing. A variable that a pipeline left blank must not pass for one
// that is not there: the run would go on with a default nobody asked for.
func (g given) empty() bool {
	if g.entries && g.node.Kind != yaml.ScalarNode {
		return false
	}
	return strings.TrimSpace(g.text) == ""
}

// at is the place of a line inside the setting's value, "file:line".
func (g given) at(line int) string { return fmt.Sprintf("%s:%d", g.file, line) }

// path is the file or folder that the setting names, fit to be opened.
func (g given) path() string {
	if filepath.IsAbs(g.text) {
		return g.text
	}
	return filepath.Join(g.folder, g.text)
}
