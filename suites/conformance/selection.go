package conformance

import (
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/suites/internal/judge/ledger"
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

// selected returns the specs that Ginkgo's filters select. It repeats Ginkgo's logic, because a suite that is running
// can't be previewed. Ginkgo has read the filters, so they are valid. Those by file and by semantic version are
// ignored: they select all of these specs or none.
func (r *registration) selected() map[ledger.Key]bool {
	config, _ := GinkgoConfiguration()
	labelled := types.MustParseLabelFilter(config.LabelFilter)
	focus := regexp.MustCompile(strings.Join(config.FocusStrings, "|"))
	skip := regexp.MustCompile(strings.Join(config.SkipStrings, "|"))
	only := map[ledger.Key]bool{}
	for key, one := range r.specs {
		text := r.suite.description + " " + one.text
		if labelled(slices.Concat(r.suite.labels, one.labels)) && focus.MatchString(text) &&
			(len(config.SkipStrings) == 0 || !skip.MatchString(text)) {
			only[key] = true
		}
	}
	return only
}
