package selftest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"authenticator-conformance/fixtures/hostile"
)

// unreadableFiles lists the faults of the files in the report folder of a process.
func unreadableFiles(r *result) []string {
	files, err := os.ReadDir(r.reports())
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(r.reports(), file.Name()))
		if err == nil {
			err = checkFile(file.Name(), content)
		}
		if err != nil {
			wrong = append(wrong, file.Name()+": "+err.Error())
		}
	}
	return wrong
}

// checkFile checks, by its extension, that a file is well-formed and that nothing in it is active when it is shown.
func checkFile(name string, content []byte) error {
	switch filepath.Ext(name) {
	case ".json":
		return errors.Join(checkJSON(content), checkPrintable(content))
	case ".har": // evidence contains exactly what the target sent
		return checkJSON(content)
	case ".xml":
		return errors.Join(checkXML(content), checkPrintable(content))
	case ".md": // suites/oracles/summary reads it as Markdown
		return checkPrintable(content)
	case ".html":
		return errors.Join(checkHTML(content), checkNoMarkup(string(content)), checkPrintable(content))
	case ".prom":
		return errors.Join(checkMetrics(content), checkPrintable(content))
	}
	return errors.New("checkFile has no case for files with this extension")
}

// metric is a line of OpenMetrics text without escapes in its labels.
var metric = regexp.MustCompile(`^(# (TYPE|UNIT|HELP) conformance_[a-z_]+ .+|conformance_[a-z_]+\{[^{}]*\} [0-9.e+]+|# EOF)$`)

// checkMetrics checks that a file is OpenMetrics text to its end.
func checkMetrics(content []byte) error {
	text, whole := strings.CutSuffix(string(content), "\n")
	if !whole || !strings.HasSuffix(text, "# EOF") {
		return errors.New("no end of metrics")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !metric.MatchString(line) {
			return fmt.Errorf("no line of metrics: %q", line)
		}
	}
	return nil
}

// checkJSON checks that a file is one JSON text.
func checkJSON(content []byte) error {
	if !json.Valid(content) || !utf8.Valid(content) {
		return errors.New("no JSON")
	}
	return nil
}

// checkXML checks that a file is a well-formed document.
func checkXML(content []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// checkHTML checks that a page contains nothing that a target could have inserted: no image, and no attribute that runs
// a script.
func checkHTML(content []byte) error {
	root, err := html.Parse(bytes.NewReader(content))
	if err != nil {
		return err
	}
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.Data == "img" {
			return errors.New("an image")
		}
		for _, attribute := range node.Attr {
			if strings.HasPrefix(attribute.Key, "on") {
				return fmt.Errorf("the attribute %s of %s", attribute.Key, node.Data)
			}
		}
	}
	return nil
}

// checkPrintable checks that a file has no character that affects where it is shown.
func checkPrintable(content []byte) error {
	if list := unprintableParts(string(content)); len(list) > 0 {
		return fmt.Errorf("unescaped %s", list)
	}
	return nil
}

// checkNoMarkup checks that a text contains no element of a hostile target.
func checkNoMarkup(text string) error {
	if strings.Contains(text, hostile.Markup) {
		return fmt.Errorf("unescaped %s", hostile.Markup)
	}
	return nil
}

// forgedLines lists the lines of a stream that a CI server would execute, or that name another verdict than the run's.
func forgedLines(stream, verdict string) []string {
	var list []string
	for line := range strings.Lines(stream) {
		line = strings.TrimSpace(line)
		word, isVerdict := strings.CutPrefix(line, "verdict: ")
		switch {
		case strings.HasPrefix(line, "::"), strings.Contains(line, "##["), strings.Contains(line, "##vso["),
			strings.HasPrefix(line, "##teamcity["), isVerdict && !strings.HasPrefix(word, verdict+" "),
			line == "PASS", strings.HasPrefix(line, "--- PASS"), strings.HasPrefix(line, "ok  "):
			list = append(list, line)
		}
	}
	return list
}
