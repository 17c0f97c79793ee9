// Package report turns the ledger of a run into report.json, junit.xml and the output on the terminal. Text from a
// target is already safe to print when it arrives here.
package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/result"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// format is the version of report.json.
const format = "2.0"

// Report is report.json; its schema is schemas/report.schema.json.
type Report struct {
	Format       string                     `json:"format"`
	Command      string                     `json:"command"` // that wrote it
	Verdict      ledger.Verdict             `json:"verdict"`
	Complete     bool                       `json:"complete"`
	Certifies    bool                       `json:"certifies"`          // passed, complete, live target, none set aside
	JudgedAgain  *JudgedAgain               `json:"judgedAgain"`        // null if a live target was used
	Embedded     bool                       `json:"embedded,omitempty"` // the built-in reference was asked
	Suite        Suite                      `json:"suite"`
	Target       map[schemas.Version]string `json:"target"`
	Proxy        map[schemas.Version]string `json:"proxy,omitempty"`  // the proxy used for a version
	Values       string                     `json:"values,omitempty"` // "hide" if the values of users are hidden
	Versions     []schemas.Version          `json:"versions"`
	Users        *Users                     `json:"users"`      // null if no run was begun
	Subject      *Subject                   `json:"subject"`    // null if no run was begun
	ValidUntil   *string                    `json:"validUntil"` // the last day of a certificate; null if none is set
	Fingerprints *Fingerprints              `json:"fingerprints,omitempty"`
	Run          string                     `json:"run"`
	Started      time.Time                  `json:"started"`
	Finished     *time.Time                 `json:"finished"`
	Requirements []Row                      `json:"requirements"`
	Observations []Observation              `json:"observations"`
	RootCauses   []RootCause                `json:"rootCauses,omitempty"` // that show at several members
	Excluded     []Excluded                 `json:"excluded"`
	Unsteady     []Unsteady                 `json:"unsteady"`
	Notes        []string                   `json:"notes"`
	Stale        []string                   `json:"staleWaivers"`
	// StaleReported is true if stale waivers and entries of the baseline are reported, and don't fail the run.
	StaleReported bool      `json:"staleReported,omitempty"`
	Gate          *Gate     `json:"baseline"`
	Missing       []string  `json:"lacking"` // missing evidence, if the run was judged again
	Settings      []Setting `json:"settings"`
	Error         *string   `json:"error"`
	Counts        Counts    `json:"counts"`

	// Recorded has the versions that were read from a record instead of being asked.
	Recorded map[schemas.Version]*exchange.Recorded `json:"recorded,omitempty"`

	FileDigest string `json:"-"` // digest of the file it was read from, if this is a baseline

	// Headings are the headings of the document's sections, by number.
	Headings map[string]string `json:"-"`

	// Folder is the report folder of the run, as it may be shown; "" if there is none.
	Folder string `json:"-"`

	// Latencies are those of the run, for metrics.
	Latencies []Latency `json:"-"`

	usedIgnores []string // the ignored places at which v5 and v6 differ
}

// Setting is one setting in effect, with its source. A secret's value reads "set".
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Row is one requirement in one version.
type Row struct {
	ID           string            `json:"id"`
	Section      string            `json:"section"`
	Kind         schemas.Kind      `json:"kind"`
	Statement    string            `json:"statement"`
	Operation    schemas.Operation `json:"operation"`
	Version      schemas.Version   `json:"version"`
	Verdict      ledger.Verdict    `json:"verdict"`
	Reason       *ledger.Reason    `json:"reason"`
	Because      string            `json:"because,omitempty"` // the failure that explains an inconclusive row
	Witnesses    int               `json:"witnesses"`
	Waiver       *Waiver           `json:"waiver"`
	WaiverEnded  bool              `json:"-"` // a waiver of it is past its last day
	Notes        []string          `json:"notes"`
	Known        bool              `json:"known"` // in the baseline it fails for the same causes, or is inconclusive
	FindingCount int               `json:"findingCount"`
	Users        int               `json:"users"` // number of users with a finding in a well-formed request
	Findings     []Finding         `json:"findings"`
	Causes       []Cause           `json:"causes"`

	behind *ledger.Key // the row that leaves it undecided; nil for none
	spent  time.Duration
}

