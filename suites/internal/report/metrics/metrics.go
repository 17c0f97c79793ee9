// Package metrics writes metrics.prom: the result of a run or a sweep as OpenMetrics text, for the textfile collector
// of Prometheus' node exporter. Alerts are made from it (suites/recipes).
package metrics

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// File is the name of the file.
const File = "metrics.prom"

// The metrics of the last certificate. They survive a run that does not certify.
const (
	certified  = "certified_timestamp_seconds"
	validUntil = "valid_until_timestamp_seconds"
)

// ended is a metric of what has ended.
const ended = "end_timestamp_seconds"

// recorded is when the record of a version was begun: its age is the time since.
const recorded = "recorded_timestamp_seconds"

// help is the text of each metric, for runs and sweeps alike: a collector that reads both files needs them equal.
var help = map[string]string{
	"verdict":                      "1 for the verdict of the last run, else 0.",
	"complete":                     "Whether everything was judged: 1 or 0.",
	"certifies":                    "Whether the last run certifies: 1 or 0.",
	ended:                          "When the last run ended.",
	certified:                      "When the run of the last certificate ended.",
	validUntil:                     "When the last certificate ends.",
	"waiver_end_timestamp_seconds": "When a waiver ends that took effect.",
	"subject":                      "What was tested, by labels; always 1.",
	"rows":                         "Requirements by version and state.",
	recorded:                       "When the record was begun that was read instead of asking a version.",
	"requests":                     "Requests that were sent.",
	"throttled":                    "Answers that asked to wait.",
	"users":                        "Users that were looked up.",
	"served":                       "Users that a version served something, by its operation with the fewest.",
	"served_by":                    "Users that an operation of a version served something.",
	"unserved":                     "Users that nothing was served, without those marked as not enrolled.",
	"findings":                     "Findings by kind, without waived ones.",
	"latency_seconds":              "Latency of well-formed requests, by percentile.",
}

// writer collects the text.
type writer struct {
	strings.Builder
	labels string // of every sample: command, target and subject
	last   string // the metric that was begun last
}

func newWriter(command string, target map[schemas.Version]string, subject *report.Subject) *writer {
	var targets []string
	for _, v := range schemas.InOrder(target) {
		if !slices.Contains(targets, target[v]) {
			targets = append(targets, target[v])
		}
	}
	return &writer{labels: labels("command", command, "target", strings.Join(targets, " "), "subject",
		subject.String())}
}

// sample writes a sample, and begins the metric before its first one. Labels are names and values in turn.
func (w *writer) sample(name string, value float64, more ...string) {
	if w.last != name {
		w.last = name
		fmt.Fprintf(w, "# TYPE conformance_%s gauge\n", name)
		if strings.HasSuffix(name, "_seconds") {
			fmt.Fprintf(w, "# UNIT conformance_%s seconds\n", name)
		}
		fmt.Fprintf(w, "# HELP conformance_%s %s\n", name, help[name])
	}
	list := w.labels
	if len(more) > 0 {
		list += "," + labels(more...)
	}
	fmt.Fprintf(w, "conformance_%s{%s} %v\n", name, list, value)
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels returns names and values, in turn, as labels.
func labels(pairs ...string) string {
	var list []string
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, pair[0]+`="`+escaped.Replace(pair[1])+`"`)
	}
	return strings.Join(list, ",")
}

func (w *writer) result(verdict ledger.Verdict, complete, certifies bool, finished *time.Time) {
	for _, v := range []ledger.Verdict{ledger.Pass, ledger.Fail, ledger.Inconclusive, ledger.Fault} {
		w.sample("verdict", number(v == verdict), "verdict", string(v))
	}
	w.sample("complete", number(complete))
	w.sample("certifies", number(certifies))
	if finished != nil {
		w.sample(ended, seconds(*finished))
	}
}

// served writes how many users each version served something: the smallest number of its operations, and that of each.
func served[N int | int64](w *writer, smallest map[schemas.Version]N,
	byOperation map[schemas.Operation]map[schemas.Version]N) {
	for _, v := range schemas.InOrder(smallest) {
		w.sample("served", float64(smallest[v]), "version", string(v))
	}
	for _, op := range schemas.Operations() {
		for _, v := range schemas.InOrder(byOperation[op]) {
			w.sample("served_by", float64(byOperation[op][v]), "operation", string(op), "version", string(v))
		}
	}
}

