package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/command/ginkgospecs"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/settings"
)

// Register adds the specs to the Ginkgo tree that is being built, one for each requirement and version, and returns
// true:
//
//	var config conformance.Config
//
//	var _ = conformance.Register(&config)
//
// The config is read when the first of the specs runs, so that BeforeSuite may fill it. Its Versions, Parity and
// Divergence, and which version has a record, decide which specs there are: they must not change after Register. Its
// URLs, if they are there already, are in the name of the specs. All requests are sent with the first spec, and each
// spec reports what they showed of its requirement: passed, failed with every finding, or skipped with the reason why
// nothing was seen of it. If the config is wrong, or the target can't be reached, the first spec fails and says why,
// and the others are skipped.
//
// Label filters and focus select requirements, and only what these need is sent: '!auth-failure' sends no bad token.
// The labels and the description that RunSpecs was given can be seen at the top level of a test file only: if Register
// is called within a container, a spec that only these select fails and says so.
//
// The specs are serial: of parallel processes one sends the requests. Several configs can be registered in one suite;
// if their URLs are not known yet, register each in a container of its own, so that reports tell them apart.
func Register(config *Config) bool {
	if config == nil {
		config = &Config{}
	}
	r := &registration{config: config, requirements: embedded(), decided: config.deciding()}
	options := spec.Options{Versions: knownVersions(config.Versions), Recorded: recordedVersions(config),
		ShapeOnly:       config.Parity == settings.ParityShape,
		DivergenceFails: config.Divergence == settings.DivergenceFail}
	if atTopLevel() {
		ReportBeforeSuite(func(report Report) { r.description, r.labels = report.SuiteDescription, report.SuiteLabels })
		ReportAfterSuite("authenticator-conformance", r.printInconclusive)
	}
	return Describe(nameOf(config), Serial, Offset(1), func() {
		r.specs, r.within = ginkgospecs.Specs(r.requirements, options), CurrentTreeConstructionNodeReport()
		ginkgospecs.Add(r.specs, r.state)
	})
}

// deciding has the fields that decide which specs there are, each with its name.
func (c *Config) deciding() [][2]string {
	return [][2]string{{"Config.Parity", c.Parity}, {"Config.Divergence", c.Divergence},
		{"Config.Versions", fmt.Sprint(knownVersions(c.Versions))},
		{"Config.Recorded", fmt.Sprint(recordedVersions(c))}}
}

// nameOf returns the name of the container, with the targets that are already known.
func nameOf(config *Config) string {
	var targets []string
	urls := []string{config.TargetURL, config.TargetURLV5, config.TargetURLV6}
	for _, v := range slices.Sorted(maps.Keys(config.Targets)) {
		urls = append(urls, config.Targets[v].URL)
	}
	for _, text := range urls {
		if base, err := url.Parse(text); err == nil && base.Host != "" {
			targets = append(targets, config.out().Text(strings.TrimRight(base.Host+base.EscapedPath(), "/"), 100))
		}
	}
	if len(targets) == 0 {
		return ginkgospecs.Container
	}
	return ginkgospecs.Container + " at " + strings.Join(targets, " and ")
}

// atTopLevel reports whether no container is being built.
func atTopLevel() (topLevel bool) {
	defer func() { topLevel = recover() != nil }()
	CurrentTreeConstructionNodeReport() // it panics if no container is being built
	return false
}

// registration is one call of Register: its specs, and the run that they share.
type registration struct {
	config       *Config
	requirements *Requirements
	decided      [][2]string // what decides which specs there are, as it was at the call
	specs        []ginkgospecs.Spec
	within       ConstructionNodeReport // the container of the specs, with those around it
	// The description and labels that RunSpecs was given. Ginkgo shows them only to reporting nodes of the suite.
	description string
	labels      []string

	once   sync.Once
	first  ledger.Key // of the spec that ran first
	result *report.Report
	only   map[ledger.Key]bool // the rows that Ginkgo's filters select
	err    error
	ended  error // why the run was not carried out to its end
}

