// Package sweep compares v5 and v6 for every user of a population and judges each answer against the contract. It
// judges and compares with the same code as a run, and its memory does not depend on the number of users. A sweep can
// be stopped at any moment and resumed, split into shards, or limited to a random sample.
//
// Data flows in one direction:
//
//   - source.go: the source yields the users one by one.
//   - block.go: workers check several users at the same time. What was said in a block counts once its controls are
//     served; else the whole block is asked again (J23). Package asker has the controls.
//   - usercheck.go: a check asks both versions about one user, and classifies the result. empty.go handles
//     "there is no data", again.go repeats the requests after a difference, findings.go makes the findings.
//   - collector.go: the collector takes the results in the population's order and counts them (package stats).
//   - checkpoint.go: the collector writes what is needed to resume (package record).
//
// The summary and the specs are made from the counts.
package sweep
