// Package selftest proves the command as it ships: its specs build the binary and drive it over real sockets, against
// services that each break one requirement, services that use a freedom of the document, targets that mean harm, and
// settings that are wrong. They know the binary by its interface only: arguments, environment, streams, exit code and
// the files of the report folder.
package selftest
