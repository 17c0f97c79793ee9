package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/judge"
	"authenticator-conformance/suites/internal/strictjson"
)

// Observation is what the target did at one open point, for one operation.
type Observation struct {
	Requirement schemas.Requirement
	Operation   schemas.Operation
	Words       map[schemas.Version]string // by version under test
	Agree       *bool                      // nil where the versions can't or need not be compared
}

// Diverges tells whether v5 and v6 differ here.
func (o Observation) Diverges() bool { return o.Agree != nil && !*o.Agree }

type place struct {
	id string
	spot
}

// facts are what was seen at one place, with how often.
type facts struct {
	count     map[string]int
	asked     bool // some exchange could have told
	durations []time.Duration
}

// NotAsked stands where no exchange of the run could tell.
const NotAsked = "not asked"

// Bounds on what one open point keeps and shows.
const (
	mostDistinct  = 1000
	mostShown     = 12
	mostDurations = 20_000
)

// Observe notes what the target did at an open point.
func (l *Ledger) Observe(id string, op schemas.Operation, v schemas.Version, text string) {
	l.observeTimes(id, spot{op, v}, text, 1)
}

func (l *Ledger) observeTimes(id string, s spot, text string, times int) {
	f := l.at(id, s)
	f.asked = true
	if _, known := f.count[text]; known || len(f.count) < mostDistinct {
		f.count[text] += times
	}
}

// observeAgain counts a fact that was seen before; false where it was not.
func (l *Ledger) observeAgain(id string, s spot, text string, times int) bool {
	f := l.at(id, s)
	f.asked = true
	if _, known := f.count[text]; !known {
		return false
	}
	f.count[text] += times
	return true
}

// Asked notes that an exchange could have told something at an open point, and told nothing.
func (l *Ledger) Asked(id string, op schemas.Operation, v schemas.Version) {
	l.at(id, spot{op, v}).asked = true
}

func (l *Ledger) at(id string, s spot) *facts {
	p := place{id, s}
	if l.facts[p] == nil {
		l.facts[p] = &facts{count: map[string]int{}}
	}
	return l.facts[p]
}

// asked notes that an exchange could have told something at the open points about headers and time, even where it told
// nothing: "none" is an observation too.
func (l *Ledger) asked(ex *exchange.Exchange) {
	s := spot{ex.Probe.Operation, ex.Probe.Version}
	if !ex.Answered() {
		return
	}
	for _, id := range []string{"open/5.4/header-authentication", "open/8/rate-limit", "open/9.4/deprecation", "open/2/undocumented-members"} {
		l.at(id, s).asked = true
	}
	if f := l.at("open/8/latency", s); ex.Probe.WellFormed() && ex.Probe.Round <= 2 {
		f.asked = true
		if len(f.durations) < mostDurations {
			f.durations = append(f.durations, ex.Duration)
		}
	}
}

// Observations lists each open point for each operation that it speaks of, in the catalogue's order. There are none
// before the ledger is closed.
func (l *Ledger) Observations() []Observation { return l.observations }

func (l *Ledger) observe() []Observation {
	var list []Observation
	for _, r := range l.requirements {
		if r.Kind != schemas.Open {
			continue
		}
		for _, op := range r.Operations {
			o := Observation{Requirement: r, Operation: op, Words: map[schemas.Version]string{}}
			told, full := !l.lacking.tells(r, op), map[schemas.Version]string{}
			for _, v := range l.versions {
				f := l.facts[place{r.ID, spot{op, v}}]
				o.Words[v] = words(r.ID, f, mostShown)
				full[v] = words(r.ID, f, mostDistinct)
				told = told && f != nil && f.asked
			}
			if told && r.Compare && len(l.versions) > 1 && !l.volatileAt(r.ID) {
				agree := full[schemas.V5] == full[schemas.V6] // what was seen, not only what is shown
				o.Agree = &agree
			}
			list = append(list, o)
		}
	}
	return list
}

// members are those whose values an open point lists.
func members() map[string]string {
	return map[string]string{
		"open/2/flags":                      "Flags",
		"open/2/mode-type":                  "ModeType",
		"open/2/authentication-count-limit": "AuthenticationCountLimit",
	}
}

