package page

import (
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/suites/internal/redact"
)

// flagged is the prefix of a setting's source if a flag set it.
const flagged = "flag --"

// resume returns the command that resumes the sweep, with the flags it was started with. It returns "" if there is
// nothing to resume.
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
	if len(words) > maxEntries || slices.ContainsFunc(words,
		func(w string) bool { return redact.Printable(w, longestText) != w }) {
		return strings.Join(words[:3], " ") // with changed or missing values, the command would resume something else
	}
	line := shellescape.QuoteCommand(words)
	b.charge(sizeOf(line))
	return line
}

// isShard reports whether the sweep is one shard of the population.
func (b *sweepBuilder) isShard() bool {
	return b.summary.Identity.Shard.Of > 1 && len(b.summary.Shards) == 0
}
