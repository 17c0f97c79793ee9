package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/internal/trail"
)

const mergeName = "merge"

func mergeCommand(s *surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   mergeName + " FOLDER…",
		Short: "Join the results of all shards of a sweep into one",
		Long: "merge reads sweep.json and findings.ndjson in the report folder of each shard of a sweep and writes one sweep.json,\n" +
			"sweep.html and differences.csv over all users into another folder. It refuses shards that are missing, given twice,\n" +
			"unfinished, or of another sweep. Each shard's findings.ndjson stays where it is.",
		Args: someFolders,
	}
	settings.AddMergeFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, folders []string) error {
		if err := settings.CheckMerge(cmd.Flags(), s.environ); err != nil {
			return err
		}
		shards, err := heeding(cmd.Context(), 0, func() ([]*tally.Summary, error) { return readShards(folders, s.folder) })
		if err != nil {
			return err
		}
		sources := map[int]trail.Source{}
		for i, one := range shards {
			sources[one.Identity.Shard.Index] = trail.Source{Folder: folders[i], Digest: one.Findings}
		}
		whole, err := tally.Merge(folders, shards, time.Now())
		if err != nil {
			return err
		}
		var inOrder []trail.Source
		for _, index := range slices.Sorted(maps.Keys(sources)) {
			inOrder = append(inOrder, sources[index])
		}
		return s.leaveSweep(whole, inOrder...)
	}
	return cmd
}

func someFolders(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("merge takes the report folder of each shard, such as: conformance merge shard-* --report-dir whole; none was given")
	}
	return nil
}

func readShards(names []string, into *folder.Folder) ([]*tally.Summary, error) {
	var shards []*tally.Summary
	for _, name := range names {
		one, err := readShard(name, into)
		if err != nil {
			return nil, err
		}
		shards = append(shards, one)
	}
	return shards, nil
}

// readShard reads the summary of a shard from its report folder, which must be another one than that of the whole.
func readShard(name string, into *folder.Folder) (*tally.Summary, error) {
	there, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%w; give the report folder of each shard", err)
	}
	if own, err := os.Stat(into.Dir()); err == nil && os.SameFile(own, there) {
		return nil, fmt.Errorf("%s: is the report folder of the merged sweep too: name another one by --report-dir", name)
	}
	path := filepath.Join(name, tally.SummaryFile)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; give the report folder of each shard", err)
	}
	defer file.Close()
	summary, err := tally.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return summary, nil
}

// mergeReports are the files of a merged sweep. Where they would take the place of a shard's, they are not written.
type mergeReports struct {
	sweepReports
}

func (r mergeReports) unfinished(f *folder.Folder) error {
	if r.overwrites(f.Dir()) {
		return nil
	}
	return r.sweepReports.unfinished(f)
}

func (r mergeReports) failed(f *folder.Folder, why string) error {
	if r.overwrites(f.Dir()) {
		return nil
	}
	return r.sweepReports.failed(f, why)
}

func (r mergeReports) withdraw(dir string) error {
	if r.overwrites(dir) {
		return nil
	}
	return r.sweepReports.withdraw(dir)
}

// overwrites tells whether one of the folders that were given is the report folder too. The arguments may hold any
// fault.
func (r mergeReports) overwrites(dir string) bool {
	own, err := os.Stat(dir)
	for i, argument := range r.args {
		if i > 0 && r.args[i-1] == "--report-dir" {
			continue
		}
		if there, failed := os.Stat(argument); err == nil && failed == nil && os.SameFile(own, there) {
			return true
		}
	}
	return false
}
