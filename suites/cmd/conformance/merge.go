package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
)

const mergeName = "merge"

func mergeCommand(s *surroundings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   mergeName + " FOLDER…",
		Short: "Join the results of all shards of a sweep into one",
		Long: "merge reads sweep.json in the report folder of each shard of a sweep and writes one sweep.json and sweep.html over all\n" +
			"users into another folder. It refuses shards that are missing, given twice, unfinished, or of another sweep. The\n" +
			"findings stay where they are: each shard's findings.ndjson is as good as joined.",
		Args: cobra.MinimumNArgs(1),
	}
	settings.AddMergeFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, folders []string) error {
		if err := settings.CheckMerge(cmd.Flags(), s.environ); err != nil {
			return err
		}
		var shards []*tally.Summary
		for _, name := range folders {
			one, err := readShard(name, s.folder)
			if err != nil {
				return err
			}
			shards = append(shards, one)
		}
		whole, err := tally.Merge(folders, shards, time.Now())
		if err != nil {
			return err
		}
		return s.leaveSweep(whole)
	}
	return cmd
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
	if r.overwrites(f) {
		return nil
	}
	return r.sweepReports.unfinished(f)
}

func (r mergeReports) failed(f *folder.Folder, why string) error {
	if r.overwrites(f) {
		return nil
	}
	return r.sweepReports.failed(f, why)
}

// overwrites tells whether one of the folders that were given is the report folder too. The arguments may hold any fault.
func (r mergeReports) overwrites(f *folder.Folder) bool {
	own, err := os.Stat(f.Dir())
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
