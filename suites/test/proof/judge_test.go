package proof_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ask/run"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// service is one service of the fixtures, of any kind.
type service struct {
	name  string
	users []fixtures.User
	flags []string // of a run and a sweep
	heavy bool     // its answers are large
	night bool     // a change is not checked with it
	stuck bool     // a sweep would wait for it forever
	// enrolmentUnknown omits from the users file who is enrolled. There is only a sweep then: a run always knows it.
	enrolmentUnknown bool
	runOnly          bool // there is no sweep
	start            func(folder string) (*kit.Running, error)
}

// judged is the result of a run and a sweep against a service.
type judged struct {
	run     *report.Report
	differs error // how the run's evidence, judged again, differs from it, or report.json from its schema
	sent    int64 // how many requests of the run reached the service
	sweep   *stats.Summary
	err     error // why the service could not be judged
}

// perService is the deadline of a run and of a sweep, which only one that hangs reaches. perStuck is that of a sweep
// that would wait forever.
const (
	perService = 10 * time.Minute
	perStuck   = 5 * time.Second
)

// firstWait is the first wait for a control that is refused (J23), and each further one is twice as long. The commands
// wait for a second. In a tenth of it every outage of fixtures/fronts ends before the last wait.
const firstWait = 100 * time.Millisecond

// judge starts the service twice, because some count their calls: for a run, and for a sweep.
func (s service) judge(folder string) *judged {
	j := &judged{}
	if !s.enrolmentUnknown {
		j.err = s.whileServed(folder, func(service *kit.Running, arguments []string) (err error) {
			var again *report.Report
			if j.run, again, err = runReport(folder, arguments); err == nil {
				j.differs = errors.Join(sameAgain(j.run, again), validReport(j.run))
			}
			j.sent = service.Requests()
			return err
		})
	}
	if j.err == nil && !s.runOnly {
		j.err = s.whileServed(folder, func(_ *kit.Running, arguments []string) (err error) {
			j.sweep, err = s.sweepSummary(arguments)
			return err
		})
	}
	return j
}

// whileServed starts the service, and calls judge with it and the flags of a run against it.
func (s service) whileServed(folder string, judge func(service *kit.Running, arguments []string) error) error {
	users, err := s.usersFile(folder)
	if err != nil {
		return err
	}
	service, err := s.start(folder)
	if err != nil {
		return err
	}
	defer service.Close()
	return judge(service, slices.Concat([]string{"--users", users}, service.Arguments, s.flags))
}

// credentialsOfFixtures returns the environment with the credentials of the fixtures.
func credentialsOfFixtures() []string {
	return []string{"AUTHN_ACCESS_TOKEN=" + fixtures.AccessToken, "AUTHN_APPLICATION_ID=" + fixtures.ApplicationID}
}

// runReport returns the report of a run with these flags, and that of its evidence, judged again. The error means that
// the flags are wrong, or the evidence can't be kept or read.
func runReport(folder string, flags []string) (first, again *report.Report, err error) {
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	settings.AddFlags(settings.Run, set)
	flags = withFlagsOf(set, flags)
	if err := set.Parse(flags); err != nil {
		return nil, nil, err
	}
	s, err := settings.Read(settings.Run, set, flags, credentialsOfFixtures()).Resolve(settings.Defaults{},
		testkit.Contract(),
		time.Now())
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), perService)
	defer cancel()
	out := sanitize.New(s, testkit.Contract(), report.Name)
	kept, err := evidence.NewWriter(folder, out)
	if err != nil {
		return nil, nil, err
	}
	defer kept.Close()
	r := run.New(s, testkit.Suite(), report.Version, run.Input{Recorder: kept, FirstWait: firstWait})
	ended := r.Execute(ctx, nil)
	first = report.New(r.Result(ended), out)
	record := evidence.RecordOf(r.Result(ended), out)
	archive, written := io.Pipe() // with large bodies, to grow a buffer took a third of the time
	go func() { written.CloseWithError(kept.WriteArchive(written, record)) }()
	past, err := evidence.Parse(archive, schemas.Versions())
	archive.Close()
	if err != nil {
		return nil, nil, err
	}
	r = run.Again(past.Settings, testkit.Suite(), past.Run())
	err = r.Execute(ctx, nil)
	return first, report.New(r.Result(err), sanitize.New(past.Settings, testkit.Contract(), report.Name)), nil
}

// rowsOf describes the rows of a report, each in a line, with everything but the texts of findings.
func rowsOf(r *report.Report) map[string]string {
	lines := map[string]string{}
	for _, row := range r.Requirements {
		var causes []string
		for _, c := range row.Causes {
			causes = append(causes, fmt.Sprintf("%s at %q: %d of %d users", c.Kind, c.Pointer, c.Count, c.Users))
		}
		slices.Sort(causes)
		reason := ""
		if row.Reason != nil {
			reason = string(*row.Reason)
		}
		lines[rowName(row.ID, row.Version)] = fmt.Sprintf("%s %s, %d witnesses, %d findings: %s", row.Verdict, reason,
			row.Witnesses, row.FindingCount, strings.Join(causes, "; "))
	}
	return lines
}

