package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/strictjson"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/trail"
)

// verifyPlanted makes sure that a sweep found the planted users and nobody else: each in the groups of its plant, in
// findings.ndjson as in sweep.json.
func (w *workbench) verifyPlanted(population int) error {
	found, err := w.findings()
	if err != nil {
		return err
	}
	all := plants()
	for place := range population {
		var expected []string
		if n, is := plantedAt(place, population); is {
			expected = all[n%len(all)].groups
		}
		if here := found[int64(place)]; !slices.Equal(here, slices.Sorted(slices.Values(expected))) {
			return fmt.Errorf("the sweep found %v for user %d, expected %v", here, place, expected)
		}
	}
	if len(found) != planted {
		return fmt.Errorf("the sweep found %d users in a population of %d, expected %d", len(found), population, planted)
	}
	return w.verifySummary(population)
}

// findings are the groups in which each user stands, by its place.
func (w *workbench) findings() (map[int64][]string, error) {
	file, err := os.Open(filepath.Join(w.sweepFolder(), tally.FindingsFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := map[int64][]string{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one struct {
			Line string
			tally.Finding
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", tally.FindingsFile, err)
		}
		if one.Line == trail.FindingLine {
			found[one.User.Index] = append(found[one.User.Index], groupName(one.Requirement, one.Version, strictjson.General(one.Pointer)))
		}
	}
	for _, groups := range found {
		slices.Sort(groups)
	}
	return found, lines.Err()
}

func groupName(requirement string, v schemas.Version, pointer string) string {
	return strings.Join([]string{requirement, string(v), pointer}, " ")
}

// verifySummary makes sure that sweep.json counts everybody, and the planted users in their groups.
func (w *workbench) verifySummary(population int) error {
	file, err := os.Open(filepath.Join(w.sweepFolder(), tally.SummaryFile))
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := tally.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", tally.SummaryFile, err)
	}
	all, expected, groups := plants(), map[string]int64{}, map[string]int64{}
	for number := range planted {
		for _, g := range all[number%len(all)].groups {
			expected[g]++
		}
	}
	for _, g := range s.Tally.Groups {
		groups[groupName(g.Requirement, g.Version, g.Pointer)] += g.Users
	}
	if !maps.Equal(groups, expected) || s.Tally.Users != int64(population) || !s.Complete {
		return fmt.Errorf("%s counts %d users in the groups %v, complete %t; expected all %d users, and %v", tally.SummaryFile, s.Tally.Users, groups, s.Complete, population, expected)
	}
	return nil
}
