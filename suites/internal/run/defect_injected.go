//go:build defect

package run

// injectDefect panics in the middle of a run. Builds with the tag `defect` prove, with a real binary, that a panic in
// the suite ends as an error and never as a verdict.
func injectDefect() { panic("injected defect") }
