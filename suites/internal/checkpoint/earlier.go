package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/stats"
)

// Earlier describes what an earlier sweep left in a folder.
type Earlier struct {
	Begun    bool  // it checked some user, or its checkpoint is unreadable
	Users    int64 // number of users it checked; 0 if the checkpoint is unreadable
	Finished bool  // sweep.json is its complete report
}

// Unfinished reports whether starting another sweep in the folder would lose work.
func (l Earlier) Unfinished() bool { return l.Begun && !l.Finished }

// Peek reads the state of an earlier sweep, decoding only the members it needs because a report can be large. A
// checkpoint with no users counts as none: a sweep that was refused at its beginning is simply started again.
func Peek(folder string) Earlier {
	if !Begun(folder) {
		return Earlier{}
	}
	var checkpoint struct {
		Sweep string
		Tally struct{ Users int64 }
	}
	if !readable(folder, CheckpointFile, &checkpoint) {
		return Earlier{Begun: true}
	}
	var report struct {
		Sweep    string
		Complete bool
	}
	ended := readable(folder, stats.SummaryFile, &report) && report.Complete && report.Sweep == checkpoint.Sweep
	return Earlier{Begun: ended || checkpoint.Tally.Users > 0, Users: checkpoint.Tally.Users, Finished: ended}
}

func readable(folder, name string, into any) bool {
	content, err := os.ReadFile(filepath.Join(folder, name))
	return err == nil && json.Unmarshal(content, into) == nil
}
