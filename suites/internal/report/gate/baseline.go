package gate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/check"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

// The values of the member "format" of a baseline.
const (
	formatPrefix = "baseline "
	format       = formatPrefix + "2.0"
)

// baseline is a baseline file. It has what Compare needs of a report, under the same names but for the contract, and no
// text from an answer about a user. Its schema is schemas/baseline.schema.json.
type baseline struct {
	Format       string        `json:"format"`
	Suite        release       `json:"suite"`
	Contract     string        `json:"contract"`
	Run          string        `json:"run"`
	Finished     *time.Time    `json:"finished"`
	Values       string        `json:"values,omitempty"` // "hide" if the values of users are hidden
	Users        *report.Users `json:"users"`            // the list of users
	Requirements []row         `json:"requirements"`
	Observations []observation `json:"observations"`
}

// release is the suite that wrote a baseline.
type release struct {
	Version string `json:"version"`
}

type row struct {
	ID      string          `json:"id"`
	Version schemas.Version `json:"version"`
	Verdict ledger.Verdict  `json:"verdict"`
	Causes  []cause         `json:"causes,omitempty"`
	Waiver  *waiver         `json:"waiver,omitempty"`
}

// waiver is the waiver that set a failure aside.
type waiver struct {
	Until string `json:"until"`
}

type cause struct {
	check.Key
	Count int `json:"count"`
	Users int `json:"users,omitempty"`
}

type observation struct {
	ID        string            `json:"id"`
	Operation schemas.Operation `json:"operation"`
	Seen      report.Seen       `json:"-"` // each version is a member by its name
}

// MarshalJSON writes the observation.
func (o observation) MarshalJSON() ([]byte, error) {
	return strictjson.EncodeMembers(append([]any{"id", o.ID, "operation", o.Operation}, o.Seen.Members()...)...)
}

// Flag is the flag that names a file to write a baseline to.
const Flag = "--update-baseline"

// CheckPlace returns an error if a baseline can't be written to a path, or would replace another file than a baseline,
// or than a report.json that serves as one.
func CheckPlace(path string) error {
	return report.CheckPlace(Flag, path, "baseline", func(content []byte) bool {
		value, _ := strictjson.Decode(content) // nil is neither
		_, err := decode(content, value)
		_, isOther := errors.AsType[*strictjson.OtherFormat](err)
		members, _ := value.(map[string]any)
		return err == nil || isBaseline(value) || isOther && members["requirements"] != nil
	})
}

// CheckWhole returns an error if a filter left out a row of a run whose results become a baseline. It is called before
// any request is sent.
func CheckWhole(rows []*ledger.Row) error {
	if slices.ContainsFunc(rows, func(row *ledger.Row) bool { return !row.Selected }) {
		return fmt.Errorf("%s: only a whole run can be a baseline: leave out --label-filter, --focus and --last-failed",
			Flag)
	}
	return nil
}

// Write writes the baseline of a report to a file, atomically. It is an error if the run was narrowed or could not
// be carried out.
func Write(path string, r *report.Report) error {
	if r.Verdict == ledger.Fault || r.Narrowed() {
		return fmt.Errorf("%s: %s was not changed: only a whole run can be a baseline; run again", Flag, path)
	}
	b := baseline{Format: format, Suite: release{r.Suite.Version}, Contract: r.Suite.Contract, Run: r.Run,
		Finished: r.Finished, Values: r.Values, Users: r.Users, Observations: []observation{}}
	for _, from := range r.Requirements {
		to := row{ID: from.ID, Version: from.Version, Verdict: from.Verdict}
		for _, c := range from.Causes {
			to.Causes = append(to.Causes, cause{c.Key, c.Count, c.Users})
		}
		if from.Waiver != nil {
			to.Waiver = &waiver{from.Waiver.Until}
		}
		b.Requirements = append(b.Requirements, to)
	}
	for _, o := range r.Observations {
		if o.Compared {
			b.Observations = append(b.Observations, observation{o.ID, o.Operation, stored(o)})
		}
	}
	var content bytes.Buffer
	err := strictjson.WriteIndented(&content, b)
	if err == nil {
		err = atomicfile.Write(path, content.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("the baseline %q (%s) can't be written: %w", path, Flag, err)
	}
	return nil
}

// digestPrefix starts the digest that replaces an observation's text.
const digestPrefix = "sha256:"

// stored returns what the baseline stores of an observation. If it shows values or names from records, that is digests.
func stored(o report.Observation) report.Seen {
	list := report.Seen{}
	for v, seen := range o.Seen {
		if seen.String() != ledger.NotAsked && keepsDigest(o) {
			seen = report.SeenBy{exchange.DigestOf([]byte(seen.String()))}
		}
		list[v] = seen
	}
	return list
}

// keepsDigest reports whether a baseline stores only a digest of an observation.
func keepsDigest(o report.Observation) bool { return o.Shows != "" }
