// Package proof tests the judge. Every service of fixtures/mutants, fixtures/conforming and fixtures/hostile is started
// on a real socket and judged by the code of `run` and of `sweep`, in this process, several at a time.
//
// The verdicts are compared with two things. One is what each service expects: a mutant must not pass, a conforming
// service must. The other is fixtures/*/verdicts.txt, a golden file in which each change of a verdict is a diff.
// `make golden` writes these files; read the diff before you commit it.
//
// While you develop, `go test ./suites/test/proof -ginkgo.label-filter proof -services '^throttle'` judges only the
// services whose names match. With -update-golden it writes their lines only.
//
// `make prove` prints the mutants that prove each requirement, and counts the services.
package proof
