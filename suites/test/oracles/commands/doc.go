// Package commands tests what the binary prints, writes and exits with, by scripts of its commands in testdata. Their
// language is that of github.com/rogpeppe/go-internal/testscript, with the commands of this package's tests.
package commands
