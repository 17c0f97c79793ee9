package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/history"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/wording"
)

func historyCommand(s *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history FOLDER...",
		Short: "Show the states of each requirement over any number of reports",
		Long: `history reads report folders, or files report.json and sweep.json, in any order and of any release of this format,
and writes history.html and history.json into the report folder: each requirement's states over time, since when it
fails, when it last passed, how often it changed, and the certificates with their end. Reports of another contract or
of other users than the newest are told apart.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("history takes report folders, such as: conformance history reports/*; none was given")
			}
			return nil
		},
	}
	settings.AddFlags(settings.History, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := settings.Read(settings.History, cmd.Flags(), s.args, s.environ).ReportDir()
		h, err := engine.Value(cmd.Context(), 0, func() (*history.History, error) { return history.Read(args) })
		if err != nil {
			return err
		}
		into, err := folder.Open(dir)
		if err != nil {
			return err
		}
		defer into.Close()
		err = into.Put(nil,
			folder.File{Name: history.PageFile, Write: func(w io.Writer) error { return h.WritePage(w, time.Now()) }},
			folder.File{Name: history.JSONFile, Write: h.WriteJSON})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "%s and %s of %s are in %s\n", history.PageFile, history.JSONFile,
			wording.Count(len(h.Reports), "report"), dir)
		return s.stdout.Err()
	}
	return cmd
}
