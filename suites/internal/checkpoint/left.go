package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"

	"authenticator-conformance/suites/internal/stats"
)

// Left is what an earlier sweep left in a folder.
type Left struct {
	Begun    bool  // it looked at somebody, or has a checkpoint that can't be read
	Users    int64 // that it looked at; 0 if the checkpoint can't be read
	Finished bool  // sweep.json is the report of its end
}

// Unfinished reports whether work would be lost if another sweep began in the folder.
func (l Left) Unfinished() bool { return l.Begun && !l.Finished }

// Look reads what an earlier sweep left, and no more of it than it needs: a report can be large. A checkpoint of nobody
// counts as none, as a sweep that was refused at its beginning is simply started again.
func Look(folder string) Left {
	if !Begun(folder) {
		return Left{}
	}
	var checkpoint struct {
		Sweep string
		Tally struct{ Users int64 }
	}
	if !readable(folder, CheckpointFile, &checkpoint) {
		return Left{Begun: true}
	}
	var report struct {
		Sweep    string
		Complete bool
	}
	ended := readable(folder, stats.SummaryFile, &report) && report.Complete && report.Sweep == checkpoint.Sweep
	return Left{Begun: ended || checkpoint.Tally.Users > 0, Users: checkpoint.Tally.Users, Finished: ended}
}

func readable(folder, name string, into any) bool {
	content, err := os.ReadFile(filepath.Join(folder, name))
	return err == nil && json.Unmarshal(content, into) == nil
}
