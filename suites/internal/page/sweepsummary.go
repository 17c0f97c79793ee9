package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"al.essio.dev/pkg/shellescape"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/tally"
)

// certificate is what the one who signs reads first.
func (b *sweepBuilder) certificate() summary {
	s := b.summary
	c := summary{
		State: verdictState(s.Verdict), Verdict: s.Verdict, Complete: s.Complete, Of: "sweep", Suite: b.text(s.Suite.Name), Where: "no target",
		Sentence: sentence(b.text(s.Reason)), Proves: sentence("what it proves: " + b.text(s.Proves)), Scope: b.scope(),
	}
	if s.Error != nil {
		c.Sentence = "The sweep could not be carried out, or has not ended."
		c.Error = b.lines(*s.Error)
	}
	b.addFacts(&c)
	return c
}

// scope says whether all were looked at who were to be.
func (b *sweepBuilder) scope() string {
	s := b.summary
	whom := "the population"
	switch {
	case s.Identity.Sample > 0:
		whom = "the sample"
	case b.isShard():
		whom = "shard " + s.Identity.Shard.String()
	}
	if !s.Complete {
		return fmt.Sprintf("Not complete: not every user of %s was looked at.", whom)
	}
	return fmt.Sprintf("Complete: every user of %s was looked at.", whom)
}

func share(n, of int64) string {
	return grouped(n) + " of " + grouped(of) + " (" + percent(n, of) + ")"
}

func (b *sweepBuilder) isShard() bool {
	return b.summary.Identity.Shard.Of > 1 && len(b.summary.Shards) == 0
}

func (b *sweepBuilder) addFacts(c *summary) {
	s := b.summary
	if b.tally.Users > 0 {
		c.add("Users who differ", false, share(b.tally.Differing, b.tally.Users))
		c.add("Users for whom the contract is broken", false, share(b.tally.Violating, b.tally.Users))
	}
	c.addTargets(b.text(s.Identity.Target[schemas.V5]), b.text(s.Identity.Target[schemas.V6]))
	c.add("Users looked at", false, grouped(b.tally.Users))
	if s.Read.Users > 0 {
		population := "Population"
		if !s.Complete {
			population += ", as far as it was read"
		}
		c.add(population, false, users(s.Read.Users))
		c.add("Digest of the population", true, b.text(s.Read.Digest))
	}
	if s.Identity.Sample > 0 {
		c.add("Sample", false, fmt.Sprintf("%s, drawn at random with seed %d", users(int64(s.Identity.Sample)), s.Identity.Seed))
	}
	if b.isShard() {
		c.add("Shard", false, s.Identity.Shard.String())
	}
	if len(s.Shards) > 0 {
		c.add("Merged shards", false, strconv.Itoa(len(s.Shards)))
	}
	c.add("Started", false, moment(&s.Started))
	c.add("Finished", false, moment(s.Finished))
	b.addPace(c)
	if traffic := s.Traffic; traffic.Requests > 0 {
		c.add("Requests", false, grouped(traffic.Requests))
		c.add("Throttled: told to come again later", false, often(traffic.Throttled))
		c.add("Left alone, as the target did not answer", false, often(traffic.Outages))
		c.add("Sent again, as a kept connection was closed or the target down", false, often(traffic.Repeated))
	}
	b.addSuite(c, s.Suite)
	c.add("Sweep", true, b.text(s.Sweep))
	if s.Findings != "" {
		c.add("Digest of "+tally.FindingsFile+" but for its last line", true, b.text(s.Findings))
	}
}

// addPace adds how long users were looked at. Shards may have been looked at side by side: theirs is added up.
func (b *sweepBuilder) addPace(c *summary) {
	took, rate := "Time spent", "Users per second"
	if len(b.summary.Shards) > 0 {
		took, rate = took+", by all shards together", rate+" of one shard, on average"
	}
	if seconds := b.summary.Seconds; seconds > 0 {
		c.add(took, false, lasting(seconds))
		c.add(rate, false, rounded(float64(b.tally.Users)/seconds))
	}
}

// flagged is how the source of a setting begins that was given by a flag.
const flagged = "flag --"

// resume is the command that goes on with a sweep, with the flags by which it was begun; "" where there is nothing to
// go on with.
func (b *sweepBuilder) resume() string {
	s := b.summary
	if s.Complete || b.tally.Users == 0 {
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
	if slices.ContainsFunc(words, func(w string) bool { return redact.Printable(w, b.level.text) != w }) {
		return strings.Join(words[:3], " ") // what is not shown as it is would go on with something else
	}
	return shellescape.QuoteCommand(words)
}

// sentence makes one of a clause. The name of a version stays as it is.
func sentence(clause string) string {
	first, width := utf8.DecodeRuneInString(clause)
	if width == 0 {
		return ""
	}
	for _, v := range schemas.Versions() {
		if strings.HasPrefix(clause, string(v)) {
			return clause + "."
		}
	}
	return string(unicode.ToUpper(first)) + clause[width:] + "."
}
