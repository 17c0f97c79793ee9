// Package verify checks a certificate of somebody else: the report folder of a run, with its statement. It needs no
// target and no network, and it recomputes the verdict from the evidence by the contract of this binary.
package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/statement"
)

// Policy is what the caller demands beyond a right certificate. Zero values demand nothing.
type Policy struct {
	MaxAge         time.Duration
	SubjectVersion string
	SubjectBuild   string
	Target         string                     // of every version
	Targets        map[schemas.Version]string // of one version
	Versions       []schemas.Version          // that it has to cover
	UsersAtLeast   int                        // who were served in every version
}

// State is what is known of one check.
type State string

// The states.
const (
	Holds     State = "✓"
	Breaks    State = "✗"
	Unchecked State = "?" // could not be checked here, so it is left open
	Remark    State = "–"
)

// Line is the outcome of one check.
type Line struct {
	State      State
	Name, Text string
}

// Result is what is known of a certificate.
type Result struct {
	Lines []Line
	// Fails is what does not hold, and Open what could not be checked, in words.
	Fails, Open []string
	// Covers is what a certificate covers: versions, users and checks.
	Covers string
	// None is why there is no certificate, in a clause: the run does not say that it certifies. "" if it does.
	None string
}

func (r *Result) add(state State, name, format string, values ...any) {
	text := report.Printable(fmt.Sprintf(format, values...), 600)
	r.Lines = append(r.Lines, Line{state, name, text})
	list := map[State]*[]string{Breaks: &r.Fails, Unchecked: &r.Open}[state]
	if list != nil && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// Code is the exit code: 0 if the certificate holds, 1 if it does not, 3 if it holds as far as it can be checked.
func (r *Result) Code() int {
	switch {
	case len(r.Fails) > 0:
		return 1
	case len(r.Open) > 0:
		return 3
	}
	return 0
}

// String formats the result for people: a line for each check, then one sentence.
func (r *Result) String() string {
	var b strings.Builder
	for _, l := range r.Lines {
		fmt.Fprintf(&b, "%s %-12s %s\n", l.State, l.Name, l.Text)
	}
	switch {
	case slices.Equal(r.Fails, []string{verdictLine}) && r.None != "":
		fmt.Fprintf(&b, "this is no certificate: %s\n", r.None)
	case slices.Equal(r.Fails, []string{filesLine}):
		b.WriteString("the folder is not as it was made: ask for it again, whole, best in an archive\n")
	case len(r.Fails) > 0:
		fmt.Fprintf(&b, "the certificate does not hold: %s\n", strings.Join(r.Fails, ", "))
	case len(r.Open) > 0:
		fmt.Fprintf(&b, "the certificate holds as far as it can be checked, for %s; open: %s\n", r.Covers,
			strings.Join(r.Open, ", "))
	default:
		fmt.Fprintf(&b, "the certificate holds for %s\n", r.Covers)
	}
	return b.String()
}

// The names of the lines that say what the run certifies, and whether its files arrived as they were made.
const (
	verdictLine = "verdict"
	filesLine   = "files"
)

// certificate is a folder under check.
type certificate struct {
	*Result
	suite    *spec.Suite
	files    Files
	contents map[string][]byte // of the small files
	stated   map[string]string // digests by file
	report   report.Report
	served   map[schemas.Version]int // by each operation that was asked, by the evidence; nil if it is not known
	intact   map[string]bool         // the files that are those of the statement
}

// Check checks the certificate in the files. Key is the public key (PEM) of who signed it; nil: nobody is asked for.
// The error says, in one sentence, why it could not be checked.
func Check(ctx context.Context, files Files, suite *spec.Suite, key []byte, policy Policy, now time.Time) (*Result,
	error) {
	c, err := open(files, suite)
	if err != nil {
		return nil, err
	}
	if err := c.checkFiles(); err != nil {
		return nil, err
	}
	c.checkStatement()
	if err := c.checkSignature(key); err != nil {
		return nil, err
	}
	c.checkContract()
	if err := c.checkEvidence(ctx); err != nil {
		return nil, err
	}
	c.checkVerdict(now)
	c.checkPolicy(policy, now)
	c.add(Remark, "not proven", "that the target answered as the evidence says, and that it still does; and what only "+
		"report.json has: notes, baseline, and open points at which something is redacted")
	return c.Result, nil
}

// sameURL reports whether two base URLs are equal. The case of scheme and host, and slashes at the end, do not count.
func sameURL(one, other string) bool {
	normal := func(text string) string {
		u, err := url.Parse(strings.TrimRight(text, "/"))
		if err != nil {
			return text
		}
		u.Host = strings.ToLower(u.Host) // Parse makes the scheme lower case
		return u.String()
	}
	return normal(one) == normal(other)
}

// open reads statement, report and signature of a folder. The first two must be there.
func open(files Files, suite *spec.Suite) (*certificate, error) {
	c := &certificate{Result: &Result{}, suite: suite, files: files, contents: map[string][]byte{},
		intact: map[string]bool{}}
	for _, name := range []string{report.StatementFile, report.JSONFile, report.SignatureFile} {
		if files[name] == nil {
			continue
		}
		var err error
		if c.contents[name], err = files.read(name); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{report.StatementFile, report.JSONFile} {
		if c.contents[name] == nil {
			return nil, fmt.Errorf("%s is missing: expected the report folder of conformance run, whole", name)
		}
	}
	var err error
	if c.stated, err = statement.Digests(c.contents[report.StatementFile]); err != nil {
		return nil, fmt.Errorf("%s: %w", report.StatementFile, err)
	}
	content := c.contents[report.JSONFile]
	value, err := strictjson.Decode(content)
	if err == nil {
		err = report.Decode(&c.report, "report", "report", content, value)
	}
	if other, ok := errors.AsType[*strictjson.OtherFormat](err); ok {
		return nil, fmt.Errorf("%s: %w; verify it with %s", report.JSONFile, other, other.Release)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", report.JSONFile, report.Printable(err.Error(), 300))
	}
	return c, nil
}

// checkStatement makes the statement again from report.json.
func (c *certificate) checkStatement() {
	made, err := statement.Marshal(&c.report, c.stated)
	own := report.SuiteOf(c.suite.Contract.Digest)
	switch {
	case err == nil && bytes.Equal(made, mend(c.contents[report.StatementFile])):
		c.add(Holds, "statement", "says what %s says", report.JSONFile)
	case c.ofAnotherRelease():
		c.add(Unchecked, "statement", "was written by another release, %s, so that this one, %s, can't make it again",
			c.report.Suite.Version+" "+c.report.Suite.Commit, own.Version+" "+own.Commit)
	default:
		c.add(Breaks, "statement", "does not say what %s says", report.JSONFile)
	}
}

// ofAnotherRelease reports whether another release than this one wrote the report.
func (c *certificate) ofAnotherRelease() bool {
	own := report.SuiteOf(c.suite.Contract.Digest)
	return c.report.Suite.Version != own.Version || c.report.Suite.Commit != own.Commit
}

// checkContract compares the contract of the run with that of this binary.
func (c *certificate) checkContract() {
	if c.suite.Contract.Is(c.report.Suite.Contract) {
		c.add(Holds, "contract", "is that of this binary, %.19s…", c.report.Suite.Contract)
		return
	}
	own := report.SuiteOf(c.suite.Contract.Digest)
	var differing []string
	for _, name := range slices.Sorted(maps.Keys(own.Files)) {
		if c.report.Suite.Files[name] != own.Files[name] {
			differing = append(differing, name)
		}
	}
	c.add(Unchecked, "contract", "is another one than that of this binary: %s differ", strings.Join(differing, ", "))
}

// checkPolicy checks what the caller demands.
func (c *certificate) checkPolicy(p Policy, now time.Time) {
	demand := func(flag string, holds bool, format string, values ...any) {
		state := Breaks
		if holds {
			state = Holds
		}
		c.add(state, flag, format, values...)
	}
	subject := report.Subject{}
	if c.report.Subject != nil {
		subject = *c.report.Subject
	}
	if p.MaxAge > 0 {
		age := now.Sub(c.report.Started)
		if c.report.Finished != nil {
			age = now.Sub(*c.report.Finished)
		}
		demand("--max-age", age <= p.MaxAge && age > -time.Hour, "the run ended %s ago", age.Round(time.Minute))
	}
	for _, text := range [][3]string{{"--subject-version", p.SubjectVersion, subject.Version},
		{"--subject-build", p.SubjectBuild, subject.Build}} {
		if flag, want, got := text[0], text[1], text[2]; want != "" {
			demand(flag, got == want, "expected %q, got %q", want, got)
		}
	}
	askedAt := func(flag, want string, v schemas.Version) {
		base := c.report.Target[v]
		demand(flag, sameURL(base, want), "expected %s, and %s was asked at %s", want, v,
			cmp.Or(base, "no URL"))
	}
	for _, v := range schemas.InOrder(p.Targets) {
		askedAt("--target-"+string(v), p.Targets[v], v)
	}
	if p.Target != "" {
		for _, v := range schemas.InOrder(c.report.Target) {
			if p.Targets[v] == "" {
				askedAt("--target", p.Target, v)
			}
		}
		if len(c.report.Target) == 0 {
			demand("--target", false, "expected %s, and the report names no target", p.Target)
		}
	}
	for _, v := range p.Versions {
		demand("--versions", slices.Contains(c.report.Versions, v), "expected %s, and %s certified", v,
			schemas.Named(c.report.Versions))
	}
	for _, v := range c.report.Versions {
		switch {
		case p.UsersAtLeast > 0 && c.served == nil:
			c.add(Unchecked, "--users-at-least", "expected %d, and it is not known how many %s served",
				p.UsersAtLeast, v)
		case p.UsersAtLeast > 0:
			demand("--users-at-least", c.served[v] >= p.UsersAtLeast, "expected %d, and %s served %d", p.UsersAtLeast,
				v, c.served[v])
		}
	}
}
