package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/atomicfile"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
)

// format begins the member "format" of a baseline, format 1.0: within 1 members are added, and none changes or goes.
const (
	formatPrefix = "baseline "
	format       = formatPrefix + "1.0"
)

// baseline is a baseline file: what Compare needs of a report, and nothing that stands in an answer about a user. Its
// schema is schemas/baseline.schema.json.
type baseline struct {
	Format       string        `json:"format"`
	Contract     string        `json:"contract"`
	Run          string        `json:"run"`
	Finished     *time.Time    `json:"finished"`
	Requirements []row         `json:"requirements"`
	Observations []observation `json:"observations"`
}

type row struct {
	ID      string          `json:"id"`
	Version schemas.Version `json:"version"`
	Verdict ledger.Verdict  `json:"verdict"`
	Causes  []cause         `json:"causes,omitempty"`
}

type cause struct {
	Kind    string `json:"kind"`
	Pointer string `json:"pointer"`
	Count   int    `json:"count"`
}

type observation struct {
	ID        string            `json:"id"`
	Operation schemas.Operation `json:"operation"`
	V5        *string           `json:"v5"`
	V6        *string           `json:"v6"`
}

// Write makes a report the baseline of later runs, in a file of its own, whole or not at all. Only a complete run that
// was carried out can be one.
func Write(path string, r *report.Report) error {
	if r.Verdict == ledger.Fault || !r.Complete {
		return fmt.Errorf("--update-baseline: %s is left as it was: this run was not complete, or was not carried out, and can be no baseline", path)
	}
	b := baseline{Format: format, Contract: r.Suite.Contract, Run: r.Run, Finished: r.Finished, Requirements: []row{},
		Observations: []observation{}}
	for _, from := range r.Requirements {
		to := row{ID: from.ID, Version: from.Version, Verdict: from.Verdict}
		for _, c := range from.Causes {
			to.Causes = append(to.Causes, cause{c.Kind, c.Pointer, c.Count})
		}
		b.Requirements = append(b.Requirements, to)
	}
	for _, o := range r.Observations {
		if o.Compared {
			b.Observations = append(b.Observations, observation{o.ID, o.Operation, kept(o, o.V5), kept(o, o.V6)})
		}
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(b); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	if err := atomicfile.Write(path, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("the baseline %q (--update-baseline) can't be written: %w", path, err)
	}
	return nil
}

// digestPrefix begins what stands for an observation that is not kept itself.
const digestPrefix = "sha256:"

// kept is what a baseline holds of an observation: of the sections on resources and states (§2, §3) a digest, as they
// show what stands in records.
func kept(o report.Observation, words *string) *string {
	if words == nil || *words == ledger.NotAsked || o.Section != "3" && !strings.HasPrefix(o.Section, "2") {
		return words
	}
	digest := digestOf(redact.Anonymous(*words))
	return &digest
}

func digestOf(words string) string {
	sum := sha256.Sum256([]byte(words))
	return digestPrefix + hex.EncodeToString(sum[:])
}

// report is the baseline in the form of the report that it was taken from.
func (b *baseline) report() *report.Report {
	r := &report.Report{Verdict: ledger.Pass, Complete: true, Run: b.Run, Finished: b.Finished}
	r.Suite.Contract = b.Contract
	for _, from := range b.Requirements {
		to := report.Row{ID: from.ID, Version: from.Version, Verdict: from.Verdict}
		for _, c := range from.Causes {
			to.Causes = append(to.Causes, report.Cause{Kind: c.Kind, Pointer: c.Pointer, Count: c.Count})
		}
		r.Requirements = append(r.Requirements, to)
	}
	for _, o := range b.Observations {
		r.Observations = append(r.Observations, report.Observation{ID: o.ID, Operation: o.Operation, V5: o.V5, V6: o.V6})
	}
	return r
}
