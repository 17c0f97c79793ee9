// Package selftest tests the command as it ships: its specs build the binary and run it over real sockets. They know it
// by its interface only: arguments, environment, signals, streams, exit code and files.
//
// The files named harness_… start processes and services, and check what holds for every run and every sweep. The
// specs are two sets. Those with the label proof judge every service of the fixtures by a process of its own and print
// the kill matrix: `make prove`. All others are what only a process can show: `make test`. The verdicts of the same
// services are tested in suites/proof, in process.
package selftest
