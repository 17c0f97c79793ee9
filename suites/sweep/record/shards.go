package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"authenticator-conformance/suites/internal/ask/bounded"
	"authenticator-conformance/suites/internal/report/stats"
)

// mergePause is the pause between two checks whether all shards have ended.
const mergePause = 5 * time.Second

// Merge joins the shards in folders, for the merged sweep's own folder. It returns the whole, and the places of its
// findings in the order of the shards. Shards that are missing or have not ended are an error; if waiting is not nil it
// is called with that, and Merge waits for them.
func Merge(ctx context.Context, folders []string, into string, waiting func(error)) (whole *stats.Summary,
	sources []Source, err error) {
	for {
		err = bounded.Within(ctx, 0, func() (err error) {
			whole, sources, err = merge(folders, into)
			return err
		})
		if waiting == nil || !errors.Is(err, stats.ErrNotEnded) {
			return whole, sources, err
		}
		waiting(err)
		select {
		case <-time.After(mergePause):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// merge joins the shards as they are now. Beside shards, what is merged already is left out.
func merge(folders []string, into string) (*stats.Summary, []Source, error) {
	own, _ := os.Stat(into) // if it was removed, no folder equals it
	var names, notes []string
	var shards []*stats.Summary
	for _, folder := range folders {
		inside, err := shardsIn(folder, own)
		if err != nil {
			return nil, nil, fmt.Errorf("%w; give the report folder of each shard, or the folder that they are in", err)
		}
		for _, name := range inside {
			one, err := readShard(name, own)
			switch {
			case err != nil:
				return nil, nil, err
			case one.Merged() && name != folder:
				notes = append(notes, name+" was left out: it is merged already")
			default:
				names, shards = append(names, name), append(shards, one)
			}
		}
	}
	whole, err := stats.Merge(names, shards, time.Now())
	if err != nil {
		return nil, nil, err
	}
	whole.Notes = append(whole.Notes, notes...)
	sources := make([]Source, len(shards)) // no shard is missing or there twice
	for i, one := range shards {
		sources[one.Identity.Shard.Index-1] = Source{names[i], one.Findings, one.Identity.Shard}
	}
	return whole, sources, nil
}

// HasShard reports whether a folder is own, that of the merged sweep, or own is the folder of a shard in it. The folder
// may be invalid.
func HasShard(folder string, own fs.FileInfo) bool {
	inside, _ := shardsIn(folder, own) // an unreadable folder has no shards
	for _, name := range append(inside, folder) {
		if info, err := os.Stat(name); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// shardsIn returns the report folders of shards in a folder. If the folder is one itself, or has none, it returns the
// folder. It skips own, the folder of the merged sweep, unless a sweep wrote its findings there.
func shardsIn(dir string, own fs.FileInfo) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if isFile(dir, stats.SummaryFile) {
		return []string{dir}, nil
	}
	var list []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || entry.Name() == "lost+found" { // only root can read lost+found
			continue
		}
		if isFile(path, stats.FindingsFile) || isFile(path, stats.SummaryFile) && !os.SameFile(own, info) {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return []string{dir}, nil
	}
	return list, nil
}

// isFile reports whether a folder has a file of this name, readable or not.
func isFile(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// readShard returns the summary of a shard from its report folder. It is an error if that is the folder of the merged
// sweep.
func readShard(name string, own fs.FileInfo) (*stats.Summary, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%w; give the report folder of each shard", err)
	}
	if os.SameFile(own, info) {
		return nil, fmt.Errorf("%s: is the report folder of the merged sweep too: name another one by --report-dir",
			name)
	}
	path := filepath.Join(name, stats.SummaryFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w; give the report folder of each shard, or the folder that they are in",
			stats.ErrNotEnded, err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	summary, err := stats.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return summary, nil
}
