package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// command returns the file name of the binary.
func (p platform) command() string {
	if p.os == "windows" {
		return "conformance.exe"
	}
	return "conformance"
}

var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"},
}

// buildSettings are the environment variables of the go command that change a binary. They override those of the
// machine.
var buildSettings = []string{
	"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOFLAGS=", "GOWORK=off",
}

// builder builds the binaries of a commit in a temporary folder.
type builder struct {
	*source
	toolchain string // as Go names it: go1.26.0
	folder    string
}

func newBuilder(src *source) (*builder, error) {
	command := exec.Command("go", "env", "GOVERSION")
	command.Dir = src.root
	toolchain, err := output(command)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "conformance-release-")
	return &builder{source: src, toolchain: toolchain, folder: folder}, err
}

// flags returns the flags of go build.
func (b *builder) flags() []string {
	const report = "authenticator-conformance/suites/internal/report"
	return []string{"-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X " + report + ".version=" + b.version + " -X " + report + ".commit=" + b.commit}
}

// binary builds the binary for a platform and returns its path and content.
func (b *builder) binary(p platform) (path string, content []byte, err error) {
	path = filepath.Join(b.folder, p.String(), p.command())
	if err = b.build(path, []string{"GOOS=" + p.os, "GOARCH=" + p.arch}); err == nil {
		content, err = os.ReadFile(path)
	}
	return path, content, err
}

func (b *builder) build(path string, environ []string, flags ...string) error {
	args := slices.Concat([]string{"build"}, b.flags(), flags, []string{"-o", path, "./suites/cmd/conformance"})
	command := exec.Command("go", args...)
	command.Dir = b.root
	command.Env = slices.Concat(os.Environ(), buildSettings, environ)
	_, err := output(command)
	return err
}

// documents returns the man pages and the completion scripts by their names in an archive. They are written by a binary
// for this machine with the build tag man.
func (b *builder) documents() (map[string][]byte, error) {
	path, pages := filepath.Join(b.folder, "documents"), filepath.Join(b.folder, "man")
	if err := b.build(path, []string{"GOOS=", "GOARCH="}, "-tags=man"); err != nil {
		return nil, err
	}
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	man := exec.Command(path, "man", pages)
	man.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.time.Unix()))
	if _, err := output(man); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(pages)
	for _, entry := range entries {
		if files["man/man1/"+entry.Name()], err = os.ReadFile(filepath.Join(pages, entry.Name())); err != nil {
			return nil, err
		}
	}
	for shell, name := range map[string]string{
		"bash": "conformance.bash", "fish": "conformance.fish", "powershell": "conformance.ps1", "zsh": "_conformance",
	} {
		script, err := output(exec.Command(path, "completion", shell))
		if err != nil {
			return nil, err
		}
		files["completions/"+name] = []byte(strings.TrimRight(script, "\n") + "\n")
	}
	return files, err
}
