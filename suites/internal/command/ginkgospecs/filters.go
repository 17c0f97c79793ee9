package ginkgospecs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"authenticator-conformance/suites/internal/settings"
)

// CheckFilters returns an error for a filter or focus that Ginkgo can't parse, and for a label that no spec has. A
// typing error in `!auth-failure` would send the very probes that it should exclude.
func CheckFilters(s *settings.Settings, known []string) error {
	if _, err := regexp.Compile(s.Focus); err != nil {
		return fmt.Errorf("--focus: %q is not a regular expression: %w", s.Focus, err)
	}
	if s.LabelFilter == "" {
		return nil
	}
	if _, err := types.ParseLabelFilter(s.LabelFilter); err != nil {
		return fmt.Errorf("--label-filter: %q can't be read: %s", s.LabelFilter, plain(err))
	}
	for _, word := range labelsIn(s.LabelFilter) {
		isMeant, fault := func(label string) bool { return strings.EqualFold(label, word) }, "there is no label %q"
		if expression, ok := strings.CutPrefix(word, "/"); ok {
			matcher, err := regexp.Compile(expression)
			if err != nil {
				continue // ParseLabelFilter has already reported what does not compile
			}
			word, fault, isMeant = expression, "no label matches /%s/", matcher.MatchString
		}
		if !slices.ContainsFunc(known, isMeant) {
			return fmt.Errorf("--label-filter: "+fault+"; the labels are: %s", word, strings.Join(known, ", "))
		}
	}
	return nil
}

// styles matches the escape sequences with which Ginkgo colours its errors.
var styles = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// plain returns an error of Ginkgo on one line and without colour.
func plain(err error) string {
	return strings.Join(strings.Fields(styles.ReplaceAllString(err.Error(), "")), " ")
}

// inFilter matches a regular expression between slashes, or a label.
var inFilter = regexp.MustCompile(`/[^/]*/?|[^&|!(),/]+`)

// labelsIn returns the labels in a filter. A regular expression keeps its leading slash.
func labelsIn(filter string) (labels []string) {
	for _, word := range inFilter.FindAllString(filter, -1) {
		if strings.HasPrefix(word, "/") {
			labels = append(labels, "/"+strings.Trim(word, "/"))
		} else if word = strings.TrimSpace(word); word != "" {
			labels = append(labels, word)
		}
	}
	return labels
}
