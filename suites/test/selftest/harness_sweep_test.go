package selftest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/testkit"
)

// The files of a sweep. A merge writes no answers.
const (
	sweepJSON      = "sweep.json"
	sweepPage      = "sweep.html"
	findingsFile   = "findings.ndjson"
	checkpointFile = "sweep.checkpoint.json"
	listFile       = "differences.csv"
	answersFile    = "differences.har"
	metricsFile    = "metrics.prom"
)

// people are generated users. Only the target knows that every tenth of them is not enrolled.
type people []fixtures.User

func generatePeople(n int) people {
	list := make(people, n)
	for i := range list {
		list[i] = fixtures.User{ID: guidOf(i), UserID: userIDOf(i), Enrolled: i%10 != 9}
	}
	return list
}

func guidOf(i int) string   { return fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i) }
func userIDOf(i int) string { return fmt.Sprintf("person-%06d", i) }

// isFaulty reports whether the records of a user differ between the versions, which those of about 50 do.
func (p people) isFaulty(i int) bool { return i%(len(p)/50) == 1 && p[i].Enrolled }

// newHandler is the reference for these users. In v6 the faulty ones have another description, and every third of them
// has no model of the device.
func (p people) newHandler() http.Handler {
	return testkit.Changing(referenceFor(p), func(v schemas.Version, record map[string]any) {
		var i int
		_, err := fmt.Sscanf(record["UserId"].(string), "person-%d", &i)
		mustSucceed(err)
		if v == schemas.V6 && p.isFaulty(i) {
			if record["Description"] = "changed"; i%3 == 0 {
				delete(record["Device"].(map[string]any), "Model")
			}
		}
	})
}

// expectedFindings are the findings that a sweep of these users has to report, in their order.
func (p people) expectedFindings() []string {
	var list []string
	for i := range p {
		if p.isFaulty(i) {
			list = append(list, fmt.Sprint(userIDOf(i), " 9.3/getUserAuth/values value /Description"))
		}
		if p.isFaulty(i) && i%3 == 0 {
			list = append(list, fmt.Sprint(userIDOf(i), " 9.3/getUserAuth/shape member missing /Device/Model"))
		}
	}
	return list
}

// usersText returns a users file in NDJSON.
func (p people) usersText() string {
	var b strings.Builder
	for _, u := range p {
		fmt.Fprintf(&b, "{\"id\":%q,\"userId\":%q}\n", u.ID, u.UserID)
	}
	return b.String()
}

// newSweep returns a sweep of these users in a new folder.
func (p people) newSweep(url string, more ...string) command {
	c := command{args: append([]string{"sweep", "--target-url", url, "--users", "users.ndjson"}, more...),
		env: credentialsWith(fixtures.AccessToken), folder: newFolder()}
	writeFile(c.folder, "users.ndjson", p.usersText())
	return c
}

// sweepReport is what the specs need of sweep.json and of findings.ndjson.
type sweepReport struct {
	Verdict, Reason string
	Complete        bool
	Tally           struct {
		Users, Requests, Differing int64
		Groups                     []struct {
			Requirement string
			Users       int
			Sample      []any
		}
	}
	Traffic  struct{ Requests, Controls int64 }
	Findings string // the digest of findings.ndjson
	Error    *string

	lines    []string // of the findings
	findings []string // in the form of expectedFindings
	counts   string   // everything that was counted except times: equal for the same users and answers
}

// readSweep reads sweep.json in a report folder.
func readSweep(folder string) *sweepReport {
	GinkgoHelper()
	read, whole := &sweepReport{}, map[string]any{}
	content := testkit.Read(folder, sweepJSON)
	Expect(json.Unmarshal(content, read)).To(Succeed())
	Expect(json.Unmarshal(content, &whole)).To(Succeed())
	if tally, has := whole["tally"].(map[string]any); has {
		delete(tally, "times")
	}
	for _, name := range []string{"verdict", "reason", "proves", "complete", "population", "tally", "notes"} {
		read.counts += fmt.Sprintln(name, whole[name])
	}
	return read
}

// checkSweep expects what holds for every sweep that was carried out, complete or not: there are no other files than
// its own, and its exit code, findings and list agree with sweep.json.
func checkSweep(r *result) *sweepReport {
	GinkgoHelper()
	files := filesIn(r.reportFolder())
	for name := range files {
		Expect(name).To(BeElementOf(sweepJSON, sweepPage, findingsFile, checkpointFile, metricsFile, listFile,
			answersFile))
	}
	read := readSweep(r.reportFolder())
	Expect(read.Error).To(BeNil(), "%s", r)
	if r.exitCode == exitStopped {
		Expect(read.Complete).To(BeFalse())
		Expect(read.Verdict).To(Equal("error"))
		Expect(r.stderr).To(ContainSubstring("exit code 4"))
	} else {
		Expect(r.exitCode).To(Equal(exitCodes()[read.Verdict]), "%s", r)
	}
	Expect(r.stdout).To(ContainSubstring("\nverdict: %s: %s\n", read.Verdict, read.Reason))

	lines := bytes.SplitAfter([]byte(files[findingsFile]), []byte("\n"))
	lines = lines[:len(lines)-1] // nothing comes after the last line feed
	for _, line := range lines[1 : len(lines)-1] {
		var f struct {
			User                       struct{ UserID string }
			Requirement, Kind, Pointer string
		}
		Expect(json.Unmarshal(line, &f)).To(Succeed())
		read.lines = append(read.lines, string(line))
		read.findings = append(read.findings, strings.Join([]string{f.User.UserID, f.Requirement, f.Kind, f.Pointer},
			" "))
	}
	var footer struct {
		Line            string
		Users, Findings int64
		Complete        bool
		Digest          string
	}
	Expect(json.Unmarshal(lines[len(lines)-1], &footer)).To(Succeed())
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(bytes.Join(lines[:len(lines)-1], nil)))
	Expect([]any{footer.Line, footer.Users, footer.Findings, footer.Complete, footer.Digest}).To(
		Equal([]any{"footer", read.Tally.Users, int64(len(read.lines)), read.Complete, digest}))
	Expect(read.Findings).To(Equal(digest))
	return read
}

// checkFailedSweep expects that a sweep ended in an error that contains these words, on the terminal and in its report.
func checkFailedSweep(r *result, words ...string) {
	GinkgoHelper()
	Expect(r.exitCode).To(Equal(exitCodes()["error"]), "%s", r)
	read := readSweep(r.reportFolder())
	Expect(read.Verdict).To(Equal("error"))
	Expect(read.Complete).To(BeFalse())
	for _, text := range words {
		Expect(r.allOutput()).To(ContainSubstring(text))
		Expect(read.Error).To(HaveValue(ContainSubstring(text)))
	}
}
