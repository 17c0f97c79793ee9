package stats

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// The names of the files in the report folder of a sweep.
const (
	SummaryFile     = "sweep.json"
	PageFile        = "sweep.html"
	FindingsFile    = "findings.ndjson"
	DifferencesFile = "differences.csv"
	AnswersFile     = "differences.har"
	CheckpointFile  = "sweep.checkpoint.json"
)

// The commands that write them, as sweep.json names them.
const (
	SweepCommand = "sweep"
	MergeCommand = "merge"
)

// Format is the version of sweep.json, findings.ndjson and the checkpoint.
const Format = "2.0"

// Summary is sweep.json; its schema is schemas/sweep.schema.json.
type Summary struct {
	Format   string          `json:"format"`
	Command  string          `json:"command"` // that wrote it
	Verdict  ledger.Verdict  `json:"verdict"`
	Reason   string          `json:"reason"`   // for the verdict, in a sentence
	Proves   string          `json:"proves"`   // what the sweep proves about the population
	Complete bool            `json:"complete"` // every user of the population, or of the shard or sample, was checked
	Suite    report.Suite    `json:"suite"`
	Sweep    string          `json:"sweep"` // its id, in the User-Agent of every request
	Started  time.Time       `json:"started"`
	Finished *time.Time      `json:"finished"`
	Seconds  float64         `json:"seconds"` // spent checking users, by all processes
	Identity Identity        `json:"identity"`
	Read     Population      `json:"population"`
	Shards   []Shard         `json:"shards"` // those that were merged
	Subject  *report.Subject `json:"subject,omitempty"`
	Total    int64           `json:"total"` // users of the population, or of the shard or sample; 0 if unknown
	Tally    *Counts         `json:"tally"`
	// MinServed is the least share or number of users who must be served, such as "50%"; "" if no sweep was begun.
	MinServed string  `json:"minServed,omitempty"`
	Traffic   Traffic `json:"traffic"`
	// Recorded has what is known of each version that is read from a record instead of being asked.
	Recorded map[schemas.Version]*Recorded `json:"recorded,omitempty"`
	// Recording is the record that a sweep of one version made.
	Recording *exchange.Recorded `json:"recording,omitempty"`
	Findings  string             `json:"findings"` // digest of findings.ndjson without its last line
	Notes     []string           `json:"notes"`
	Settings  []report.Setting   `json:"settings"`
	Error     *string            `json:"error"`

	// Ended is true if every user was checked who was to be. Such a sweep is not complete if it has LastFailed users.
	Ended bool `json:"-"`
	// Late is true if the sweep was stopped by its deadline.
	Late bool `json:"-"`
	// Folder is the report folder of the sweep, as it may be shown; "" if there is none.
	Folder string `json:"-"`
}

// Population is what was read of the users file, including users outside the shard or the sample.
type Population struct {
	Users  int64  `json:"users"`
	Digest string `json:"digest"` // of those users, whatever the format of the file
}

// Traffic counts the requests to the target and how it coped with them, including those for users who were checked
// again after a stop.
type Traffic struct {
	exchange.Counts
	// AskedAgain counts the users who were asked again at the end of their block: they were refused, or got no answer
	// (J23).
	AskedAgain int64 `json:"askedAgain,omitempty"`
}

// Add adds the traffic of another process.
func (t *Traffic) Add(other Traffic) {
	t.Requests += other.Requests
	t.Throttled += other.Throttled
	t.Repeated += other.Repeated
	t.Controls += other.Controls
	t.Interruptions += other.Interruptions
	t.AskedAgain += other.AskedAgain
}

// Identity is what two sweeps must have in common for one to resume the other or be merged with it.
type Identity struct {
	Contract string                     `json:"contract"`
	Suite    string                     `json:"suite"` // version and commit
	Target   map[schemas.Version]string `json:"target"`
	Rules    string                     `json:"rules"`  // digest of the settings that affect judging and comparing
	Sample   int                        `json:"sample"` // how many users are drawn at random; 0: all
	Seed     uint64                     `json:"seed"`
	Shard    Shard                      `json:"shard"`
	Values   string                     `json:"values,omitempty"` // "hide" if the values of users are hidden
	// LastFailed is how many users are swept alone because something was found for them before; 0: not only such.
	LastFailed int `json:"lastFailed,omitempty"`
	// Recorded has the digest of the record of each version that is read instead of asked.
	Recorded map[schemas.Version]string `json:"recorded,omitempty"`
}

// Versions returns the names of the versions that are compared: "v5 and v6".
func (i Identity) Versions() string {
	versions := schemas.InOrder(i.Target)
	if len(versions) == 0 { // of a sweep that was not begun
		versions = schemas.Versions()
	}
	return schemas.Named(versions)
}

