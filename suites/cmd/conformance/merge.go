package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
)

const mergeName = "merge"

func mergeCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   mergeName + " FOLDER…",
		Short: "Join the results of all shards of a sweep into one",
		Long: `merge reads sweep.json and findings.ndjson in the report folder of each shard of a sweep and writes one sweep.json,
sweep.html and differences.csv over all users into another folder. A FOLDER is that of a shard, or one that the
folders of shards are in. It refuses shards that are missing, given twice, unfinished, or of another sweep. Each
shard's findings.ndjson stays where it is.`,
		Args: checkFolders,
	}
	settings.AddFlags(settings.Merge, cmd.Flags())
	wait := cmd.Flags().Bool("wait", false, "wait until all shards have ended, however long that takes")
	cmd.RunE = func(cmd *cobra.Command, folders []string) error {
		if _, _, err := s.resolve(); err != nil {
			return err
		}
		m, err := s.merge(cmd.Context(), folders, *wait)
		if err != nil {
			return err
		}
		return s.writeSweep(m.whole, "", m.sources...)
	}
	return cmd
}

// mergePause is the pause between two checks whether all shards have ended.
const mergePause = 5 * time.Second

// merged has the joined summary of all shards, and the places of their findings in the order of the shards.
type merged struct {
	whole   *stats.Summary
	sources []checkpoint.Source
}

// merge joins the shards in folders. It waits for shards that are missing or have not ended if wait is set; otherwise
// they are an error.
func (a *app) merge(ctx context.Context, folders []string, wait bool) (merged, error) {
	for reported := ""; ; {
		m, err := engine.Value(ctx, 0, func() (merged, error) { return mergeShards(folders, a.folder) })
		if !wait || !errors.Is(err, stats.ErrNotEnded) {
			return m, err
		}
		if text := err.Error(); text != reported {
			fmt.Fprintf(a.stderr, "%s waiting: %s\n", time.Now().UTC().Format(time.RFC3339),
				a.out.Lines(text))
			reported = text
		}
		select {
		case <-time.After(mergePause):
		case <-ctx.Done():
			return m, context.Cause(ctx)
		}
	}
}

func mergeShards(folders []string, into *folder.Folder) (m merged, err error) {
	names, shards, err := readShards(folders, into)
	if err != nil {
		return m, err
	}
	if m.whole, err = stats.Merge(names, shards, time.Now()); err != nil {
		return m, err
	}
	m.sources = make([]checkpoint.Source, len(shards)) // no shard is missing or there twice
	for i, one := range shards {
		m.sources[one.Identity.Shard.Index-1] = checkpoint.Source{Folder: names[i], Digest: one.Findings}
	}
	return m, nil
}

func checkFolders(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("merge takes the report folder of each shard, or the folder that they are in, such as: " +
			"conformance merge shards --report-dir whole; none was given")
	}
	return nil
}

// mergeReports are the files of a merged sweep. They are not written if they would overwrite those of a shard.
type mergeReports struct {
	sweepReports
}

func (m mergeReports) unfinished(f *folder.Folder) error {
	if m.overwrites(f.Dir()) {
		return nil
	}
	return m.sweepReports.unfinished(f)
}

func (m mergeReports) failed(f *folder.Folder, reason string) error {
	if m.overwrites(f.Dir()) {
		return nil
	}
	return m.sweepReports.failed(f, reason)
}

func (m mergeReports) removeReports(dir string) error {
	if m.overwrites(dir) {
		return nil
	}
	return m.sweepReports.removeReports(dir)
}

// overwrites reports whether the report folder is also one of the arguments, or the folder of a shard in one. The
// arguments may be invalid.
func (m mergeReports) overwrites(dir string) bool {
	own, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for i, argument := range m.args {
		if i > 0 && m.args[i-1] == "--report-dir" {
			continue
		}
		inside, _ := shardsIn(argument, own) // an unreadable folder has no shards
		for _, name := range append(inside, argument) {
			if info, err := os.Stat(name); err == nil && os.SameFile(own, info) {
				return true
			}
		}
	}
	return false
}
