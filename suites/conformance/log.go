package conformance

import (
	"io"
	"log"

	"authenticator-conformance/suites/internal/redact"
)

// cleanLog has the standard logger clean what it writes until the function is called. net/http prints there what a
// target sends without being asked, as it is, and has no setting for it.
func cleanLog(secrets *redact.Secrets) (restore func()) {
	before := log.Writer()
	log.SetOutput(cleanWriter{before, secrets})
	return func() { log.SetOutput(before) }
}

// cleanWriter takes one line with each call, as package log gives it.
type cleanWriter struct {
	io.Writer
	secrets *redact.Secrets
}

func (w cleanWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, redact.PrintableLines(w.secrets.Clean(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}
