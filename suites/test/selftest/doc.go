// Package selftest tests the command as it ships. Its specs build the binary and run it over real sockets. They use
// only its interface: arguments, environment, signals, streams, exit code and files.
//
// There are two sets of specs. Those with the label proof judge each hostile target by a process of its own, and search
// what it writes for secrets: `make prove`. The others test what only a process can show: `make test`. What a command
// prints and exits with is tested by scripts in suites/test/oracles/commands, and verdicts are tested in
// suites/test/proof.
//
// # The harness
//
// All helpers that several specs share are in the files harness_…:
//
//   - process: runs the binary to its end; its streams, exit code and peak memory
//   - run: servers that count and delay answers; what holds for every run, and for one that was disturbed
//   - sweep: generated users, some of whom differ; what holds for every sweep
//   - hostile: judges hostile targets, ahead of their specs; what none of them may achieve
//   - secrets: the search for secrets in all that a process wrote
//
// canary_service_test.go serves the answers of testdata/canaries.yaml, which are full of values to be searched for.
package selftest
