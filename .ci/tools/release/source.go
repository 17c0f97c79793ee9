package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// defaultURI names the module, because the server of the repository is unknown.
const defaultURI = "pkg:golang/authenticator-conformance"

// source is the commit that is released.
type source struct {
	root    string // of the work tree
	uri     string
	version string // without a leading v
	commit  string
	time    time.Time // of the commit, in UTC
}

// readSource reads the commit in the work tree. Uncommitted changes are an error, because the files would differ from
// the commit that they name. The version is the commit's tag (v1.2.3), or else the pseudo-version that Go gives it.
func readSource(root, uri string) (*source, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	git := func(args ...string) (string, error) {
		return output(exec.Command("git", append([]string{"-C", root}, args...)...))
	}
	changes, err := git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, fmt.Errorf("the work tree has uncommitted changes, which a release would lack: commit or remove "+
			"them\n%s", changes)
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	date, err := git("log", "-1", "--format=%cI")
	if err != nil {
		return nil, err
	}
	committed, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return nil, fmt.Errorf("the date of commit %s: %w", commit, err)
	}
	src := &source{root: root, uri: uri, commit: commit, time: committed.UTC()}
	// A repository without a tag is no error.
	exact, _ := git("describe", "--tags", "--exact-match", "--match", "v[0-9]*")
	latest, _ := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	src.version, err = versionOf(exact, latest, src.time, commit)
	return src, err
}

// versionOf returns the version of a commit: the tag of the commit (exact), or else a pseudo-version after the latest
// tag before it. Both tags may be "".
func versionOf(exact, latest string, committed time.Time, commit string) (string, error) {
	for _, tag := range []string{exact, latest} {
		if tag != "" && semver.Canonical(tag) != tag {
			return "", fmt.Errorf("the tag %s is not a version: expected one such as v1.2.3", tag)
		}
	}
	version := exact
	if version == "" {
		version = module.PseudoVersion(semver.Major(latest), latest, committed, commit[:12])
	}
	return strings.TrimPrefix(version, "v"), nil
}

// output runs a command and returns its standard output without the last line break. An error contains its standard
// error.
func output(command *exec.Cmd) (string, error) {
	out, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(command.Args, " "), err)
	}
	return strings.TrimRight(string(out), "\n"), err
}