// latency writes the latencies at some percentiles, of how many requests took how long.
func (w *writer) latency(count map[time.Duration]int64, more ...string) {
	for _, q := range []float64{0.5, 0.95, 1} {
		w.sample("latency_seconds", check.Quantile(count, q).Seconds(),
			append(slices.Clone(more), "percentile", strconv.FormatFloat(100*q, 'f', -1, 64))...)
	}
}

// end writes the text, with what survives of the earlier file.
func (w *writer) end(to io.Writer, earlier []byte) error {
	_, err := to.Write(Carry([]byte(w.String()+eof), earlier))
	return err
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// endOf returns when a last day ends, in UTC.
func endOf(day string) (float64, bool) {
	last, err := time.Parse(time.DateOnly, day)
	return seconds(last.AddDate(0, 0, 1)), err == nil
}

// Write writes the metrics of a run. earlier is the file that they replace, or nil.
func Write(to io.Writer, r *report.Report, earlier []byte) error {
	target := r.Target
	if r.Embedded { // its port is random
		target = map[schemas.Version]string{"": report.BuiltInReference}
	}
	w := newWriter(r.Command, target, r.Subject)
	w.result(r.Verdict, r.Complete, r.Certifies, r.Finished)
	if r.Certifies && r.Finished != nil {
		w.sample(certified, seconds(*r.Finished))
	}
	if r.ValidUntil != nil {
		if end, ok := endOf(*r.ValidUntil); ok {
			w.sample(validUntil, end)
		}
	}
	if s := r.Subject; s != nil && s.String() != "" {
		w.sample("subject", 1, "product", s.Product, "version", s.Version, "build", s.Build, "owner", s.Owner)
	}
	rows := map[schemas.Version]map[string]int{}
	for i := range r.Requirements {
		row := &r.Requirements[i]
		if rows[row.Version] == nil {
			rows[row.Version] = map[string]int{}
		}
		rows[row.Version][row.State().Name]++
		if row.Waiver == nil {
			continue
		}
		if end, ok := endOf(row.Waiver.Until); ok {
			w.sample("waiver_end_timestamp_seconds", end, "requirement", row.ID, "version", string(row.Version))
		}
	}
	for _, v := range schemas.InOrder(rows) {
		for _, state := range report.States() {
			w.sample("rows", float64(rows[v][state.Name]), "version", string(v), "state", state.Name)
		}
	}
	for _, v := range schemas.InOrder(r.Recorded) {
		w.sample(recorded, seconds(r.Recorded[v].Started), "version", string(v))
	}
	w.sample("requests", float64(r.Counts.Requests))
	w.sample("throttled", float64(r.Counts.Throttled))
	w.sample("users", float64(r.Counts.Users))
	served(w, r.Counts.Served, r.Counts.ServedBy)
	for _, l := range r.Latencies {
		w.latency(l.Count, "operation", string(l.Operation), "version", string(l.Version))
	}
	return w.end(to, earlier)
}

// WriteSweep writes the metrics of a sweep, or of merged ones. earlier is the file that they replace, or nil.
func WriteSweep(to io.Writer, s *stats.Summary, earlier []byte) error {
	w := newWriter(s.Command, s.Identity.Target, s.Subject)
	w.result(s.Verdict, s.Complete, false, s.Finished)
	for _, v := range schemas.InOrder(s.Recorded) {
		w.sample(recorded, seconds(s.Recorded[v].Started), "version", string(v))
	}
	w.sample("requests", float64(s.Traffic.Requests))
	w.sample("throttled", float64(s.Traffic.Throttled))
	w.sample("users", float64(s.Tally.Users))
	served(w, s.Tally.Served, s.Tally.ServedBy)
	w.sample("unserved", float64(s.Tally.Unserved.Count))
	found := s.Tally.Found()
	w.sample("findings", float64(found.Differences), "kind", "difference")
	w.sample("findings", float64(found.Violations), "kind", "breach")
	if s.Tally.Users > 0 {
		w.latency(s.Tally.Times.Latency())
	}
	return w.end(to, earlier)
}
