package selftest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// suiteFolder contains everything that this suite writes: the binaries, and a folder for each process.
var suiteFolder string

// folderCount numbers the folders in suiteFolder.
var folderCount atomic.Int64

// newFolder creates a folder in suiteFolder. It panics if it fails. It may be called from any goroutine.
func newFolder() string {
	folder := filepath.Join(suiteFolder, fmt.Sprintf("work-%d", folderCount.Add(1)))
	mustSucceed(os.Mkdir(folder, 0o755))
	return folder
}

// writeFile writes a file, creates its parent folders, and returns its path. It panics if it fails.
func writeFile(folder, name, content string) string {
	path := filepath.Join(folder, name)
	mustSucceed(os.MkdirAll(filepath.Dir(path), 0o755))
	mustSucceed(os.WriteFile(path, []byte(content), 0o600))
	return path
}

func mustSucceed(err error) {
	if err != nil {
		panic(err)
	}
}

// shippedBinary builds the command at the first call, and returns its path.
var shippedBinary = sync.OnceValues(func() (string, error) { return buildBinary("conformance") })

// defectiveBinary is the command with a panic while it sends (suites/internal/run/defect_injected.go).
var defectiveBinary = sync.OnceValues(func() (string, error) {
	return buildBinary("conformance-defect", "-tags",
		"defect")
})

// buildBinary builds the command with the flags of `make build`, so that both share Go's build cache.
func buildBinary(name string, flags ...string) (path string, err error) {
	path = filepath.Join(suiteFolder, name)
	arguments := append([]string{"build", "-trimpath", "-o", path}, flags...)
	command := exec.Command("go", append(arguments, "authenticator-conformance/suites/cmd/conformance")...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return path, command.Run()
}
