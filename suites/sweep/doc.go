// Package sweep compares v5 and v6 for every user of a population, and judges each answer by the contract: with the very
// judging and comparing of a run, in memory that does not depend on how many users there are. It can be stopped at any
// moment and gone on with, split over machines, and narrowed to a random sample.
package sweep
