// Package proof judges the judge. Every service of fixtures/mutants, fixtures/conforming and fixtures/hostile is
// started on a real socket and judged by the code of `run` and of `sweep`, in this process, several side by side.
//
// What they say is compared with two things: with what each service says of itself (a mutant must not pass, a
// conforming service must), and with fixtures/*/verdicts.txt, a golden file that shows each change of a verdict as a
// diff. Write these files anew with `make golden`, and read the diff before you commit it.
//
// `make prove` judges the same services by the built binary, one process each.
package proof
