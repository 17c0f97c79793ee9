package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/suites/internal/ledger"
)

// filtered is what Ginkgo's filters see of one spec: all labels, and its text preceded by those of its containers.
type filtered struct {
	text   string
	labels []string
}

// suiteArguments are the arguments of RunSpecs, which filters see too. Ginkgo shows them only to reporting nodes of the
// suite.
type suiteArguments struct {
	description string
	labels      []string
}

// selected returns the specs that Ginkgo's filters select; nil means all. It repeats Ginkgo's logic, because a suite
// that is running can't be previewed. It ignores filters by file and by semantic version, which select all of these
// specs or none.
func (r *registration) selected() (map[ledger.Key]bool, error) {
	config, _ := GinkgoConfiguration()
	if config.LabelFilter == "" && len(config.FocusStrings) == 0 && len(config.SkipStrings) == 0 {
		return nil, nil
	}
	labelled := func([]string) bool { return true }
	if config.LabelFilter != "" {
		filter, err := types.ParseLabelFilter(config.LabelFilter)
		if err != nil {
			return nil, fmt.Errorf("the label filter %q can't be read: %w", config.LabelFilter, err)
		}
		labelled = filter
	}
	focus, err := regexp.Compile(strings.Join(config.FocusStrings, "|"))
	if err != nil {
		return nil, fmt.Errorf("the focus is not a regular expression: %w", err)
	}
	skip, err := regexp.Compile(strings.Join(config.SkipStrings, "|"))
	if err != nil {
		return nil, fmt.Errorf("the skip pattern is not a regular expression: %w", err)
	}
	only := map[ledger.Key]bool{}
	for key, one := range r.specs {
		text := r.suite.description + " " + one.text
		if labelled(slices.Concat(r.suite.labels, one.labels)) && focus.MatchString(text) &&
			(len(config.SkipStrings) == 0 || !skip.MatchString(text)) {
			only[key] = true
		}
	}
	return only, nil
}
