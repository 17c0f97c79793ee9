package settings

import (
	"crypto/tls"
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
