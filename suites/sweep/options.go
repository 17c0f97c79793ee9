package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
)

// Options are the options that only a sweep has; a run shares the settings.
type Options struct {
	Resume bool
	// Restart means that an unfinished sweep in the report folder is given up, and its record.
	Restart bool
	// CountStart means, with Resume: start a new sweep if there is none to resume.
	CountStart bool
	Sample     int    // how many users are drawn at random; 0: all
	Seed       uint64 // for the draw, and for the samples of users in groups
	Shard      stats.Shard
}

// completionIndex is the environment variable in which Kubernetes gives a pod of an Indexed Job its number, from 0.
const completionIndex = "JOB_COMPLETION_INDEX"

// ParseShard parses 3/16, the third of sixteen shards. For */16 it takes the shard from the pod's completion index in
// an Indexed Job on Kubernetes.
func ParseShard(text string, environ []string) (stats.Shard, error) {
	if text == "" {
		return stats.Shard{Index: 1, Of: 1}, nil
	}
	which, total, found := strings.Cut(text, "/")
	n, ok := number(total)
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

// ReportDir replaces each {shard} in the name of a report folder by the number of the shard: shard-{shard} with --shard
// 3/16 becomes shard-3. So one setting names the folders of all shards. That includes pods of an Indexed Job, whose own
// numbers begin with 0. It returns an error if there is no shard, or --shard is invalid.
func ReportDir(dir, shard string, environ []string) (string, error) {
	if !strings.Contains(dir, settings.ShardPlace) {
		return dir, nil
	}
	if shard == "" {
		return "", fmt.Errorf("the report folder %q: %s is the number of the shard, and there is no --shard",
			dir, settings.ShardPlace)
	}
	part, err := ParseShard(shard, environ)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(dir, settings.ShardPlace, strconv.Itoa(part.Index)), nil
}

// number parses a decimal integer: no plus sign, leading zero or space.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strconv.Itoa(n) == text
}

func shardOfPod(total int, environ []string) (stats.Shard, error) {
	text, _ := settings.Variable(environ, completionIndex)
	i, ok := number(text)
	if !ok || i < 0 || i >= total {
		return stats.Shard{}, fmt.Errorf("--shard */%d: expected the variable %s to be a number from 0 to %d, as in "+
			"a pod of an Indexed Job, found %q", total, completionIndex, total-1, text)
	}
	return stats.Shard{Index: i + 1, Of: total}, nil
}

// identityOf returns what another sweep must have in common with this one to be resumed or merged.
func identityOf(w *Sweep) stats.Identity {
	suite := report.SuiteOf(w.Contract.Digest)
	id := stats.Identity{
		Contract: w.Contract.Digest, Suite: strings.TrimSpace(suite.Version + " " + suite.Commit),
		Target: map[schemas.Version]string{},
		Sample: w.Options.Sample, Seed: w.Options.Seed, Shard: w.Options.Shard,
		LastFailed: len(w.lastFailed), Values: w.out.Values(),
	}
	for _, v := range w.Settings.Versions {
		if w.Settings.Embedded {
			id.Target[v] = report.BuiltInReference // its port is random
		} else {
			id.Target[v] = w.out.Text(w.Client.Base(v), 0)
		}
	}
	if w.record != nil {
		id.Recorded = map[schemas.Version]string{w.record.Version: w.record.Digest}
	}
	id.Rules = report.RulesOf(w.Settings, w.Started, w.out)
	return id
}
