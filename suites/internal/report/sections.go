package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/parity"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/settings"
)

// sections adds the sections of a run, first those that decide the verdict.
func (r *Report) sections(d *Document) {
	d.Add(r.failures())
	d.Add(r.stale())
	d.Add(r.baseline())
	if r.Error == nil {
		d.Add(r.open())
	}
	d.Add(Section{Name: "lacking", Title: "Missing from the " + r.source(), Label: "lacking:",
		Items: texts(Warning, r.Missing)})
	d.Add(r.waived())
	d.Add(r.divergences())
	d.Add(r.unsteady())
	d.Add(Section{Name: "notes", Title: "Notes", Label: "note:", Items: texts(Info, r.Notes)})
}

func texts(level Level, list []string) []Item {
	return each(list, func(text string) Item { return Item{Level: level, Text: text} })
}

func (r *Report) stale() Section {
	s := Section{Name: "stale", Title: "Stale waivers", Label: "FAIL", Items: texts(r.staleLevel(), r.Stale)}
	if r.StaleReported {
		s.Label = "note:"
	}
	return s
}

// maxIDsPerLine is how many ids are listed on a line.
const maxIDsPerLine = 50

// open groups inconclusive rows by reason, with what to do about it. A run passes only if every row has a witness.
func (r *Report) open() Section {
	s := Section{Name: "inconclusive", Title: "What could not be decided", Label: "INCONCLUSIVE", Fold: true}
	for _, g := range r.undecided() {
		item := Item{Level: Warning, Name: string(g.reason), Text: remedy(g.reason, g.because), Rows: g.rows,
			Results: len(g.rows)}
		var notes []string
		for _, row := range g.rows {
			for _, note := range row.Notes {
				notes = append(notes, fmt.Sprintf("note on %s %s: %s", row.ID, row.Version, note))
			}
		}
		for _, g := range groupByVersions(item.Rows) {
			for ids := range slices.Chunk(g.ids, maxIDsPerLine) {
				item.More = append(item.More, g.versions+": "+strings.Join(ids, ", "))
			}
		}
		if g.reason == ledger.NoControl {
			notes = notes[:min(1, len(notes))] // the others are alike
		}
		item.More = append(item.More, notes...)
		if g.reason == ledger.NoWitness && g.because == "" {
			item.Waivers = r.waivers(item.Rows)
		}
		s.Items = append(s.Items, item)
	}
	left := len(slices.DeleteFunc(r.rows(), func(row *Row) bool { return row.State().Name != "not-run" }))
	if left > 0 && !r.isOfLastFailed() {
		missing := ""
		if len(r.Missing) > 0 {
			missing = ", or because evidence is missing"
		}
		text := fmt.Sprintf("%s left out by %s%s. To certify, run again without %[2]s.", wording.Count(left, "check"),
			r.filter(), missing)
		if r.lacksRecorded() {
			text = fmt.Sprintf("%s left out, as the record does not have every user: leave the others out of the "+
				"users file, or name a record that has them.", wording.Count(left, "check"))
		}
		s.Items = append(s.Items, Item{Name: string(ledger.NotRun), Results: left, Text: text})
	}
	return s
}

// source names what a run reads answers from, if it reads any.
func (r *Report) source() string {
	if len(r.Recorded) > 0 {
		return "record"
	}
	return "evidence"
}

// lacksRecorded reports whether checks were not made only because a record does not have every user.
func (r *Report) lacksRecorded() bool {
	return len(r.Recorded) > 0 && len(r.Missing) > 0 && r.filter() == noFilter
}

const noFilter = "a filter"

// filter names the flags that left out checks; noFilter if they are not known.
func (r *Report) filter() string {
	var flags []string
	for _, s := range r.Settings {
		flag := strings.TrimPrefix(s.Source, "flag ")
		if slices.Contains([]string{"--label-filter", "--focus", "--" + settings.LastFailedFlag}, flag) {
			flags = append(flags, flag)
		}
	}
	return cmp.Or(wording.List(flags), noFilter)
}

// undecidedFor has the rows that are inconclusive for a reason, and the failure that explains them, if one does.
type undecidedFor struct {
	reason  ledger.Reason
	because string
	rows    []*Row
}

