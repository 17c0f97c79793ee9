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
		whole, sources, err := s.merge(cmd.Context(), folders, *wait)
		if err != nil {
			return err
		}
		return s.writeSweep(whole, "", sources...)
	}
	return cmd
}

// mergePause is the pause between two checks whether all shards have ended.
const mergePause = 5 * time.Second

// merge joins the shards in folders. It waits for shards that are missing or have not ended if wait is set; otherwise
// they are an error.
func (a *app) merge(ctx context.Context, folders []string, wait bool) (whole *stats.Summary, sources []checkpoint.Source,
	err error) {
	for reported := ""; ; {
		err = engine.Within(ctx, 0, func() (err error) {
			whole, sources, err = checkpoint.Merge(folders, a.folder.Dir(), time.Now())
			return err
		})
		if !wait || !errors.Is(err, stats.ErrNotEnded) {
			return whole, sources, err
		}
		if text := err.Error(); text != reported {
			fmt.Fprintf(a.stderr, "%s waiting: %s\n", time.Now().UTC().Format(time.RFC3339),
				a.out.Lines(text))
			reported = text
		}
		select {
		case <-time.After(mergePause):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
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

func (m mergeReports) Unfinished(f *folder.Folder) error {
	if m.overwrites(f.Dir()) {
		return nil
	}
	return m.sweepReports.Unfinished(f)
}

func (m mergeReports) Failed(f *folder.Folder, reason string) error {
	if m.overwrites(f.Dir()) {
		return nil
	}
	return m.sweepReports.Failed(f, reason)
}

func (m mergeReports) Remove(dir string) error {
	if m.overwrites(dir) {
		return nil
	}
	return m.sweepReports.Remove(dir)
}

// overwrites reports whether the report folder is also one of the arguments, or the folder of a shard in one. The
// arguments may be invalid.
func (m mergeReports) overwrites(dir string) bool {
	own, err := os.Stat(dir)
	for i, argument := range m.args {
		if err == nil && (i == 0 || m.args[i-1] != "--report-dir") && checkpoint.HasShard(argument, own) {
			return true
		}
	}
	return false
}