// volatileAt tells whether an open point lists values that change between identical calls: they can't be compared.
func (l *Ledger) volatileAt(id string) bool {
	member, ok := members()[id]
	return ok && slices.ContainsFunc(l.Volatile, func(v Volatile) bool { return strings.HasSuffix(v.Pointer, "/"+member) })
}

// diverge fails the rows of divergence, where the run has them, for each open point at which v5 and v6 differ (J16).
func (l *Ledger) diverge() {
	for _, o := range l.Observations() {
		row := l.index[Key{"9.3/" + string(o.Operation) + "/divergence", schemas.Parity}]
		switch {
		case row == nil || o.Agree == nil:
		case *o.Agree:
			row.Witnesses++
		default:
			row.Find(judge.Finding{
				Kind:     o.Requirement.ID,
				Expected: "v5 and v6 alike at " + o.Requirement.ID + ", as v5 does: " + o.Words[schemas.V5],
				Actual:   "v6: " + o.Words[schemas.V6],
			})
		}
	}
}

// words says in one line what was seen at an open point, at most so many different things.
func words(id string, f *facts, most int) string {
	switch {
	case f == nil || !f.asked:
		return NotAsked
	case id == "open/8/latency":
		return latency(f.durations)
	case id == "open/8/size":
		return "largest answer " + numbers(f.count, most, true) + " bytes"
	case id == "open/2/null-or-absent":
		return presence(f.count)
	case members()[id] != "":
		return numbers(f.count, most, false)
	case len(f.count) == 0 && id == "open/4.3/list-order":
		return "no list of two or more was seen"
	case len(f.count) == 0:
		return "none"
	}
	texts := make([]string, 0, len(f.count))
	for text := range f.count {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	return listed(texts, most)
}

func listed(texts []string, most int) string {
	if more := len(texts) - most; more > 0 {
		return strings.Join(texts[:most], "; ") + fmt.Sprintf("; and %d more", more)
	}
	return strings.Join(texts, "; ")
}

func latency(durations []time.Duration) string {
	if len(durations) == 0 {
		return NotAsked
	}
	sorted := slices.Clone(durations)
	slices.Sort(sorted)
	at := func(share float64) string {
		i := int(math.Ceil(share*float64(len(sorted)))) - 1
		return strconv.FormatFloat(float64(sorted[max(i, 0)])/float64(time.Millisecond), 'f', 1, 64) + " ms"
	}
	return "median " + at(0.5) + ", 95% within " + at(0.95) + ", slowest " + at(1)
}

// presence tells for each field that was not always there how often it was present, null and absent (§2).
func presence(count map[string]int) string {
	type tally struct{ present, null, absent int }
	fields := map[string]*tally{}
	for text, n := range count {
		field, what, _ := strings.Cut(text, " ")
		if fields[field] == nil {
			fields[field] = &tally{}
		}
		switch what {
		case "present":
			fields[field].present += n
		case "null":
			fields[field].null += n
		default:
			fields[field].absent += n
		}
	}
	var texts []string
	for field, t := range fields {
		if t.null+t.absent > 0 {
			texts = append(texts, fmt.Sprintf("%s present %d, null %d, absent %d", field, t.present, t.null, t.absent))
		}
	}
	if len(texts) == 0 {
		return "every field present in every record, none null"
	}
	sort.Strings(texts)
	return strings.Join(texts, "; ") // at most 24 fields: all are shown
}

// numbers gives the range of the numbers seen and the distinct ones; only the largest where that is all that counts.
func numbers(count map[string]int, most int, largest bool) string {
	if len(count) == 0 {
		return "none"
	}
	values := make([]strictjson.Decimal, 0, len(count))
	for text := range count {
		values = append(values, strictjson.ParseDecimal(json.Number(text)))
	}
	slices.SortFunc(values, strictjson.Decimal.Compare)
	low, high := values[0].String(), values[len(values)-1].String()
	if largest || len(values) == 1 {
		return high
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	return low + " to " + high + ": " + listed(texts, most)
}