// expectSameAgain expects that the evidence of a run was judged like the run, whose report is valid.
func (j *judged) expectSameAgain() {
	GinkgoHelper()
	Expect(j.differs).NotTo(HaveOccurred())
}

// sameAgain returns how the evidence of a run, judged again, differs from the run. Left out is a row of which less is
// seen because a body was not kept: it has a secret, or is too large. Of a run that was not carried out to its end only
// the verdict is compared: the last answers are in the evidence, and no row has them.
func sameAgain(run, again *report.Report) error {
	was, is := rowsOf(run), rowsOf(again)
	for _, now := range again.Requirements {
		row := run.Row(ledger.Key{ID: now.ID, Version: now.Version})
		if len(again.Missing) > 0 && row != nil && now.Witnesses <= row.Witnesses &&
			now.FindingCount <= row.FindingCount {
			delete(was, rowName(now.ID, now.Version))
			delete(is, rowName(now.ID, now.Version))
		}
	}
	switch {
	case len(again.Missing) == 0 && again.Verdict != run.Verdict:
		return fmt.Errorf("the verdict is %s, and that of the evidence, judged again, %s", run.Verdict, again.Verdict)
	case run.Certifies && len(again.Missing) == 0 && !bytes.Equal(certifiedText(run, run), certifiedText(again, run)):
		return errors.New("its evidence does not give the same report.json, so that verify takes it for changed")
	case run.Error != nil || maps.Equal(was, is):
		return nil
	}
	var list []string
	for name, line := range was {
		if is[name] != line {
			list = append(list, fmt.Sprintf("%s is %s; judged again %s", name, line, is[name]))
		}
	}
	return fmt.Errorf("%d rows, judged again %d: %s", len(was), len(is), strings.Join(list, "\n"))
}

// certifiedText returns the report.json of a run that certifies, with what the evidence does not have from the run.
func certifiedText(r, run *report.Report) []byte {
	made := *r
	made.Observations = slices.Clone(made.Observations)
	made.TakeOver(run, true)
	var text bytes.Buffer
	_ = report.WriteJSON(&text, &made) // into memory; validReport has its error
	return text.Bytes()
}

// validReport returns how report.json is not as its schema says.
func validReport(run *report.Report) error {
	var text bytes.Buffer
	if err := report.WriteJSON(&text, run); err != nil {
		return err
	}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	if faults := schemas.OutputSchema("report").Check(value); len(faults) > 0 {
		return fmt.Errorf("report.json breaks its schema: %v", faults)
	}
	return nil
}

// sweepSummary returns the summary of a sweep with these flags. The error means that the flags are wrong.
func (s service) sweepSummary(flags []string) (*stats.Summary, error) {
	set := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	settings.AddFlags(settings.Sweep, set)
	flags = withFlagsOf(set, flags)
	if err := set.Parse(flags); err != nil {
		return nil, err
	}
	resolved, err := settings.Read(settings.Sweep, set, flags, credentialsOfFixtures()).Resolve(settings.Defaults{},
		testkit.Contract(),
		time.Now())
	if err != nil {
		return nil, err
	}
	resolved.ReportDir = "" // no files are written
	if resolved.Deadline == 0 {
		resolved.Deadline = perService
		if s.stuck {
			resolved.Deadline = perStuck
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolved.Deadline)
	defer cancel()
	in := sweep.Input{Out: sanitize.New(resolved, testkit.Contract(), report.Name), FirstWait: firstWait}
	w := sweep.New(resolved, testkit.Suite(), sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}}, in)
	err = w.Execute(ctx, sweep.Watch{})
	return w.Summary(time.Now(), err), nil
}

// oneAtATime are the flags of a sweep that sends one request at a time, as each run does.
var oneAtATime = []string{"--concurrency", "1"}

// withFlagsOf removes the flags that a command does not have: those of a service are for a run and a sweep.
func withFlagsOf(set *pflag.FlagSet, flags []string) []string {
	var list []string
	for i := 0; i+1 < len(flags); i += 2 {
		if set.Lookup(flags[i][len("--"):]) != nil {
			list = append(list, flags[i], flags[i+1])
		}
	}
	return list
}

// usersFile writes the users file into a folder.
func (s service) usersFile(folder string) (string, error) {
	type entry struct {
		ID       string `json:"id"`
		UserID   string `json:"userId"`
		Enrolled *bool  `json:"enrolled,omitempty"`
	}
	var content []byte
	for _, u := range s.users {
		e := entry{ID: u.ID, UserID: u.UserID}
		if !s.enrolmentUnknown {
			e.Enrolled = &u.Enrolled
		}
		line, err := json.Marshal(e)
		if err != nil {
			return "", fmt.Errorf("users: %w", err)
		}
		content = append(append(content, line...), '\n')
	}
	path := filepath.Join(folder, "users.ndjson")
	return path, os.WriteFile(path, content, 0o600)
}
