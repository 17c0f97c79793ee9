package recorded

import (
	"errors"
	"os"
)

// State is what a file at the path of a record is.
type State int

// The states. A record without a user counts as none.
const (
	None State = iota
	Unfinished
	Finished
)

// Peek returns the state of a file. The error wraps fs.ErrNotExist if there is none; any other means that it is no
// record.
func Peek(path string) (State, error) {
	file, err := os.Open(path)
	if err != nil {
		return None, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return None, err
	}
	if _, err := readHeader(file); err != nil {
		return None, errors.New("is no record, and is not replaced")
	}
	tail := make([]byte, min(info.Size(), maxFooter))
	if _, err := file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return None, err
	}
	if _, _, found := findFooter(tail); found {
		return Finished, nil
	}
	whole := &shard{file: file, end: info.Size()}
	first, next, err := readMember(whole, 0)
	if err == nil && len(first.lines) == 1 && next == info.Size() {
		return None, nil // only a header
	}
	return Unfinished, nil
}
