package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/sweep/record"
)

func mergeCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   mergeName + " FOLDER…",
		Short: "Join the results of all shards of a sweep into one",
		Long: `merge reads sweep.json and findings.ndjson in the report ` +
			`folder of each shard of a sweep and writes one sweep.json,
sweep.html and differences.csv over all users into another folder. A FOLDER is that of a shard, or one that the
folders of shards are in. It refuses shards that are missing, given twice, unfinished, or of another sweep. Each
shard's findings.ndjson stays where it is.`,
		Args: checkFolders,
	}
	wait := cmd.Flags().Bool("wait", false, "wait until all shards have ended, however long that takes")
	cmd.RunE = func(cmd *cobra.Command, folders []string) error {
		if _, _, err := s.resolve(); err != nil {
			return err
		}
		var waiting func(error)
		if *wait {
			printed := ""
			waiting = func(err error) {
				if text := s.text(err); text != printed {
					fmt.Fprintf(s.stderr, "%s waiting: %s\n", time.Now().UTC().Format(time.RFC3339), text)
					printed = text
				}
			}
		}
		whole, sources, err := record.Merge(cmd.Context(), folders, s.folder.Dir(), waiting)
		if err != nil {
			return err
		}
		err = s.writeSweep(whole, "", sources...)
		if errors.As(err, new(*sanitize.Leak)) { // merge has nothing but what is in them
			return errors.New("the reports of the shards contain a secret that is given to this command: merge them " +
				"without that secret, as merge needs none, and keep the folders to yourself")
		}
		return err
	}
	return cmd
}

func checkFolders(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("merge takes the report folder of each shard, or the folder that they are in, such as: " +
			"conformance merge shards --report-dir whole; none was given")
	}
	return nil
}
