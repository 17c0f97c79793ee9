package metrics

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize/atomicfile"
)

const eof = "# EOF\n"

// common are the labels that every sample has.
var common = regexp.MustCompile(`(?m)^conformance_[a-z_]+\{` +
	`(command="([a-z]+)",target="((?:[^"\\]|\\.)*)",subject="(?:[^"\\]|\\.)*")`)

// Carry returns metrics with what survives of the file of the same command that they replace. That is the last
// certificate, if these metrics are of a run that does not certify. It is also target and subject, if the run failed
// before they were known: an alert is about the same series then.
func Carry(metrics, earlier []byte) []byte {
	if CommandOf(metrics) != CommandOf(earlier) {
		return metrics
	}
	now, was := common.FindSubmatch(metrics), common.FindSubmatch(earlier)
	if now != nil && was != nil && len(now[3]) == 0 {
		metrics = bytes.ReplaceAll(metrics, now[1], was[1])
	}
	if bytes.Contains(metrics, []byte("\nconformance_"+certified)) {
		return metrics
	}
	var kept strings.Builder
	for line := range strings.Lines(string(earlier)) {
		if strings.Contains(line, "conformance_"+certified) || strings.Contains(line, "conformance_"+validUntil) {
			kept.WriteString(line)
		}
	}
	return append(bytes.TrimSuffix(metrics, []byte(eof)), kept.String()+eof...)
}

// CommandOf returns the command that wrote metrics, or "".
func CommandOf(metrics []byte) string {
	if found := common.FindSubmatch(metrics); found != nil {
		return string(found[2])
	}
	return ""
}

// Flag is the flag that names a file to publish metrics at.
const Flag = "--metrics-file"

// CheckPlace returns an error if metrics can't be published at a path, or would replace another file than metrics, or
// those of another command and may not.
func CheckPlace(path, command string, replace bool) error {
	if path == "" {
		return nil
	}
	by := ""
	err := report.CheckPlace(Flag, path, "metrics file of conformance", func(content []byte) bool {
		by = CommandOf(content)
		return by != ""
	})
	if err == nil && by != "" && by != command && !replace {
		err = fmt.Errorf("%s: %s has the metrics of conformance %s, which would be lost: name another file, or "+
			"replace it with --replace", Flag, path, by)
	}
	return err
}

// Publish writes metrics to a place that everybody may read, such as the folder of a collector.
func Publish(metrics []byte, path string) error {
	err := atomicfile.Write(path, Carry(metrics, ReadRegular(path)), mode)
	if err == nil {
		err = os.Chmod(path, mode) // whatever the umask is: a collector is another user
	}
	if err != nil {
		return fmt.Errorf("%s: %w", Flag, err)
	}
	return nil
}

// mode lets everybody read metrics, which have no users in them.
const mode = 0o644

// ReadRegular returns the content of a file, or nothing for a pipe, a device or a file that can't be read.
func ReadRegular(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	content, _ := os.ReadFile(path)
	return content
}
