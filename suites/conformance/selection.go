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

// filtered is what Ginkgo's filters see of one spec: the text with those of its containers, and all labels.
type filtered struct {
	text   string
	labels []string
}

// suiteArguments are what RunSpecs was given, which filters see too. Ginkgo shows it to reporting nodes of the suite
// only.
type suiteArguments struct {
	description string
	labels      []string
}

// selected are the specs that Ginkgo's filters leave; nil means all of them. A suite that has begun can't be previewed,
// so this follows what Ginkgo does. Filters by file and by semantic version are left out: they take all of these specs
// or none.
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
		return nil, fmt.Errorf("the focus is no regular expression: %w", err)
	}
	skip, err := regexp.Compile(strings.Join(config.SkipStrings, "|"))
	if err != nil {
		return nil, fmt.Errorf("what to skip is no regular expression: %w", err)
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