// Shard is one part of a population that is split for several sweeps.
type Shard struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`    // number of shards; 1: the whole population
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// flags returns the flags that say which users are swept; "" if all are.
func (i Identity) flags() string {
	switch {
	case i.Sample > 0:
		return fmt.Sprintf(" --sample %d --seed %d", i.Sample, i.Seed)
	case i.Shard.Of > 1:
		return " --shard " + i.Shard.String()
	}
	return ""
}

// Differs names the first difference from another sweep's identity; "" if there is none. It ignores the index of the
// shard, which the caller compares.
func (i Identity) Differs(other Identity) string {
	switch {
	case i.Contract != other.Contract:
		return "another contract (" + other.Contract + "), which another version of the suite has"
	case i.Suite != other.Suite:
		return "another version of the suite (" + other.Suite + ")"
	case !maps.Equal(i.Target, other.Target):
		return "another target (" + addresses(other.Target) + ")"
	case i.Rules != other.Rules:
		return "other settings of parity or waivers, or another application id"
	case i.Sample != other.Sample || i.Seed != other.Seed:
		return fmt.Sprintf("another sample (--sample %d --seed %d)", other.Sample, other.Seed)
	case i.LastFailed != other.LastFailed:
		return "other users for whom something was found before (--last-failed)"
	case !maps.Equal(i.Recorded, other.Recorded):
		return "another record of a version"
	case i.Values != other.Values:
		return fmt.Sprintf("another setting of values (%s)", cmp.Or(other.Values, settings.ValuesShow))
	case i.Shard.Of != other.Shard.Of:
		return fmt.Sprintf("another number of shards (%d)", other.Shard.Of)
	}
	return ""
}

// addresses lists the base URL of each version.
func addresses(target map[schemas.Version]string) string {
	var list []string
	for _, v := range schemas.InOrder(target) {
		list = append(list, fmt.Sprintf("%s at %s", v, target[v]))
	}
	return strings.Join(list, ", ")
}

// Conclude sorts the groups and sets the verdict, its reason, and what the sweep proves.
func (s *Summary) Conclude() {
	s.Tally.sortGroups()
	s.Tally.concludeServed()
	s.Verdict, s.Reason = s.verdict()
	s.Proves = s.proof()
}

func (s *Summary) verdict() (ledger.Verdict, string) {
	t, found := s.Tally, s.Tally.Found()
	switch {
	case s.Error != nil:
		return ledger.Fault, *s.Error
	case !s.Complete && !s.Ended:
		return ledger.Fault, s.stopped()
	case s.differences()+found.Violations+int64(len(s.oneSided())) > 0:
		return ledger.Fail, strings.Join(s.failureReasons(), "; ")
	case found.Open > 0:
		return ledger.Inconclusive, wording.Count(found.Open, "lookup") +
			" could not be compared, each of one user by one operation; repair what the reasons name, and sweep again"
	case t.Users == 0:
		return ledger.Inconclusive, "there was no user to check; see the users file, --shard and --sample"
	}
	if few := s.TooFewServed(); few != "" {
		return ledger.Inconclusive, few
	}
	for _, op := range schemas.Operations() {
		if !t.Witnessed[op] {
			return ledger.Inconclusive, fmt.Sprintf("nobody was served anything by %s in %s; check the token, and "+
				"that the users file is of this target", op, s.versionsAs("both versions"))
		}
	}
	if reason := s.undecidedReason(); reason != "" {
		return ledger.Inconclusive, reason
	}
	if shared := t.sharedLists(); shared != "" {
		return ledger.Inconclusive, shared
	}
	var but []string
	if moved := t.Count(Moved); moved > 0 {
		but = append(but, wording.Count(moved, "lookup")+" that differed, and no longer when read again")
	}
	if found.Waived > 0 {
		but = append(but, wording.Count(found.Waived, "finding")+" that waivers set aside")
	}
	reason := "all alike, and within the contract"
	if s.OfOneVersion() {
		reason = s.Identity.Versions() + " is recorded, and within the contract"
	}
	if len(but) > 0 {
		reason += ", but for " + wording.List(but)
	}
	if s.builtIn() {
		reason += "; the target is " + report.BuiltInReference
	}
	return ledger.Pass, reason
}

// versionsAs names the versions of a sweep: as a word, such as "both versions", or the one that it records.
func (s *Summary) versionsAs(word string) string {
	if s.OfOneVersion() {
		return s.Identity.Versions()
	}
	return word
}

// OfOneVersion reports whether nothing is compared: one version is recorded.
func (s *Summary) OfOneVersion() bool { return len(s.Identity.Target) == 1 }

// builtIn reports whether the target is the built-in reference.
func (s *Summary) builtIn() bool {
	return slices.Contains(slices.Collect(maps.Values(s.Identity.Target)), report.BuiltInReference)
}

// stopped describes how far a stopped sweep got and what it found.
func (s *Summary) stopped() string {
	t, found := s.Tally, s.Tally.Found()
	text := "stopped"
	if s.Late {
		text += " by the setting deadline (--deadline)"
	}
	if t.Users == 0 {
		return text + " before any user was checked; start it again"
	}
	users := wording.Count(t.Users, "user")
	if s.Total > 0 {
		users = wording.Number(t.Users) + " of " + wording.Count(s.Total, "user")
	}
	var list []string
	if !s.OfOneVersion() {
		list = append(list, wording.Count(found.Differences, "difference"))
	}
	if found.Violations > 0 || s.OfOneVersion() {
		list = append(list, wording.Plural(found.Violations, "breach of the contract", "breaches of the contract"))
	}
	return text + " after " + users + ", " + wording.List(list) + " so far; continue with --resume"
}

// failureReasons lists the reasons for which a sweep fails.
func (s *Summary) failureReasons() []string {
	var list []string
	c, found := s.Tally, s.Tally.Found()
	if n := s.differences(); n > 0 {
		list = append(list, c.keyFigure()+" between "+s.Identity.Versions()+": "+wording.Count(n, "difference"))
	}
	if places := s.oneSided(); len(places) > 0 {
		list = append(list, "identical calls to one version only are answered differently, at "+describeAll(places))
	}
	if found.Violations > 0 {
		list = append(list, "the contract is broken for "+c.shareOfUsers(c.Violating)+": "+
			wording.Count(found.Violations, "finding"))
	}
	return list
}

// keyFigure describes how many users differ. It is the first figure of every report.
func (c *Counts) keyFigure() string {
	if c.Differing == 1 {
		return c.shareOfUsers(1) + " differs"
	}
	return c.shareOfUsers(c.Differing) + " differ"
}

func (c *Counts) shareOfUsers(n int64) string {
	return fmt.Sprintf("%s of %s (%s)", wording.Number(n), wording.Count(c.Users, "user"), wording.Percent(n, c.Users))
}

// ruleOfThree is the upper end of the 95 % confidence interval, in events, if a sample shows none (rule of three).
const ruleOfThree = 3

func (s *Summary) proof() string {
	n, all, t := s.Tally.Covered, s.Read.Users, s.Tally
	found, users := t.Found(), wording.Count(n, "user")
	switch {
	case t.Users == 0:
		return "nothing, as no user was checked"
	case n == 0 && t.servedInPart() == 0:
		return "nothing, as no user was served" + s.unservedTail()
	case n == 0:
		return "nothing, as no user was served by each operation in " + s.versionsAs("both versions") +
			s.unservedTail()
	case !s.Complete && !s.Ended && n < t.Users:
		return fmt.Sprintf("it covers only the %s served so far, of %s checked%s", users, wording.Number(t.Users),
			s.unservedTail())
	case !s.Complete && !s.Ended:
		return fmt.Sprintf("it covers only the %s checked so far", users)
	case s.Identity.LastFailed > 0:
		return fmt.Sprintf("it covers only the %s for whom something was found before%s", users, s.unservedTail())
	case s.Identity.Sample > 0 && t.Users < all && found.Differences+found.Violations+found.Waived > 0:
		return fmt.Sprintf("it covers %s drawn at random from %s; some of the others may show the same%s",
			users, wording.Number(all), s.unservedTail())
	case s.Identity.Sample > 0 && t.Users < all && found.Open >= n:
		return "nothing: hardly any user of the sample could be compared" + s.unservedTail()
	case s.Identity.Sample > 0 && t.Users < all:
		compared := n - found.Open // an upper bound on the users that could not be
		return fmt.Sprintf("nothing was found in %s drawn at random from %s: with 95%% confidence fewer than %.3g%% "+
			"of them show anything (3/n)%s",
			wording.Count(compared, "user"), wording.Number(all), min(100, 100*ruleOfThree/float64(compared)),
			s.unservedTail())
	case s.Identity.Shard.Of > 1:
		return fmt.Sprintf("it covers %s of shard %s%s; merge it with all other shards for the rest: conformance merge",
			s.coveredUsers(), s.Identity.Shard, s.unservedTail())
	}
	return "it covers " + s.coveredUsers() + " of the population" + s.unservedTail() + s.unmatchedTail()
}

// coveredUsers names the users who were served: "every one of the 1,000 users", "980 of the 1,000 users".
func (s *Summary) coveredUsers() string {
	switch n, all := s.Tally.Covered, s.Tally.Users; {
	case n < all:
		return wording.Number(n) + " of the " + wording.Count(all, "user")
	case n == 1:
		return "the 1 user"
	}
	return "every one of the " + wording.Count(s.Tally.Users, "user")
}

// Write writes sweep.json.
func Write(w io.Writer, s *Summary) error { return strictjson.WriteIndented(w, s) }

// Empty returns a summary without counts, with the reason: a sweep that has not ended or could not be executed.
func Empty(suite report.Suite, started time.Time, reason string) *Summary {
	s := &Summary{Format: Format, Command: SweepCommand, Suite: suite, Started: started.UTC(),
		Identity: Identity{Contract: suite.Contract, Target: map[schemas.Version]string{}, Shard: Shard{1, 1}},
		Shards:   []Shard{}, Tally: New(0), Notes: []string{}, Settings: []report.Setting{}, Error: &reason}
	s.Conclude()
	return s
}
