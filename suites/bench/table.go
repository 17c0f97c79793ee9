package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table prints a figure to a line, with its bound.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)}
	fmt.Fprintln(t, "figure\tsuite\tbare\tmeasured\tbound\t")
	return t
}

// compared prints how many times as much the suite took; a bound of 0 is none.
func (t table) compared(figure string, suite, bare time.Duration, bound float64) {
	ratio := float64(suite) / float64(bare)
	limit := "-"
	if bound > 0 {
		limit = fmt.Sprintf("%.2fx", bound)
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%.2fx\t%s\t%s\n", figure, milliseconds(suite), milliseconds(bare), ratio, limit, word(ratio, bound))
}

func (t table) memory(figure string, suite, bound int64) {
	shown := mebibytes(suite)
	fmt.Fprintf(t, "%s\t%s\t-\t%s\t%s\t%s\n", figure, shown, shown, mebibytes(bound), word(float64(suite), float64(bound)))
}

// ratio prints how many times as much as something else a figure is.
func (t table) ratio(figure, measured, beside string, ratio, bound float64) {
	fmt.Fprintf(t, "%s\t%s\t%s\t%.2fx\t%.2fx\t%s\n", figure, measured, beside, ratio, bound, word(ratio, bound))
}

// share prints which part of a whole something took; a bound of 0 is none.
func (t table) share(figure string, part, whole time.Duration, bound float64) {
	measured := float64(part) / float64(whole)
	limit := "-"
	if bound > 0 {
		limit = fmt.Sprintf("%.0f%%", 100*bound)
	}
	fmt.Fprintf(t, "%s\t%s\t-\t%.0f%%\t%s\t%s\n", figure, milliseconds(part), 100*measured, limit, word(measured, bound))
}

func word(measured, bound float64) string {
	switch {
	case bound == 0:
		return ""
	case measured <= bound:
		return "ok"
	default:
		return "over"
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
