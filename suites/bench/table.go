package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table prints one figure and its bound on each line.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)}
	fmt.Fprintln(t, "figure\tsuite\tcompared with\tbound\t")
	return t
}

func (t table) line(figure, suite, comparison, bound string, within bool) {
	word := "ok"
	if !within {
		word = "over"
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", figure, suite, comparison, bound, word)
}

// times prints the time of the suite as a multiple of the bare client's. A bound of 0 means none.
func (t table) times(figure string, suite, bare time.Duration, bound float64) {
	ratio := float64(suite) / float64(bare)
	figures := fmt.Sprintf("%s, %.2fx", milliseconds(suite), ratio)
	if bound == 0 {
		fmt.Fprintf(t, "%s\t%s\t%s\t-\t\n", figure, figures, milliseconds(bare))
		return
	}
	t.line(figure, figures, milliseconds(bare), fmt.Sprintf("%.2fx", bound), ratio <= bound)
}

// rate prints the users per second, and their share of the bare client's.
func (t table) rate(figure string, users int, suite, bare time.Duration) {
	ratio := float64(bare) / float64(suite)
	t.line(figure, fmt.Sprintf("%s, %.2fx", perSecond(users, suite), ratio), perSecond(users, bare),
		fmt.Sprintf("%.2fx or more", rateBound), ratio >= rateBound)
}

func (t table) memory(figure string, peak, bound int64) {
	t.line(figure, mebibytes(peak), "-", mebibytes(bound), peak <= bound)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func perSecond(n int, d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(n)/d.Seconds()) }
