package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"runtime/debug"

	"authenticator-conformance/schemas"
)

// Name is the suite's, as it stands in every report.
const Name = "authenticator-conformance"

// commit is that of the sources, which the linker puts here (see the Makefile).
var commit string

// Version is the suite's. The linker replaces it in a release (see .ci/tools/release).
var Version = "0.1.0"

// Suite says which suite judged, by which contract, and what it was built of.
type Suite struct {
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	Contract  string            `json:"contract"`
	Commit    string            `json:"commit"` // of the sources, with "+changed" where they had been changed; "" where the build does not tell
	Go        string            `json:"go"`
	Libraries map[string]string `json:"libraries"` // versions by module path
	Files     map[string]string `json:"files"`     // digests of the schemas and the catalogue by name
}

// Commit is that of the sources, as the linker or else Go put it into the binary, with "+changed" where they had been
// changed; "" where the build does not tell.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return commit
	}
	revision, changed := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = "+changed"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}

// SuiteOf describes this build, and the contract with the digest given.
func SuiteOf(contract string) Suite {
	s := Suite{Name: Name, Version: Version, Contract: contract, Commit: Commit(), Libraries: map[string]string{},
		Files: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		s.Go = info.GoVersion
		for _, library := range info.Deps {
			s.Libraries[library.Path] = library.Version
		}
	}
	files := schemas.Files()
	names, _ := fs.Glob(files, "*") // the pattern is right
	for _, name := range names {
		if content, err := fs.ReadFile(files, name); err == nil {
			digest := sha256.Sum256(content)
			s.Files[name] = "sha256:" + hex.EncodeToString(digest[:])
		}
	}
	return s
}
