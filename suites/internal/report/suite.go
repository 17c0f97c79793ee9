package report

import (
	"cmp"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Name is the name of the suite in every report.
const Name = "authenticator-conformance"

// commit is the commit of the sources, set by the linker (see the Makefile).
var commit string

// version is set by the linker in a release (see .ci/release).
var version string

// Version is the version of the suite: that of the release, or else the one that Go gives the commit of the build, such
// as 1.2.3 for a tag or 0.0.0-20261123015423-5e600985ed5c. Without either, as in a test, it is 0.0.0.
var Version = cmp.Or(version, versionOfBuild(), "0.0.0")

// buildInfo is what Go put into the binary: nothing, if it was built without modules.
var buildInfo = func() debug.BuildInfo {
	info, _ := debug.ReadBuildInfo()
	return *cmp.Or(info, &debug.BuildInfo{})
}()

// versionOfBuild returns the version of the suite's module in this binary, without its leading v, or "".
func versionOfBuild() string {
	for _, module := range append(buildInfo.Deps, &buildInfo.Main) {
		if module.Path == Name && strings.HasPrefix(module.Version, "v") {
			return module.Version[1:]
		}
	}
	return ""
}

// Suite identifies the build that judged, its contract and its dependencies.
type Suite struct {
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	Contract  string            `json:"contract"`
	Commit    string            `json:"commit"` // of the sources, with "+changed" if they were modified; "" if unknown
	Go        string            `json:"go"`
	Libraries map[string]string `json:"libraries"` // versions by module path
	Files     map[string]string `json:"files"`     // digests of the schemas and the catalogue by name
}

// Commit returns the commit of the sources that the linker or Go put into the binary, with "+changed" if they were
// modified. It is "" if the build has none.
func Commit() string {
	revision, changed := "", ""
	for _, setting := range buildInfo.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = "+changed"
		}
	}
	if commit != "" || revision == "" {
		return commit
	}
	return revision + changed
}

// SuiteOf describes this build, with the given digest of the contract. The maps are shared: do not change them.
func SuiteOf(contract string) Suite {
	s := build()
	s.Contract = contract
	return s
}

// build describes this build. A run needs it three times.
var build = sync.OnceValue(func() Suite {
	s := Suite{Name: Name, Version: Version, Commit: Commit(), Libraries: map[string]string{},
		Files: map[string]string{}, Go: buildInfo.GoVersion}
	for _, library := range buildInfo.Deps {
		s.Libraries[library.Path] = library.Version
	}
	files := schemas.Files()
	names, _ := fs.Glob(files, "*") // the pattern is valid
	for _, name := range names {
		if content, err := fs.ReadFile(files, name); err == nil {
			s.Files[name] = exchange.DigestOf(content)
		}
	}
	return s
})
