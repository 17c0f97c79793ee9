package metrics_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

func TestMetrics(t *testing.T) { testkit.Specs(t, "metrics") }

// parseMetrics reads OpenMetrics text with Prometheus' own parser: the value of each sample.
func parseMetrics(write func(io.Writer) error) map[string]float64 {
	GinkgoHelper()
	var text bytes.Buffer
	Expect(write(&text)).To(Succeed())
	samples := map[string]float64{}
	p := textparse.NewOpenMetricsParser(text.Bytes(), labels.NewSymbolTable())
	for {
		entry, err := p.Next()
		if err == io.EOF {
			return samples
		}
		Expect(err).NotTo(HaveOccurred(), text.String())
		if entry == textparse.EntrySeries {
			var l labels.Labels
			p.Labels(&l)
			_, _, value := p.Series()
			Expect(samples).NotTo(HaveKey(l.String()))
			samples[l.String()] = value
		}
	}
}

var _ = Describe("metrics.prom", func() {
	end := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	until := "2027-02-28"

	It("has what alerts need of a run, whatever a product's name is", func() {
		r := &report.Report{Verdict: ledger.Pass, Complete: true, Certifies: true, Finished: &end, ValidUntil: &until,
			Subject: &report.Subject{Product: "a \"b\"\\ \n<c>", Build: "7"}, Counts: report.Counts{},
			Requirements: []report.Row{{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass},
				{ID: "2.1/Id", Version: schemas.V6, Verdict: ledger.Fail}}}
		samples := parseMetrics(func(w io.Writer) error { return metrics.Write(w, r) })
		Expect(samples).To(And(
			HaveKeyWithValue(`{__name__="conformance_verdict", command="run", verdict="pass"}`, 1.0),
			HaveKeyWithValue(`{__name__="conformance_verdict", command="run", verdict="error"}`, 0.0),
			HaveKeyWithValue(`{__name__="conformance_certifies", command="run"}`, 1.0),
			HaveKeyWithValue(`{__name__="conformance_end_timestamp_seconds", command="run"}`, float64(end.Unix())),
			HaveKeyWithValue(`{__name__="conformance_valid_until_timestamp_seconds", command="run"}`,
				float64(time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC).Unix())),
			HaveKeyWithValue(`{__name__="conformance_rows", command="run", state="fail", version="v6"}`, 1.0),
			HaveKeyWithValue(`{__name__="conformance_rows", command="run", state="fail", version="v5"}`, 0.0),
			HaveKey(ContainSubstring(`product="a \"b\"\\ \n<c>"`))))
	})

	It("says so if a run or a sweep could not be carried out, or has not ended", func() {
		for _, r := range []*report.Report{report.Failed("sha256:", end, end, "why"),
			report.Unfinished("sha256:", end)} {
			samples := parseMetrics(func(w io.Writer) error { return metrics.Write(w, r) })
			Expect(samples).To(And(HaveKeyWithValue(`{__name__="conformance_verdict", command="run", verdict="error"}`,
				1.0),
				HaveKeyWithValue(`{__name__="conformance_certifies", command="run"}`, 0.0)))
		}
		samples := parseMetrics(func(w io.Writer) error {
			return metrics.WriteSweep(w,
				stats.Empty(report.Suite{}, end, "why"))
		})
		Expect(samples).To(HaveKeyWithValue(`{__name__="conformance_verdict", command="sweep", verdict="error"}`, 1.0))
	})
})

var _ = Describe("The alert rules", func() {
	It("are about metrics that the file has", func() {
		rules := string(testkit.Read("../../../recipes/alerts.yml"))
		var text strings.Builder
		until := "2027-02-28"
		end := time.Now()
		Expect(metrics.Write(&text, &report.Report{Finished: &end, ValidUntil: &until})).To(Succeed())
		names := regexp.MustCompile(`conformance_[a-z_]+`).FindAllString(rules, -1)
		Expect(len(names)).To(BeNumerically(">=", 3))
		for _, name := range names {
			Expect(text.String()).To(ContainSubstring("# TYPE " + name + " gauge"))
		}
	})
})
