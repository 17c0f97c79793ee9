package gate_test

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/gate"
	"authenticator-conformance/suites/internal/testkit"
)

func TestGate(t *testing.T) { testkit.Specs(t, "gate") }

// comparison is a case of testdata/compare.yaml: a baseline and a run that is compared with it. A member with two
// elements has that of the baseline first.
type comparison struct {
	Name          string
	Was, Now      string   // their rows, see parseRows
	Alone         bool     // there is no other row, which passes in both
	Lists         []string // their users, such as "13 a": how many, and the digest of the list
	Hidden        []string // whether their values are: hide or nothing
	Error         string   // for which the run broke off
	Before, After []string // what v5 and v6 did at the open point open/4.3/status of the operation
	Operation     schemas.Operation
	Shows         string // what of records the open point shows
	Varies        bool   // it may differ between two calls
	Strict        bool   // a change of it fails the run
	Says          string
}

// parseRows makes rows of a text such as "v6 fail form@/CreatedOn*3#12, pass". A row is of v5 if it names no version,
// and a cause has its kind, its place, what is off there behind ~, how often it was found and, behind #, for how many
// users.
func parseRows(text string) (rows []report.Row) {
	GinkgoHelper()
	for part := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(part)
		row := report.Row{ID: "2.1/CreatedOn", Version: schemas.V5, Operation: schemas.GetUserAuth}
		if words[0] == "v6" {
			row.Version, words = schemas.V6, words[1:]
		}
		row.Verdict = ledger.Verdict(words[0])
		switch row.Verdict {
		case ledger.Pass:
			row.Witnesses = 1
		case ledger.Inconclusive:
			reason := ledger.Reason(words[1])
			row.Reason = &reason
		default:
			for _, word := range words[1:] {
				found := regexp.MustCompile(`^(\w+)@([^~]*)~?(.*)\*(\d+)#?(\d*)$`).FindStringSubmatch(word)
				Expect(found).NotTo(BeNil(), word)
				count, _ := strconv.Atoi(found[4])
				users, _ := strconv.Atoi(found[5])
				key := check.Key{Kind: strings.ReplaceAll(found[1], "_", " "), Pointer: found[2], Off: found[3]}
				row.Causes = append(row.Causes, report.Cause{Key: key, Count: count, Users: users})
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// reportWith is one side of a comparison: 0 is the baseline, 1 the run.
func (c comparison) reportWith(side int, rows string, at []string) *report.Report {
	GinkgoHelper()
	r := &report.Report{Requirements: parseRows(cmp.Or(rows, "pass"))}
	if !c.Alone {
		r.Requirements = append(r.Requirements, report.Row{ID: "2.1/Id", Version: schemas.V5, Verdict: ledger.Pass})
	}
	if len(c.Lists) > side && c.Lists[side] != "" {
		r.Users = &report.Users{}
		testkit.Must(fmt.Sscan(c.Lists[side], &r.Users.Count, &r.Users.Digest))
	}
	if len(c.Hidden) > side {
		r.Values = c.Hidden[side]
	}
	if len(at) > 0 {
		o := report.Observation{ID: "open/4.3/status", Operation: schemas.GetUserAuth, Compared: !c.Varies,
			Shows: c.Shows, Seen: report.Seen{}}
		for i, text := range at {
			o.Seen[schemas.Versions()[i]] = report.SeenBy{text}
		}
		r.Observations = []report.Observation{o}
	}
	return r
}

// describeGate lists the verdict, the rows that are known, and all that the gate found.
func describeGate(r *report.Report) string {
	list := []string{string(r.Verdict)}
	for _, row := range r.Requirements {
		if row.Known {
			list = append(list, fmt.Sprintf("row %s %s is known", row.Version, row.ID))
		}
	}
	for _, part := range []struct {
		name    string
		entries []report.Entry
	}{{"new", r.Gate.New}, {"grown", r.Gate.Grown}, {"known", r.Gate.Known}, {"stale", r.Gate.Stale}} {
		for _, e := range part.entries {
			text := fmt.Sprintf("%s: %s %s %s@%s*%d", part.name, e.Version, e.Requirement, e.Kind, placeOf(e.Key),
				e.Count)
			if e.Was+e.Users > 0 {
				text += fmt.Sprintf(" was %d, is %d", e.Was, e.Users)
			}
			list = append(list, text)
		}
	}
	for _, c := range r.Gate.Changed {
		list = append(list,
			fmt.Sprintf("changed: %s %s of %s was %s, is %s", c.Version, c.ID, c.Operation, c.Was, c.Is))
	}
	if r.Gate.ChangeFails {
		list = append(list, "changes fail")
	}
	return strings.Join(list, "; ")
}

var _ = Describe("A run that is compared with a baseline", func() {
	path := filepath.Join("testdata", "compare.yaml")
	var entries []TableEntry
	for _, c := range testkit.Cases[comparison](path) {
		entries = append(entries, Entry(c.Name, c))
	}
	DescribeTable("Has a verdict and entries by what changed", func(c comparison) {
		run := c.reportWith(1, c.Now, c.After)
		if c.Error != "" {
			run.Error = &c.Error
		}
		if c.Operation != "" {
			run.Observations[0].Operation = c.Operation
		}
		gate.Compare(c.reportWith(0, c.Was, c.Before), run, c.Strict)
		testkit.Says(path, c.Name, c.Says, errors.New(describeGate(run)))
	}, entries)

	It("Has a valid report, also if nothing is known, new, grown or stale", func() {
		run := newReport()
		run.Requirements, run.Observations = run.Requirements[:1], nil
		gate.Compare(run, run, false)
		var text strings.Builder
		Expect(report.WriteJSON(&text, run)).To(Succeed())
		written := testkit.Must(strictjson.Decode([]byte(text.String())))
		Expect(schemas.OutputSchema("report").Check(written)).To(BeEmpty())
	})

	It("Says of a failure that grew for how many users it was found", func() {
		c := comparison{Lists: []string{"13 a", "13 a"}}
		run := c.reportWith(1, "fail form@/CreatedOn*3#12", nil)
		gate.Compare(c.reportWith(0, "fail form@/CreatedOn*3#3", nil), run, false)
		Expect(run.Document().Sections[0].Items[0].Lines[0]).To(HavePrefix("grown: 3 of 13 users, now 12, "))
	})
})

// placeOf returns the place of a cause and, behind ~, what is off there.
func placeOf(key check.Key) string {
	if key.Off == "" {
		return key.Pointer
	}
	return key.Pointer + "~" + key.Off
}
