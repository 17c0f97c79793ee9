// Package metrics writes metrics.prom: the result of a run or a sweep as OpenMetrics text, for the textfile collector
// of Prometheus' node exporter. Alerts are made from it (suites/recipes).
package metrics

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
)

// File is the name of the file.
const File = "metrics.prom"

// writer collects the text. Each sample has the label command.
type writer struct {
	strings.Builder
	command string
}

// family begins a metric.
func (w *writer) family(name, unit, help string) {
	fmt.Fprintf(w, "# TYPE conformance_%s gauge\n", name)
	if unit != "" {
		fmt.Fprintf(w, "# UNIT conformance_%s %s\n", name, unit)
	}
	fmt.Fprintf(w, "# HELP conformance_%s %s\n", name, help)
}

// sample writes a sample. Labels are names and values in turn.
func (w *writer) sample(name string, value float64, labels ...string) {
	fmt.Fprintf(w, "conformance_%s{command=%q", name, w.command)
	for pair := range slices.Chunk(labels, 2) {
		fmt.Fprintf(w, ",%s=\"%s\"", pair[0], escaped.Replace(pair[1]))
	}
	fmt.Fprintf(w, "} %v\n", value)
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// one writes a metric with one sample.
func (w *writer) one(name, unit, help string, value float64) {
	w.family(name, unit, help)
	w.sample(name, value)
}

func (w *writer) result(verdict ledger.Verdict, complete, certifies bool, finished *time.Time) {
	w.family("verdict", "", "1 for the verdict of the last run, else 0.")
	for _, v := range []ledger.Verdict{ledger.Pass, ledger.Fail, ledger.Inconclusive, ledger.Fault} {
		w.sample("verdict", number(v == verdict), "verdict", string(v))
	}
	w.one("complete", "", "Whether everything was judged: 1 or 0.", number(complete))
	w.one("certifies", "", "Whether the last run certifies: 1 or 0.", number(certifies))
	if finished != nil {
		w.one("end_timestamp_seconds", "seconds", "When the last run ended.", seconds(*finished))
	}
}

func (w *writer) users(n int64) { w.one("users", "", "Users that were looked up.", float64(n)) }

// served writes how many users each version served something.
func (w *writer) served(users map[schemas.Version]int64) {
	if len(users) > 0 {
		w.family("served", "", "Users that a version served a record or an identifier.")
	}
	for _, v := range schemas.InOrder(users) {
		w.sample("served", float64(users[v]), "version", string(v))
	}
}

func (w *writer) end(to io.Writer) error {
	w.WriteString("# EOF\n")
	_, err := io.WriteString(to, w.String())
	return err
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Write writes the metrics of a run.
func Write(to io.Writer, r *report.Report) error {
	w := &writer{command: "run"}
	w.result(r.Verdict, r.Complete, r.Certifies, r.Finished)
	if r.ValidUntil != nil {
		if until, err := time.Parse(time.DateOnly, *r.ValidUntil); err == nil {
			w.one("valid_until_timestamp_seconds", "seconds", "When the certificate ends.",
				seconds(until.AddDate(0, 0, 1)))
		}
	}
	if s := r.Subject; s != nil && s.String() != "" {
		w.family("subject", "", "What was tested, by labels; always 1.")
		w.sample("subject", 1, "product", s.Product, "version", s.Version, "build", s.Build, "owner", s.Owner)
	}
	rows := map[[2]string]int{}
	for i := range r.Requirements {
		row := &r.Requirements[i]
		rows[[2]string{string(row.Version), row.State().Name}]++
	}
	if len(rows) > 0 {
		w.family("rows", "", "Requirements by version and state.")
	}
	for _, v := range versionsOf(rows) {
		for _, state := range report.States() {
			w.sample("rows", float64(rows[[2]string{v, state.Name}]), "version", v, "state", state.Name)
		}
	}
	w.one("requests", "", "Requests that were sent.", float64(r.Counts.Requests))
	w.one("throttled", "", "Answers that asked to wait.", float64(r.Counts.Throttled))
	w.users(int64(r.Counts.Users))
	served := map[schemas.Version]int64{}
	for v, n := range r.Counts.Served {
		served[v] = int64(n)
	}
	w.served(served)
	if len(r.Latencies) > 0 {
		w.family("latency_seconds", "seconds", "Latency of well-formed requests, by quantile.")
	}
	for _, l := range r.Latencies {
		for _, q := range report.Quantiles() {
			w.sample("latency_seconds", l.Of(q).Seconds(), "operation", string(l.Operation), "version",
				string(l.Version),
				"quantile", fmt.Sprint(q))
		}
	}
	return w.end(to)
}

func versionsOf(rows map[[2]string]int) (list []string) {
	all := map[schemas.Version]bool{}
	for key := range rows {
		all[schemas.Version(key[0])] = true
	}
	for _, v := range schemas.InOrder(all) {
		list = append(list, string(v))
	}
	return list
}

// WriteSweep writes the metrics of a sweep.
func WriteSweep(to io.Writer, s *stats.Summary) error {
	w := &writer{command: "sweep"}
	w.result(s.Verdict, s.Complete, false, s.Finished)
	w.one("requests", "", "Requests that were sent.", float64(s.Traffic.Requests))
	w.one("throttled", "", "Answers that asked to wait.", float64(s.Traffic.Throttled))
	if s.Tally == nil {
		return w.end(to)
	}
	w.users(s.Tally.Users)
	w.served(s.Tally.Served)
	if s.Tally.Served != nil {
		w.one("unserved", "", "Users that no version served anything, without those marked as not enrolled.",
			float64(s.Tally.Unserved.Count))
	}
	found := s.Tally.Found()
	w.family("findings", "", "Findings by kind, without waived ones.")
	w.sample("findings", float64(found.Differences), "kind", "difference")
	w.sample("findings", float64(found.Violations), "kind", "breach")
	whole := stats.Bucket{Outcomes: map[stats.Outcome]int64{}}
	for _, bucket := range s.Tally.Times.Buckets {
		whole.Add(bucket)
	}
	if whole.Users > 0 {
		w.family("latency_seconds", "seconds", "Latency of requests, by quantile.")
		for _, q := range report.Quantiles() {
			w.sample("latency_seconds", whole.Quantile(q).Seconds(), "quantile", fmt.Sprint(q))
		}
	}
	return w.end(to)
}
