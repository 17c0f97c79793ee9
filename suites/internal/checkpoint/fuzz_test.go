package checkpoint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/stats"
)

// FuzzCheckpoint: whatever stands in the file, reading it brings a checkpoint that can be counted on with, written and
// read again, or an error that names the file.
func FuzzCheckpoint(f *testing.F) {
	text := func(c *checkpoint.Checkpoint) string {
		text, err := c.Text()
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	good := text(checkpointAfter(4))
	for _, seed := range []string{"", "null", "{}", "[]", good, text(checkpointAfter(0)), text(checkpointAfter(300)),
		good + "{}", good[:len(good)/2]} {
		f.Add(seed)
	}
	for _, change := range [][2]string{
		{`"groups":[`, `"groups":[null,`}, {`"groups":[`, `"x":[`}, {`"witnessed":{`, `"witnessed":null,"x":{`},
		{`"seconds":1,`, `"seconds":36028797018963968,`},
		{`"seconds":1,`, `"seconds":18014398509481984,`}, {`"findings":{"find`, `"findings":{"x":null,"find`},
		{`"outcomes":{"find`, `"outcomes":{"x":null,"find`},
		{`"elapsed":60000000000`, `"elapsed":9223372036854775807`}, {`"size":100`, `"size":-1`},
		{`"users":4`, `"users":9223372036854775807`},
		{`"why":{}`, `"why":null`}, {`"sample":[`, `"sample":[{},`}, {`"count":1`, `"count":-9223372036854775808`},
		{`"latency":[`, `"latency":[-1,`},
		{`"equal":{`, `"Equal":{`}, {`"slots":[`, `"slots":[{"users":0,"outcomes":{},"latency":[]},`},
		{`"slots":[`, `"slots":[null,`}, {`"users":2`, `"users":-2`},
	} {
		if !strings.Contains(good, change[0]) {
			f.Fatalf("%s does not stand in a checkpoint", change[0])
		}
		f.Add(strings.Replace(good, change[0], change[1], 1))
		f.Add(strings.ReplaceAll(good, change[0], change[1]))
	}
	f.Fuzz(func(t *testing.T, content string) {
		folder := t.TempDir()
		path := filepath.Join(folder, checkpoint.CheckpointFile)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		if err != nil {
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--resume") {
				t.Fatalf("%v does not name the file and the flag", err)
			}
			return
		}
		countOn(t, c)
		text, err := c.Text()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil { // without the wait for the disk
			t.Fatal(err)
		}
		again, err := checkpoint.ReadCheckpoint(folder, sweepIdentity())
		if err != nil {
			t.Fatalf("what was gone on from can't be gone on from again: %v", err)
		}
		if back, err := again.Text(); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%s became %s (%v)", text, back, err)
		}
	})
}

// countOn counts users as a sweep does that goes on, and concludes.
func countOn(t *testing.T, c *checkpoint.Checkpoint) {
	users, equal, differences := c.Tally.Users, c.Tally.Count(stats.Equal), c.Tally.Found().Differences
	if users < 0 || equal < 0 || differences < 0 || c.Elapsed < 0 {
		t.Fatalf("it has counted %d users, %d equal, %d differences in %s", users, equal, differences, c.Elapsed)
	}
	for n := range 6 {
		results := []stats.Result{{Outcome: stats.Equal, Witnessed: true},
			{Outcome: stats.NotComparable, Why: "timeout of v5"}}
		results[1].Findings = []stats.Finding{{Operation: schemas.FindByUserIDs, Version: schemas.Parity,
			Kind: string(stats.NotComparable), Count: 1, User: stats.User{Index: int64(n)}}}
		if n%2 == 0 {
			results[0] = stats.Result{Outcome: stats.Different, Findings: []stats.Finding{*numberedFinding(n)}}
			c.Findings.Findings++
		}
		c.Findings.Findings++
		c.Read.Users++
		c.Tally.Add(results, []time.Duration{time.Millisecond, time.Hour}, c.Elapsed+time.Duration(n)*time.Hour)
	}
	if c.Tally.Users != users+6 || c.Tally.Count(stats.Equal) != equal+3 ||
		c.Tally.Found().Differences != differences+3 {
		t.Fatalf("six users more made %d of %d, %d equal of %d, %d differences of %d", c.Tally.Users, users,
			c.Tally.Count(stats.Equal), equal, c.Tally.Found().Differences, differences)
	}
	summary := &stats.Summary{Identity: c.Identity, Tally: c.Tally, Read: c.Read, Traffic: c.Traffic}
	summary.Conclude()
}
