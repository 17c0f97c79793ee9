package selftest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"authenticator-conformance/schemas"
)

// The files of a sweep.
const (
	sweepJSON      = "sweep.json"
	sweepPage      = "sweep.html"
	findingsFile   = "findings.ndjson"
	checkpointFile = "sweep.checkpoint.json"
	listFile       = "differences.csv"
	answersFile    = "differences.har"
	metricsFile    = "metrics.prom"
)

// The operations and the parity of the versions, as the files of a sweep name them.
const (
	getUserAuth   = string(schemas.GetUserAuth)
	findByUserIDs = string(schemas.FindByUserIDs)
	bothVersions  = string(schemas.Parity)
)

// sweepReport is the part of sweep.json that the specs need.
type sweepReport struct {
	Verdict, Reason string
	Complete        bool
	Population      struct {
		Users  int64
		Digest string
	}
	Shards []struct{ Index, Of int }
	Total  int64
	Tally  struct {
		Users, Requests, Differing int64
		Findings                   map[string]struct{ Open int64 }
		Outcomes                   map[string]map[string]struct{ Count int64 }
		Groups                     []struct {
			cause
			Users, Count int64
			Sample       []sweepFinding
		}
	}
	Traffic  struct{ Requests int64 }
	Findings string // digest of findings.ndjson
	Error    *string
}

// cause is what the findings of a group have in common.
type cause struct{ Operation, Version, Requirement, Kind, Pointer string }

// groupKey returns the cause of the finding's group: each index in the pointer is replaced by *.
func (c cause) groupKey() cause {
	segments := strings.Split(c.Pointer, "/")
	for i, segment := range segments {
		if segment != "" && strings.Trim(segment, "0123456789") == "" {
			segments[i] = "*"
		}
	}
	c.Pointer = strings.Join(segments, "/")
	return c
}

// sweepFinding is a line of findings.ndjson. A line without a requirement is about a user who could not be compared.
type sweepFinding struct {
	User struct {
		Index      int
		ID, UserID string
	}
	cause
	Count int
}

// byUser compares findings by the index of their user.
func byUser(a, b sweepFinding) int { return a.User.Index - b.User.Index }

// sweepFindings is the content of findings.ndjson.
type sweepFindings struct {
	findings []sweepFinding
	lines    []string     // of the findings
	footer   *sweepFooter // nil if the file ends early
}

type sweepFooter struct {
	Users, Findings int64
	Complete        bool
	Digest          string
}

// readSweep reads sweep.json in a report folder.
func readSweep(folder string) (*sweepReport, error) {
	content, err := os.ReadFile(filepath.Join(folder, sweepJSON))
	if err != nil {
		return nil, err
	}
	r := &sweepReport{}
	return r, json.Unmarshal(content, r)
}

// readFindings reads findings.ndjson in a report folder. The error says where the file differs from its footer, or has
// lines in a wrong order.
func readFindings(folder string) (*sweepFindings, error) {
	content, err := os.ReadFile(filepath.Join(folder, findingsFile))
	if err != nil {
		return nil, err
	}
	f, number := &sweepFindings{}, 0
	for line := range bytes.Lines(content) {
		number++
		if err := f.addLine(line, number, content); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", findingsFile, number, err)
		}
	}
	return f, nil
}

// addLine parses one line. content is the whole file.
func (s *sweepFindings) addLine(line []byte, number int, content []byte) error {
	var kind struct{ Line string }
	if err := json.Unmarshal(line, &kind); err != nil {
		return fmt.Errorf("%w in %q", err, line)
	}
	switch {
	case s.footer != nil:
		return fmt.Errorf("a line after the footer: %q", line)
	case (kind.Line == "header") != (number == 1):
		return fmt.Errorf("expected one header, on the first line, found %q", line)
	case kind.Line == "header":
		return nil
	case kind.Line == "finding":
		var one sweepFinding
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		s.findings, s.lines = append(s.findings, one), append(s.lines, strings.TrimSuffix(string(line), "\n"))
		return nil
	case kind.Line == "footer":
		if err := json.Unmarshal(line, &s.footer); err != nil {
			return err
		}
		digest := sha256.Sum256(content[:len(content)-len(line)])
		if want := "sha256:" + hex.EncodeToString(digest[:]); s.footer.Digest != want {
			return fmt.Errorf("the footer says %s, and the lines before it have %s", s.footer.Digest, want)
		}
		if s.footer.Findings != int64(len(s.findings)) {
			return fmt.Errorf("the footer says %d findings, and there are %d", s.footer.Findings, len(s.findings))
		}
		return nil
	}
	return fmt.Errorf("a line of the kind %q", kind.Line)
}
