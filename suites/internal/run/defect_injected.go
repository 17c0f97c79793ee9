//go:build defect

package run

// injectDefect panics in the middle of a run: the build with the tag `defect` exists to prove, on a real binary, that a
// panic in the suite ends as an error and never as a verdict.
func injectDefect() { panic("injected defect") }
