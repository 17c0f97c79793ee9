// Package settings turns the configuration file, the environment and the flags of a run into one judged value.
//
// Every setting is defined once, as a small value in a table (definitions.go). From that table come the flags, the
// variables that are looked up, the members that the file may have, the README's table and the redacted list of
// effective settings, so that none of them can tell another story than the rest.
//
// Weakest first: the default, the file, the environment, the flags. Nothing is forgiven in silence: an unknown
// variable or member, a setting given as nothing, or a doubled one is an error that says where it stands.
package settings
