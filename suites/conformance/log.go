package conformance

import (
	"io"
	"log"

	"authenticator-conformance/suites/internal/sanitize"
)

// cleanLog makes the standard logger redact its output until restore is called. net/http logs unsolicited data from a
// target unchanged, and has no setting to prevent that.
func cleanLog(secrets *sanitize.Secrets) (restore func()) {
	before := log.Writer()
	log.SetOutput(cleanWriter{before, secrets})
	return func() { log.SetOutput(before) }
}

// cleanWriter redacts what it writes. Each call gets one line, as package log guarantees.
type cleanWriter struct {
	io.Writer
	secrets *sanitize.Secrets
}

func (c cleanWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, sanitize.PrintableLines(c.secrets.Clean(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}
