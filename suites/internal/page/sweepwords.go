package page

import (
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/suites/internal/redact"
)

// flagged is how the source of a setting begins that was given by a flag.
const flagged = "flag --"

// resume is the command that goes on with a sweep, with the flags by which it was begun; "" where there is nothing to
// go on with.
func (b *sweepBuilder) resume() string {
	s := b.summary
	if s.Complete || b.counts.Users == 0 {
		return ""
	}
	words := []string{"conformance", "sweep", "--resume"}
	if s.Identity.Sample > 0 {
		words = append(words, "--sample", strconv.Itoa(s.Identity.Sample))
	}
	words = append(words, "--seed", strconv.FormatUint(s.Identity.Seed, 10))
	if b.isShard() {
		words = append(words, "--shard", s.Identity.Shard.String())
	}
	for _, setting := range s.Settings {
		name, byFlag := strings.CutPrefix(setting.Source, flagged)
		if byFlag {
			words = append(words, "--"+name, setting.Value)
		}
	}
	if len(words) > mostEntries || slices.ContainsFunc(words,
		func(w string) bool { return redact.Printable(w, longestText) != w }) {
		return strings.Join(words[:3], " ") // what is not shown as it is would go on with something else
	}
	line := shellescape.QuoteCommand(words)
	b.charge(sizeOf(line))
	return line
}

// isShard reports whether the sweep is one part of the population.
func (b *sweepBuilder) isShard() bool {
	return b.summary.Identity.Shard.Of > 1 && len(b.summary.Shards) == 0
}
