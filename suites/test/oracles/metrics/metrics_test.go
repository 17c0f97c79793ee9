package metrics_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/metrics"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
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
		r := &report.Report{Command: report.RunCommand, Verdict: ledger.Pass, Complete: true, Certifies: true,
			Finished: &end, ValidUntil: &until,
			Target:  map[schemas.Version]string{schemas.V5: "https://a", schemas.V6: "https://a"},
			Subject: &report.Subject{Product: "a \"b\"\\ \n<c>", Build: "7"}, Counts: report.Counts{},
			Requirements: []report.Row{{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass},
				{ID: "2.1/Id", Version: schemas.V6, Verdict: ledger.Fail, Waiver: &report.Waiver{Until: until}}}}
		samples := parseMetrics(func(w io.Writer) error { return metrics.Write(w, r, nil) })
		of := func(name, more string) string {
			return `{__name__="conformance_` + name + `", command="run"` + more + `}`
		}
		about := `, subject="a \"b\"\\ \n<c>, build 7", target="https://a"`
		ends := float64(time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC).Unix())
		Expect(samples).To(And(
			HaveKeyWithValue(of("verdict", about+`, verdict="pass"`), 1.0),
			HaveKeyWithValue(of("verdict", about+`, verdict="error"`), 0.0),
			HaveKeyWithValue(of("certifies", about), 1.0),
			HaveKeyWithValue(of("end_timestamp_seconds", about), float64(end.Unix())),
			HaveKeyWithValue(of("certified_timestamp_seconds", about), float64(end.Unix())),
			HaveKeyWithValue(of("valid_until_timestamp_seconds", about), ends),
			HaveKeyWithValue(of("waiver_end_timestamp_seconds", `, requirement="2.1/Id"`+about+`, version="v6"`), ends),
			HaveKeyWithValue(of("rows", `, state="waived"`+about+`, version="v6"`), 1.0),
			HaveKeyWithValue(of("rows", `, state="fail"`+about+`, version="v5"`), 0.0),
			HaveKey(ContainSubstring(`product="a \"b\"\\ \n<c>"`))))
	})

	It("says so if a run or a sweep could not be carried out, or has not ended", func() {
		for _, r := range []*report.Report{report.Failed("sha256:", end, end, "why"),
			report.Unfinished("sha256:", end)} {
			samples := parseMetrics(func(w io.Writer) error { return metrics.Write(w, r, nil) })
			Expect(samples).To(And(
				HaveKeyWithValue(
					`{__name__="conformance_verdict", command="run", subject="", target="", verdict="error"}`, 1.0),
				HaveKeyWithValue(`{__name__="conformance_certifies", command="run", subject="", target=""}`, 0.0)))
		}
		samples := parseMetrics(func(w io.Writer) error {
			return metrics.WriteSweep(w,
				stats.Empty(report.Suite{}, end, "why"), nil)
		})
		Expect(samples).To(HaveKeyWithValue(
			`{__name__="conformance_verdict", command="sweep", subject="", target="", verdict="error"}`, 1.0))
	})
})

// made are the metrics of a run and a sweep of one of two targets, by the name of a file.
func made(ctx context.Context) map[string][]byte {
	GinkgoHelper()
	files := map[string][]byte{}
	for _, name := range []string{"a", "b"} {
		target := testkit.Serve(kit.Reference(kit.Users(), fixtures.AccessToken))
		s := testkit.Settings(target, kit.Users(), func(s *settings.Settings) {
			s.Subject = settings.Subject{Product: name, ValidFor: 30}
		})
		files["run of "+name] = testkit.Read(testkit.ReportFolder(ctx, s), metrics.File)
		var text bytes.Buffer
		Expect(metrics.WriteSweep(&text, testkit.Sweep(ctx, s, testkit.Suite()), nil)).To(Succeed())
		files["sweep of "+name] = text.Bytes()
	}
	return files
}

var _ = Describe("The metrics of runs and sweeps of two targets", func() {
	It("are read together by node exporter's parser, without a series twice, and lint finds nothing",
		func(ctx SpecContext) {
			helps, series := map[string]string{}, map[string]string{}
			for file, text := range made(ctx) {
				Expect(testkit.Must(promlint.New(bytes.NewReader(text)).Lint())).To(BeEmpty(), file)
				parser := expfmt.NewTextParser(model.LegacyValidation)
				for name, family := range testkit.Must(parser.TextToMetricFamilies(bytes.NewReader(text))) {
					if other, known := helps[name]; known {
						Expect(family.GetHelp()).To(Equal(other), "%s of the %s", name, file)
					}
					helps[name] = family.GetHelp()
					for _, m := range family.GetMetric() {
						key := name + fmt.Sprint(m.GetLabel())
						Expect(series).NotTo(HaveKey(key), "in the %s and the %s", file, series[key])
						series[key] = file
					}
				}
			}
			Expect(len(helps)).To(BeNumerically(">", 12))
		})
})

