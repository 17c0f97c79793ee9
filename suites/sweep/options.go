package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/throttle"
)

// Options are what a sweep can be told beside the settings that it shares with a run.
type Options struct {
	Resume bool
	// BeginToo tells, with Resume, to begin where there is no sweep to go on with.
	BeginToo bool
	Sample   int    // how many users are drawn at random; 0: all
	Seed     uint64 // of the draw, and of the samples of users in groups
	Shard    stats.Shard
	Budget   int64 // of requests; 0: none
	Window   throttle.Window
}

// completionIndex is the variable in which Kubernetes tells a pod of an Indexed Job its number, from 0.
const completionIndex = "JOB_COMPLETION_INDEX"

// ParseShard reads 3/16, the third of sixteen shards, or */16, of which the pod of an Indexed Job on Kubernetes takes
// the one of its completion index.
func ParseShard(text string, environ []string) (stats.Shard, error) {
	if text == "" {
		return stats.Shard{Index: 1, Of: 1}, nil
	}
	which, of, found := strings.Cut(text, "/")
	n, ok := number(of)
	if !found || !ok || n < 1 || n > 100_000 {
		return stats.Shard{}, fmt.Errorf("--shard: expected a shard and their number such as 3/16, found %q", text)
	}
	if which == "*" {
		return shardOfPod(n, environ)
	}
	i, ok := number(which)
	if !ok || i < 1 || i > n {
		return stats.Shard{}, fmt.Errorf("--shard: expected a shard from 1 to %d, such as 1/%d, found %q", n, n, text)
	}
	return stats.Shard{Index: i, Of: n}, nil
}

// shardPlace is what stands for the number of the shard in the name of a report folder.
const shardPlace = "{shard}"

// ReportDir is the name of a report folder with the number of the shard for each {shard} in it: shard-3 for
// shard-{shard} and --shard 3/16. So one setting names the folders of all shards, also in pods of an Indexed Job, whose
// own numbers begin with 0. The error says that there is no shard, or which part of --shard is wrong.
func ReportDir(dir, shard string, environ []string) (string, error) {
	if !strings.Contains(dir, shardPlace) {
		return dir, nil
	}
	if shard == "" {
		return "", fmt.Errorf("the report folder %q: %s is the number of the shard, and there is no --shard", dir, shardPlace)
	}
	part, err := ParseShard(shard, environ)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(dir, shardPlace, strconv.Itoa(part.Index)), nil
}

// number reads digits, and nothing else that may be taken for a number.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strconv.Itoa(n) == text
}

func shardOfPod(of int, environ []string) (stats.Shard, error) {
	text := ""
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); name == completionIndex {
			text = value
		}
	}
	i, ok := number(text)
	if !ok || i < 0 || i >= of {
		return stats.Shard{}, fmt.Errorf("--shard */%d: expected the variable %s to be a number from 0 to %d, as in a pod of an Indexed Job, found %q", of, completionIndex, of-1, text)
	}
	return stats.Shard{Index: i + 1, Of: of}, nil
}

// identityOf says what sweeps must have in common with this one.
func identityOf(w *Sweep) stats.Identity {
	suite := report.SuiteOf(w.Contract.Digest)
	id := stats.Identity{
		Contract: w.Contract.Digest, Suite: strings.TrimSpace(suite.Version + " " + suite.Commit),
		Target: map[schemas.Version]string{},
		Sample: w.Options.Sample, Seed: w.Options.Seed, Shard: w.Options.Shard,
	}
	for _, v := range w.Settings.Versions {
		if w.Settings.Embedded {
			id.Target[v] = "the embedded reference" // at whichever port
		} else {
			id.Target[v] = w.Secrets().Show(w.Client.Base(v), 0)
		}
	}
	var ignored []string
	for _, i := range w.check.rule.Ignored {
		ignored = append(ignored, i.Pattern)
	}
	rules, _ := json.Marshal([]any{w.Settings.ParityMode, ignored, w.check.waived,
		w.Settings.ApplicationID}) // all of it has a JSON form
	digest := sha256.Sum256(rules)
	id.Rules = "sha256:" + hex.EncodeToString(digest[:])
	return id
}
