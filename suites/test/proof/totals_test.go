package proof_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// make prove selects the services of the fixtures by proofLabel, and counts mutants and conforming ones. nightLabel is
// of what a change is not checked with.
const (
	proofLabel      = "proof"
	nightLabel      = "night"
	mutantLabel     = "mutant"
	conformingLabel = "conforming"
)

// killEntry is the name of the report entry with the kill of a mutant.
const killEntry = "kill"

// documentedRows lists the rows of all documented requirements.
func documentedRows() (rows []string) {
	for _, q := range testkit.Contract().Requirements {
		for _, version := range versionsOf(q.ID, "") {
			if q.Kind == schemas.Documented {
				rows = append(rows, rowName(q.ID, version))
			}
		}
	}
	return rows
}

// With make prove, the mutants that prove each row are listed, and the services counted.
var _ = ReportAfterSuite("prints what the mutants prove", func(r Report) {
	if suite, _ := GinkgoConfiguration(); !strings.HasPrefix(suite.LabelFilter, proofLabel) || chosen.String() != "" {
		return
	}
	by := map[string][]string{}
	var mutants, killed, diagnosed, conforming, passed int
	var slipped []string
	for _, spec := range r.SpecReports {
		labels, right := spec.Labels(), spec.State == types.SpecStatePassed
		if !right && !spec.State.Is(types.SpecStateFailureStates) {
			continue
		}
		for _, entry := range spec.ReportEntries {
			k, ok := entry.GetRawValue().(kill)
			if !ok {
				continue
			}
			for _, row := range k.found {
				by[row] = append(by[row], k.mutant)
			}
			if k.killed {
				killed++
			}
		}
		if slices.Contains(labels, mutantLabel) {
			mutants++
			if right {
				diagnosed++
			}
		}
		if slices.Contains(labels, conformingLabel) {
			conforming++
			if right {
				passed++
			}
		}
		if !right {
			slipped = append(slipped, spec.LeafNodeText)
		}
	}
	if allChosen() {
		printMatrix(by)
	}
	fmt.Printf("mutants killed     %d/%d\nmutants diagnosed  %d/%d\n", killed, mutants, diagnosed, mutants)
	fmt.Printf("conforming passed  %d/%d\n", passed, conforming)
	for _, text := range slipped {
		fmt.Printf("slipped through: %s\n", text)
	}
})

// printMatrix prints the mutants by each documented row that they break.
func printMatrix(by map[string][]string) {
	fmt.Println("\nkill matrix: each documented row, and the mutants that break it and were found there")
	var unproven []string
	for _, row := range documentedRows() {
		fmt.Printf("\n%s (%d)\n%s\n", row, len(by[row]), formatter.Fiw(1, 118, "%s", strings.Join(by[row], " ")))
		if len(by[row]) == 0 {
			unproven = append(unproven, row)
		}
	}
	if unproven == nil {
		unproven = []string{"none"}
	}
	fmt.Printf("\nrows that no mutant proves: %s\n\n", strings.Join(unproven, ", "))
}