var _ = Describe("The last certificate", func() {
	const families = "(certified|valid_until)_timestamp_seconds"
	day, until := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC), "2027-02-28"
	subject := &report.Subject{Product: "Access"}
	target := map[schemas.Version]string{schemas.V5: "https://a"}
	of := func(r *report.Report, earlier []byte) []byte {
		var text bytes.Buffer
		r.Command = report.RunCommand
		Expect(metrics.Write(&text, r, earlier)).To(Succeed())
		parseMetrics(func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
		return text.Bytes()
	}
	lines := func(text []byte) []string {
		return regexp.MustCompile("(?m)^conformance_"+families+".*$").FindAllString(string(text), -1)
	}

	It("survives runs that fail, were not begun or have no end, and goes with the next one", func() {
		was := of(&report.Report{Verdict: ledger.Pass, Certifies: true, Finished: &day, ValidUntil: &until,
			Subject: subject, Target: target}, nil)
		now := was
		for _, r := range []*report.Report{{Verdict: ledger.Fail, Subject: subject, Target: target, Finished: &day},
			report.Failed("sha256:", day, day, "why"), report.Unfinished("sha256:", day),
			{Verdict: ledger.Inconclusive, Subject: subject, Target: target, Finished: &day}} {
			now = of(r, now)
			Expect(lines(now)).To(Equal(lines(was)))
			Expect(string(now)).NotTo(ContainSubstring(`target=""`), "a failed run has the labels of the one before")
		}
		later := day.AddDate(0, 0, 1)
		next := of(&report.Report{Verdict: ledger.Pass, Certifies: true, Finished: &later, Target: target}, now)
		Expect(lines(next)).To(HaveLen(1), "one without an end")
		Expect(lines(next)).NotTo(ContainElement(lines(was)[0]))
	})

	It("is published to a file that everybody may read, and that no other command replaces", func() {
		path := filepath.Join(GinkgoT().TempDir(), "conformance.prom")
		unfinished := of(report.Unfinished("sha256:", day), nil)
		Expect(metrics.Publish(unfinished, path)).To(Succeed())
		Expect(string(testkit.Read(path))).To(MatchRegexp(`verdict="error"[^}]*} 1`), "a run that has not ended")
		Expect(metrics.Publish(of(&report.Report{Certifies: true, Finished: &day, Target: target}, nil),
			path)).To(Succeed())
		Expect(metrics.Publish(of(report.Failed("sha256:", day, day, "why"), nil), path)).To(Succeed())
		Expect(lines(testkit.Read(path))).To(HaveLen(1))
		Expect(testkit.Must(os.Stat(path)).Mode().Perm()).To(Equal(os.FileMode(0o644)))
		Expect(metrics.CheckPlace(path, "run", false)).To(Succeed())
		Expect(metrics.CheckPlace(path, "sweep", true)).To(Succeed())
		Expect(metrics.CheckPlace(path, "sweep", false)).To(MatchError(ContainSubstring("metrics of conformance run")))
		Expect(metrics.CheckPlace(path+"/x", "run", true)).To(MatchError(ContainSubstring("the folder does not exist")))
		link := testkit.Write(filepath.Dir(path), "empty", nil) + ".link"
		Expect(os.Symlink(path, link)).To(Succeed())
		Expect(metrics.CheckPlace(link, "run", false)).To(Succeed())
		Expect(metrics.CheckPlace(strings.TrimSuffix(link, ".link"), "run", false)).To(Succeed())
	})

	DescribeTable("is not published in place of another file, even with --replace:",
		func(place func(path string) error, says string) {
			path := filepath.Join(GinkgoT().TempDir(), "tok.txt")
			Expect(place(path)).To(Succeed())
			Expect(metrics.CheckPlace(path, "run", true)).To(MatchError("--metrics-file: " + path + " " + says +
				", and is not replaced: name another file"))
		},
		Entry("a token", func(path string) error { return os.WriteFile(path, []byte("token\n"), 0o600) },
			"is no metrics file of conformance"),
		Entry("metrics of others", func(path string) error {
			return os.WriteFile(path, []byte("up{command=\"run\"} 1\n# EOF\n"), 0o600)
		}, "is no metrics file of conformance"),
		Entry("a folder", func(path string) error { return os.Mkdir(path, 0o700) }, "is a folder"),
		Entry("a device", func(path string) error { return os.Symlink(os.DevNull, path) }, "is a device or a pipe"),
		Entry("a link to nothing", func(path string) error { return os.Symlink("nothing", path) },
			"is a link to a file that does not exist"),
	)
})

var _ = Describe("The alert rules", func() {
	It("are about metrics that the file has", func() {
		rules := string(testkit.Read("../../../recipes/alerts.yml"))
		var text strings.Builder
		until := "2027-02-28"
		end := time.Now()
		Expect(metrics.Write(&text, &report.Report{Certifies: true, Finished: &end, ValidUntil: &until,
			Requirements: []report.Row{{Waiver: &report.Waiver{Until: until}}}}, nil)).To(Succeed())
		names := regexp.MustCompile(`conformance_[a-z_]+`).FindAllString(rules, -1)
		Expect(len(names)).To(BeNumerically(">=", 3))
		for _, name := range names {
			Expect(text.String()).To(ContainSubstring("# TYPE " + name + " gauge"))
		}
	})
})
