package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/stats"
)

// readShards reads the summaries of the shards in folders, and says where it found each.
func readShards(folders []string, into *folder.Folder) (names []string, shards []*stats.Summary, err error) {
	own, _ := os.Stat(into.Dir()) // if it is gone, no folder is the same
	for _, name := range folders {
		inside, err := shardsIn(name, own)
		if err != nil {
			return nil, nil, fmt.Errorf("%w; give the report folder of each shard, or the folder that they are in", err)
		}
		names = append(names, inside...)
	}
	for _, name := range names {
		one, err := readShard(name, own)
		if err != nil {
			return nil, nil, err
		}
		shards = append(shards, one)
	}
	return names, shards, nil
}

// shardsIn are the report folders of shards in a folder; the folder itself, if it is one or holds none. The folder own,
// of the merged sweep, is none of them, unless a sweep wrote its findings there.
func shardsIn(dir string, own fs.FileInfo) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if stands(dir, stats.SummaryFile) {
		return []string{dir}, nil
	}
	var list []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		there, err := os.Stat(path)
		if err != nil || !there.IsDir() || entry.Name() == "lost+found" { // which only root can read
			continue
		}
		if stands(path, stats.FindingsFile) || stands(path, stats.SummaryFile) && !os.SameFile(own, there) {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return []string{dir}, nil
	}
	return list, nil
}

// stands reports whether there is a file in a folder, be it one that can't be read.
func stands(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// readShard reads the summary of a shard from its report folder, which must be another one than that of the whole.
func readShard(name string, own fs.FileInfo) (*stats.Summary, error) {
	there, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%w; give the report folder of each shard", err)
	}
	if os.SameFile(own, there) {
		return nil, fmt.Errorf("%s: is the report folder of the merged sweep too: name another one by --report-dir", name)
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
