// Package selftest tests the command as it ships. Its specs build the binary and run it over real sockets. They use
// only its interface: arguments, environment, signals, streams, exit code and files.
//
// There are two sets of specs. Those with the label proof judge each hostile target by a process of its own, and search
// what it writes for secrets: `make prove`. The others test what only a process can show: `make test`. What a command
// prints and exits with is tested by scripts in suites/oracles/commands, and verdicts are tested in suites/proof.
//
// # The harness
//
// All helpers that several specs share are in the files harness_…:
//
//   - binary: builds the binary, and creates folders and files
//   - process: runs the binary to its end; its streams, exit code and peak memory
//   - jobs: starts processes ahead of the specs that need them
//   - target: servers that count and change answers; the flags of a run and a sweep against them
//   - service: judges any service of the fixtures
//   - run, report: what holds for every run; reads report.json and junit.xml
//   - sweep, sweepcheck: reads the files of a sweep; what holds for every sweep
//   - population, changes, faults: generated users, and changes of their answers that a sweep has to report or ignore
//   - hostile, files, secrets: what no hostile target may achieve; the search for secrets
//
// A spec calls startEarly with the work that takes long, and asserts on its result.
package selftest
