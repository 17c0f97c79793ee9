package conformance

import (
	"io"
	"log"
)

// cleanLog makes the standard logger clean its output until restore is called. net/http logs unsolicited data from a
// target unchanged, and has no setting to prevent that.
func cleanLog(clean func(string) string) (restore func()) {
	before := log.Writer()
	log.SetOutput(cleanWriter{before, clean})
	return func() { log.SetOutput(before) }
}

// cleanWriter cleans what it writes. Each call gets one line, as package log guarantees.
type cleanWriter struct {
	io.Writer
	clean func(string) string
}

func (c cleanWriter) Write(line []byte) (int, error) {
	_, err := io.WriteString(c.Writer, c.clean(string(line)))
	return len(line), err
}