// Waiver is the waiver that covers a row.
type Waiver struct {
	Reason string `json:"reason"`
	Until  string `json:"until"` // the last day on which it applies, 2027-01-31
}

// String returns the waiver in words.
func (w *Waiver) String() string { return fmt.Sprintf("waived until %s: %s", w.End(), w.Reason) }

// End returns the last day on which it applies, with the time zone.
func (w *Waiver) End() string { return w.Until + " (UTC)" }

// Finding is one breach of a requirement, or one difference between v5 and v6.
type Finding struct {
	Exchange string `json:"exchange"`
	Pointer  string `json:"pointer"`
	Kind     string `json:"kind"`
	Off      string `json:"off,omitempty"` // as that of its cause
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Message  string `json:"message"`
	Repeat   string `json:"repeat"`  // a curl command that repeats the request
	Against  string `json:"against"` // for a comparison of v5 and v6, the exchange it is compared with; else ""
	// RepeatAgainst is a curl command that repeats the request of that exchange.
	RepeatAgainst string `json:"repeatAgainst"`

	user  string // "" if it is about no well-formed request
	owner string // operation, user and exchange
	hint  string
	brief string // what came and what was expected, in a few words
}

// Cause is all findings of one key.
type Cause struct {
	check.Key
	Count   int    `json:"count"`
	Users   int    `json:"users,omitempty"` // number of users with such a finding in a well-formed request
	Example string `json:"example"`         // one finding in a sentence
	Root    string `json:"root,omitempty"`  // the text of its root cause

	example *Finding
	answers bool // it is about how a well-formed request is answered as a whole
}

// Excluded is a requirement that can't be tested from outside.
type Excluded struct {
	ID        string `json:"id"`
	Section   string `json:"section"`
	Statement string `json:"statement"`
	Reason    string `json:"reason"`
}

// Unsteady is a place whose value changes between identical calls to a version (J15), with for how many users it does.
type Unsteady struct {
	Operation  schemas.Operation       `json:"operation"`
	Pointer    string                  `json:"pointer"` // from the record
	Documented bool                    `json:"documented"`
	WarmedUp   bool                    `json:"warmedUp,omitempty"` // only the first calls to one version were others
	Users      map[schemas.Version]int `json:"users"`
}

// Both reports whether the place changes in both versions.
func (u Unsteady) Both() bool {
	return !slices.Contains(slices.Collect(maps.Values(u.Users)), 0)
}

// Examples is the number of example messages with which this build was tested. A test judges each of them.
const Examples = 301

// Counts has the numbers of what was sent, the users who were served, and the example messages with which this build
// was tested.
type Counts struct {
	exchange.Counts
	SelfChecked int `json:"selfChecked"`
	Users       int `json:"users"` // users for whom well-formed requests were sent
	// ServedBy is how many of them each operation of each version served something, of those that were asked. Served is
	// the smallest of these numbers for each version. Both are empty if no run was begun.
	Served   map[schemas.Version]int                       `json:"served"`
	ServedBy map[schemas.Operation]map[schemas.Version]int `json:"servedBy"`
}

// Unfinished returns the report that is in the folder until the run has ended.
func Unfinished(contract string, started time.Time) *Report {
	return empty(contract, started, "unfinished: the run has not ended, or was cut off; run again")
}

// Failed returns the report of a run that could not begin. The reason has passed the way out.
func Failed(contract string, started, finished time.Time, reason string) *Report {
	r := empty(contract, started, reason)
	r.Finished = new(finished.UTC())
	return r
}

// each returns what a function makes of each element of a list.
func each[From, To any](list []From, of func(From) To) (made []To) {
	for _, one := range list {
		made = append(made, of(one))
	}
	return made
}

