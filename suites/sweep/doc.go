// Package sweep compares v5 and v6 for every user of a population, and judges each answer by the contract: with the
// very judging and comparing of a run, in memory that does not depend on how many users there are. It can be stopped at
// any moment and gone on with, split over machines, and narrowed to a random sample.
//
// Data runs one way. A source gives the users one by one (source.go); some of them are looked at side by side
// (flow.go); an eye asks both versions about one user and says what became of it (look.go; nothing.go where there is
// nothing to see, again.go where there is a difference, findings.go for what is told), through a sender that tells the
// fault of one answer from an outage (sender.go) and the pace that the target bears (package pace). A keeper takes what
// came of them in the population's order, counts it (package tally), and leaves on disk what is needed to go on
// (package trail; saver.go). The summary and the specs speak of that.
package sweep