// state is a spec: it states what the run showed of a row.
func (r *registration) state(ctx SpecContext, key ledger.Key) {
	r.executed(ctx, key)
	if stale := r.result.StaleEntries(); stale != "" && key == r.first {
		Fail(stale)
	}
	ginkgospecs.State(r.result, key, r.config.FailInconclusive)
}

// printInconclusive prints a line about the specs that could not be decided, and so were skipped.
func (r *registration) printInconclusive(Report) {
	if r.result == nil || r.config.FailInconclusive {
		return // none was, or it failed; or this is a preview
	}
	if open := r.result.Undecided(); open > 0 {
		fmt.Printf("\n%s: %s could not be decided and %s skipped; Config.FailInconclusive makes them fail\n",
			nameOf(r.config),
			wording.Count(open, "check"), map[bool]string{true: "is", false: "are"}[open == 1])
	}
}

// executed carries the run out with the first spec. If that fails, the first spec fails each time it is tried, and
// every other spec is skipped.
func (r *registration) executed(ctx context.Context, key ledger.Key) {
	r.once.Do(func() {
		r.first = key
		if err := bounded.Guarded(func() error { return r.prepareAndExecute(ctx) }); err != nil {
			r.err = errors.New(r.config.out().ErrorLines(err))
		}
	})
	switch {
	case r.err == nil && r.only[key]:
		return
	case r.err == nil:
		Fail(errFiltered.Error())
	case key == r.first:
		Fail(r.err.Error())
	}
	Skip("not judged: " + r.err.Error())
}

// errFiltered means that Ginkgo runs a spec that its visible filters exclude. The probes of the spec must not be sent
// then, as the filter may be meant to prevent others of the same kind.
var errFiltered = errors.New("this spec is selected by a label or description that was passed to RunSpecs; Register " +
	"can read these only at the top level of a test file: call it there, outside of any container")

// programBegan is when this program began.
var programBegan = time.Now()

// prepareAndExecute validates the config and carries the run out.
func (r *registration) prepareAndExecute(ctx context.Context) error {
	config := *r.config
	if strings.TrimSpace(config.ReportDir) == "" {
		err := r.execute(ctx, config, nil)
		return cmp.Or(err, r.ended)
	}
	began := false
	kind := folder.Run{Contract: r.requirements.Contract.Digest, Started: time.Now()}
	at := folder.Place{Dir: folder.Dated(config.ReportDir, kind.Started), Replace: config.Replace,
		Since: programBegan, MetricsFile: func() string { return config.MetricsFile }}
	err := folder.Live(at, kind, config.out().ErrorLines, func(f *folder.Folder) error {
		began = true
		return r.execute(ctx, config, f)
	})
	if !began {
		return fmt.Errorf("Config.ReportDir: %w", err)
	}
	return cmp.Or(err, r.ended)
}

// execute carries out a run of the config, and writes its reports into a folder, unless that is nil. If the run was not
// carried out to its end, the reports say so too, and ended is why.
func (r *registration) execute(ctx context.Context, config Config, into *folder.Folder) error {
	for i, field := range config.deciding() {
		if was := r.decided[i]; field != was {
			return fmt.Errorf("%s: it decides which specs there are, so set it to %q before Register is called, "+
				"where it was %q", field[0], field[1], was[1])
		}
	}
	s, err := config.settings(os.Environ(), r.requirements.Contract, time.Now())
	if err != nil {
		return err
	}
	n, err := session.New(s, r.requirements, into)
	if err != nil {
		return err
	}
	defer n.Close()
	filters, _ := GinkgoConfiguration()
	r.only = ginkgospecs.Selected(r.specs, filters, r.description+" "+r.within.FullText(),
		slices.Concat(r.labels, r.within.Labels()))
	if len(r.only) == 0 {
		return errFiltered
	}
	n.Run.Select(r.only)
	for _, caution := range slices.Concat(s.Cautions, n.Run.Warnings()) {
		AddReportEntry("caution", n.Out.Text(caution, 0))
	}
	defer cleanLog(n.Out.Lines)()
	ended := n.Execute(ctx, nil)
	if r.result = n.Result; ended != nil {
		r.ended = errors.New("the run could not be carried out: " + n.Out.Error(ended))
	}
	return n.Write()
}