// undecided groups inconclusive rows by reason: those that a failure explains come last.
func (r *Report) undecided() (list []undecidedFor) {
	for _, row := range r.rows() {
		if !row.Open() || row.Reason == nil {
			continue
		}
		i := slices.IndexFunc(list,
			func(g undecidedFor) bool { return g.reason == *row.Reason && g.because == row.Because })
		if i < 0 {
			i, list = len(list), append(list, undecidedFor{reason: *row.Reason, because: row.Because})
		}
		list[i].rows = append(list[i].rows, row)
	}
	order := []ledger.Reason{ledger.NotServed, ledger.NoControl, ledger.UnsteadyAnswers, ledger.NoWitness,
		ledger.NotComparable}
	slices.SortStableFunc(list, func(a, b undecidedFor) int {
		return cmp.Or(cmp.Compare(min(1, len(a.because)), min(1, len(b.because))),
			cmp.Compare(slices.Index(order, a.reason), slices.Index(order, b.reason)))
	})
	return list
}

// idsOf is a list of ids that belong to the same versions.
type idsOf struct {
	versions string
	version  schemas.Version // "" for all releases
	ids      []string
}

// groupByVersions groups the ids of rows: first those that all releases have in common, then those of some, and those
// of pairs, which have ids of their own.
func groupByVersions(rows []*Row) (list []idsOf) {
	var releases []schemas.Version
	times := map[string]int{} // by id
	for _, row := range rows {
		if times[row.ID]++; !row.Version.IsPair() && !slices.Contains(releases, row.Version) {
			releases = append(releases, row.Version)
		}
	}
	slices.Sort(releases)
	for _, row := range rows {
		g := idsOf{versions: string(row.Version), version: row.Version}
		if len(releases) > 1 && times[row.ID] == len(releases) {
			g = idsOf{versions: schemas.Named(releases)}
		}
		i := slices.IndexFunc(list, func(other idsOf) bool { return other.version == g.version })
		if i < 0 {
			i, list = len(list), append(list, g)
		}
		if !slices.Contains(list[i].ids, row.ID) {
			list[i].ids = append(list[i].ids, row.ID)
		}
	}
	slices.SortFunc(list, func(a, b idsOf) int {
		return cmp.Or(cmp.Compare(len(a.version), len(b.version)), cmp.Compare(a.version, b.version))
	})
	return list
}

// suggestedWaiverPeriod is how long a suggested waiver applies.
const suggestedWaiverPeriod = 90 * 24 * time.Hour

// waivers returns the YAML of waivers for inconclusive rows, to paste into the configuration file.
func (r *Report) waivers(rows []*Row) string {
	until := r.Started
	if r.Finished != nil {
		until = *r.Finished
	}
	text := "waivers:"
	for _, g := range groupByVersions(rows) {
		version := ""
		if g.version != "" {
			version = fmt.Sprintf("version: %s, ", g.version)
		}
		text += fmt.Sprintf("\n  - {%sverdict: inconclusive, reason: no user of this target has a value, until: %s,\n"+
			"     requirement: [%s]}",
			version, until.Add(suggestedWaiverPeriod).Format(time.DateOnly), strings.Join(g.ids, ", "))
	}
	return text
}

func (r *Report) waived() Section {
	s := Section{Name: "waived", Title: "Waived", Label: "WAIVED"}
	for _, row := range r.rows() {
		if row.Waiver != nil {
			s.Items = append(s.Items, Item{Rows: []*Row{row}, Name: row.ID + " " + string(row.Version),
				Text: fmt.Sprintf("%s until %s: %s", row.Verdict, row.Waiver.End(), row.Waiver.Reason)})
		}
	}
	return s
}

// compared returns the versions that observations are of.
func (r *Report) compared() []schemas.Version {
	for _, o := range r.Observations {
		return o.Seen.Versions()
	}
	return schemas.Versions()
}

// divergences returns a section with the open points at which versions differ. Left out are those that a finding
// explains, and those that were so in the baseline.
func (r *Report) divergences() Section {
	s := Section{Name: "divergences", Title: "Where " + schemas.Named(r.compared()) + " diverge", Fold: true}
	for _, o := range r.Observations {
		if !o.Diverges() || o.Explained || r.Gate != nil && !r.Gate.changed(o) {
			continue
		}
		item := Item{Level: Warning, Name: fmt.Sprintf("%s of %s", o.ID, o.Operation),
			Text: "the document leaves this open"}
		for _, v := range o.Seen.Versions() {
			item.Lines = append(item.Lines, string(v)+": "+cmp.Or(o.Seen.Of(v).String(), "nothing"))
		}
		s.Items = append(s.Items, item)
	}
	return s
}