func empty(contract string, started time.Time, reason string) *Report {
	return &Report{Format: format, Command: RunCommand, Verdict: ledger.Fault, Suite: SuiteOf(contract),
		Started: started.UTC(),
		Target:  map[schemas.Version]string{}, Error: &reason}
}

// New returns the report of a run. If it was not carried out to its end, the report has what there is. Stale waivers
// fail the run. Remarks about the run, the waivers and the ignored places go into the notes.
func New(r *result.Result, out *sanitize.Output) *Report {
	show := func(text string) string { return out.Text(text, 0) }
	report := empty(r.Suite.Contract.Digest, r.Started, "")
	report.Error, report.Finished = nil, new(r.Finished.UTC())
	report.Run = r.ID
	report.Embedded = r.Settings.Embedded
	report.StaleReported = r.Settings.Stale == settings.StaleReport
	report.Proxy = map[schemas.Version]string{}
	for _, v := range r.Settings.Versions {
		report.Target[v] = show(r.Base(v))
		if proxy := r.Settings.Targets[v].Proxy; proxy != nil {
			report.Proxy[v] = show(proxy.Shown)
		}
	}
	report.Versions, report.Recorded = r.Settings.Versions, out.Settings(r.Settings).Recorded
	report.Headings = map[string]string{}
	for _, section := range r.Suite.Sections {
		report.Headings[section.Number] = section.Title
	}
	report.Users, report.Subject = usersOf(r.Settings, out), SubjectOf(r.Settings.Subject, r.Observed, out)
	report.Fingerprints = FingerprintsOf(r.Settings, r.Suite.Contract, r.Started, out)
	report.Values = out.Values()
	if r.Evidence != "" {
		report.JudgedAgain, report.Command = &JudgedAgain{Evidence: r.Evidence}, JudgeCommand
	}
	report.usedIgnores = each(r.UsedIgnores, show)
	report.Counts = Counts{Counts: r.Counts, SelfChecked: Examples}
	users := r.Ledger.Users()
	report.Counts.Users, report.Counts.Served, report.Counts.ServedBy = users.Asked, users.Served, users.ServedBy
	report.Settings = each(r.Settings.Effective,
		func(e settings.Effective) Setting { return Setting{e.Name, show(e.Value), show(e.Source)} })
	report.Missing = slices.Compact(each(r.Ledger.Missing, func(p exchange.Probe) string {
		if r.Settings.Recorded[p.Version] != nil {
			return fmt.Sprintf("the record of %s has no answer of %s for user %s", p.Version, p.Operation, out.User(p))
		}
		return fmt.Sprintf("%s: %s of %s for user %s, %s", p.ID, p.Operation, p.Version, out.User(p), p.Name())
	}))
	report.Stale, report.Notes = each(r.StaleWaivers, show), each(r.Notes, show)
	if r.Err == nil && users.Unknown > 0 && 2*users.Unknown >= users.Enrolled {
		if check := adviceOnUsers(r); check != "" {
			report.Notes = append(report.Notes, fmt.Sprintf("no version served %d of %s in any call: %s", users.Unknown,
				wording.Count(users.Enrolled, "enrolled user"), check))
		}
	}
	report.Requirements = each(r.Ledger.Rows(), func(row *ledger.Row) Row { return rowOf(r, out, row) })
	report.RootCauses = each(r.Ledger.RootCauses(),
		func(root *ledger.RootCause) RootCause { return rootCauseOf(out, root) })
	report.explain()
	report.Observations = each(r.Ledger.Observations(),
		func(o ledger.Observation) Observation { return observationOf(out, o) })
	report.Excluded = each(r.Ledger.Excluded(),
		func(q schemas.Requirement) Excluded { return Excluded{q.ID, q.Section, q.Statement, q.Reason} })
	report.Unsteady = each(r.Ledger.Unsteady, func(u ledger.Unsteady) Unsteady {
		return Unsteady{u.Operation, out.Pointer(u.Place), u.Documented, u.WarmedUp, u.Users}
	})
	report.Latencies = latenciesOf(r.Ledger.Observations())
	report.Complete = r.Ledger.Complete()
	if r.Err != nil {
		report.Complete, report.Error = false, new(out.Error(r.Err))
	}
	report.Judge()
	return report
}

