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
		if expression, ok := strings.CutPrefix(word, "/"); ok {
			matcher, err := regexp.Compile(expression)
			if err != nil || slices.ContainsFunc(known, matcher.MatchString) {
				continue // ParseLabelFilter has already reported what does not compile
			}
			return fmt.Errorf("--label-filter: no label matches /%s/; the labels are: %s", expression,
				strings.Join(known, ", "))
		}
		if !slices.ContainsFunc(known, func(label string) bool { return strings.EqualFold(label, word) }) {
			return fmt.Errorf("--label-filter: there is no label %q; the labels are: %s", word,
				strings.Join(known, ", "))
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

// labelsIn returns the labels in a filter. A regular expression keeps its leading slash.
func labelsIn(filter string) []string {
	var labels []string
	for filter != "" {
		if strings.HasPrefix(filter, "/") {
			expression, rest, _ := strings.Cut(filter[1:], "/")
			labels = append(labels, "/"+expression)
			filter = rest
			continue
		}
		end := strings.IndexAny(filter, "&|!(),/")
		switch end {
		case 0:
			filter = filter[1:]
			continue
		case -1:
			end = len(filter)
		}
		if word := strings.TrimSpace(filter[:end]); word != "" {
			labels = append(labels, word)
		}
		filter = filter[end:]
	}
	return labels
}