// unsteady returns a section with the places that change between identical calls. One that does so in one version only
// is a finding, too.
func (r *Report) unsteady() Section {
	s := Section{Name: "unsteady", Title: "What changes between identical calls", Label: "unsteady:", Fold: true}
	for _, u := range r.Unsteady {
		text := "its values are left out of the comparison"
		switch {
		case u.WarmedUp:
			text = WarmedUp
		case !u.Both():
			text = "it changes in one version only"
		case u.Documented:
			text = "whether the versions agree there is not decided"
		}
		s.Items = append(s.Items, Item{Name: fmt.Sprintf("%s of %s", UnsteadyPlace(u.Pointer), u.Operation),
			Text: text + " (users: " + UsersByVersion(u.Users) + ")"})
	}
	return s
}

// WarmedUp says what a place is that changes at the first call to one version only.
const WarmedUp = "the first calls to one version alone show something else, and it fails nothing: is that a warm-up?"

// UnsteadyPlace names a place that changes between identical calls.
func UnsteadyPlace(pointer string) string {
	switch pointer {
	case "":
		return "the whole answer"
	case "/*":
		return "how the list is made up"
	}
	return pointer
}

// UsersByVersion lists numbers of users: "v5 0, v6 4".
func UsersByVersion[N int | int64](users map[schemas.Version]N) string {
	var list []string
	for _, v := range schemas.InOrder(users) {
		list = append(list, fmt.Sprintf("%s %d", v, users[v]))
	}
	return strings.Join(list, ", ")
}

// baseline returns a section that compares the run with an earlier one, worst first.
func (r *Report) baseline() Section {
	s := Section{Name: "baseline", Title: "Against the baseline"}
	g := r.Gate
	if g == nil {
		return s
	}
	s.Intro = fmt.Sprintf("%d new, %d grown, %d known, %d stale, %s.", len(g.New), len(g.Grown), len(g.Known),
		len(g.Stale), g.Changes())
	if len(g.Stale) > 0 {
		s.Intro += " What is stale failed in the baseline and does not now. "
		if !r.StaleReported {
			s.Intro += "It fails the run until the baseline is refreshed with --update-baseline."
		} else {
			s.Intro += "Refresh the baseline with --update-baseline, so that it can't come back unseen."
		}
	}
	add := func(word string, level Level, e Entry, often string) {
		var rows []*Row
		if row := r.Row(ledger.Key{ID: e.Requirement, Version: e.Version}); row != nil {
			rows = []*Row{row}
		}
		s.Items = append(s.Items, Item{Level: level, Word: word, Rows: rows,
			Name: string(e.Version) + " " + e.Requirement,
			Text: KeyText(e.Key) + ", " + often})
	}
	for _, e := range g.Stale {
		add("stale", r.staleLevel(), e, wording.Times(e.Count))
	}
	for _, e := range g.Known { // what is new or has grown is a failure, and what has not changed is only counted
		if e.Was != e.Users {
			add("known", Info, e, fmt.Sprintf("%s in the baseline, %d now, of other lists of users",
				wording.Count(e.Was, "user"), e.Users))
		}
	}
	level := Warning
	if g.ChangeFails {
		level = Failing
	}
	s.Items = append(s.Items, each(g.Changed, func(c Changed) Item {
		return Item{Level: level, Word: "changed", Name: fmt.Sprintf("%s %s of %s", c.Version, c.ID, c.Operation),
			Text: "was: " + c.Was + "; is: " + c.Is}
	})...)
	return s
}

// KindText returns a kind of finding in words that need no explanation.
func KindText(kind string) string {
	if text := map[string]string{
		string(parity.Served): "served by one version only",
		"not in its form":     "another form than documented",
		"shape":               "another form than documented",
		"status":              "a status that is not 2xx",
		"empty":               "an empty body",
		"byte-order-mark":     "a byte order mark before the JSON",
		"utf-8":               "a body that is not UTF-8",
		"syntax":              "a body that is not JSON",
		"trailing":            "something after the JSON",
		"duplicate-member":    "a member that occurs twice",
		"surrogate":           "half of a surrogate pair",
		"depth":               "too many levels",
		"number-digits":       "a number with too many digits",
		"number-exponent":     "a number with too large an exponent",
	}[kind]; text != "" {
		return text
	}
	return strings.Replace(kind, "not of its type: ", "another type than documented: ", 1)
}

// KeyText returns the key of a cause in words. The pointer "" is the whole answer.
func KeyText(key check.Key) string {
	text := KindText(key.Kind)
	if key.Pointer != "" {
		text += " at " + key.Pointer
	}
	if key.Off != "" {
		text += " (" + key.Off + ")"
	}
	return text
}