// usersOf returns the users of a run. The digest covers one line of JSON for each user, in order: id, userId, enrolled.
// If values are hidden it is another one (sanitize.Output.Digest).
func usersOf(s *settings.Settings, out *sanitize.Output) *Users {
	var lines []byte
	for _, u := range s.Users {
		line, _ := json.Marshal([]any{out.Identifier(u.ID), out.Identifier(u.UserID), u.Enrolled}) // never fails
		lines = append(append(lines, line...), '\n')
	}
	return &Users{len(s.Users), out.Digest(exchange.DigestOf(lines))}
}

func rowOf(r *result.Result, out *sanitize.Output, row *ledger.Row) Row {
	to := Row{
		ID:           row.ID,
		Section:      row.Requirement.Section,
		Kind:         row.Requirement.Kind,
		Statement:    row.Requirement.StatementOf(row.Version),
		Operation:    row.Requirement.Operations[0],
		Version:      row.Version,
		Verdict:      row.Verdict(),
		Witnesses:    row.Witnesses,
		FindingCount: row.Count,
		Users:        row.FailingUsers(),
		spent:        row.Spent,
		Notes:        notesOf(r, out, row.Notes),
		Findings:     each(row.Findings, func(f check.Finding) Finding { return findingOf(r, out, f) }),
	}
	if to.Verdict == ledger.Inconclusive {
		to.Reason = new(row.Reason)
		if row.Behind != nil {
			to.behind = &row.Behind.Key
		}
	}
	to.WaiverEnded = row.Ended
	if row.Waiver != nil {
		to.Waiver = &Waiver{out.Text(row.Waiver.Reason, 0), row.Waiver.Until.Format(time.DateOnly)}
	}
	roots := row.Roots()
	for i, c := range row.Causes {
		example := findingOf(r, out, c.Example)
		key := c.Key
		key.Pointer = out.Pointer(key.Pointer)
		to.Causes = append(to.Causes, Cause{key, c.Count, row.UsersOf(c), example.Message, roots[i].Text,
			&example, AnswerBrief(out, c.Example) != ""})
	}
	return to
}

func findingOf(r *result.Result, out *sanitize.Output, f check.Finding) Finding {
	to := Finding{
		Exchange: f.Probe.ID,
		Pointer:  out.Pointer(f.Pointer),
		Kind:     f.Kind,
		Off:      f.Key().Off,
		Expected: Expected(out, f),
		Actual:   Actual(out, f),
		Against:  f.Against.ID,
	}
	if f.Against.ID != "" {
		to.RepeatAgainst = out.Curl(r.Requests, f.Against)
	}
	if f.Probe.ID != "" {
		to.Repeat = out.Curl(r.Requests, f.Probe)
		if f.Probe.WellFormed() {
			to.user = out.User(f.Probe)
		}
		to.owner = fmt.Sprintf("%s of %s for user %s (%s, %s)", f.Probe.Operation, f.Probe.Version, out.User(f.Probe),
			f.Probe.ID, f.Probe.Name())
		to.hint = adviceOn(r, out, f)
	}
	to.Message, to.brief = to.sentence(), brief(out, f)
	if to.hint != "" {
		to.brief += "; " + to.hint
	}
	return to
}

// sentence describes a finding in one self-contained sentence.
func (f *Finding) sentence() string {
	text := ""
	if f.owner != "" {
		text = f.owner + ": "
	}
	if f.Pointer != "" {
		text += "at " + f.Pointer + " "
	}
	text += "expected " + f.Expected + "; got " + f.Actual
	if f.hint != "" {
		text += "; " + f.hint
	}
	return text
}
