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
	"strings"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"authenticator-conformance/fixtures/hostile"
)

// unreadable lists what is wrong with the files that a process left behind.
func unreadable(o *outcome) []string {
	files, err := os.ReadDir(o.reports())
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(o.reports(), file.Name()))
		if err == nil {
			err = readable(file.Name(), content)
		}
		if err != nil {
			wrong = append(wrong, file.Name()+": "+err.Error())
		}
	}
	return wrong
}

// readable tells what is wrong with a file, by its extension. A file of another kind needs a case of its own here.
func readable(name string, content []byte) error {
	switch filepath.Ext(name) {
	case ".json":
		return errors.Join(readableJSON(content), printable(content))
	case ".har": // evidence is what the target sent, to the letter
		return readableJSON(content)
	case ".xml":
		return errors.Join(readableXML(content), printable(content))
	case ".md":
		return errors.Join(free(outsideCode(string(content))), printable(content))
	case ".html":
		return errors.Join(readableHTML(content), free(string(content)), printable(content))
	}
	return errors.New("nothing is known of files with this extension: say in readable what it takes to read one")
}

// readableJSON wants one JSON text.
func readableJSON(content []byte) error {
	if !json.Valid(content) || !utf8.Valid(content) {
		return errors.New("no JSON")
	}
	return nil
}

// readableXML wants one well-formed document.
func readableXML(content []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// readableHTML wants a page without what a target could have put into it: an image, or an attribute that runs a script. To
// a browser every text is a page.
func readableHTML(content []byte) error {
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

// printable wants characters that are only shown, on whatever the file is looked at.
func printable(content []byte) error {
	if list := odd(string(content)); len(list) > 0 {
		return fmt.Errorf("unescaped %s", list)
	}
	return nil
}

// free wants a file without elements of the target's.
func free(text string) error {
	if strings.Contains(text, hostile.Markup) {
		return fmt.Errorf("unescaped %s", hostile.Markup)
	}
	return nil
}

// outsideCode is a Markdown text without its blocks and spans of code, in which everything is literal. A span ends in its
// line here, although Markdown lets it go on in the next one.
func outsideCode(text string) string {
	var b strings.Builder
	fence := "" // of the block that is open
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		run := backticks(trimmed)
		switch {
		case fence != "":
			if len(run) >= len(fence) && run == trimmed {
				fence = ""
			}
		case len(run) >= 3 && !strings.Contains(trimmed[len(run):], "`"):
			fence = run
		default:
			b.WriteString(outsideSpans(line))
		}
	}
	return b.String()
}

// outsideSpans is a line of Markdown without its spans of code: each begins and ends with as many backticks.
func outsideSpans(line string) string {
	var b strings.Builder
	for line != "" {
		before, _, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			break
		}
		line = line[len(before):]
		mark := backticks(line)
		line = line[len(mark):]
		for rest := line; rest != ""; {
			at := strings.Index(rest, mark)
			if at < 0 {
				break // nothing ends it, so it is no span
			}
			end := backticks(rest[at:])
			rest = rest[at+len(end):]
			if end == mark {
				line = rest
				break
			}
		}
	}
	return b.String()
}

// backticks is the run of them with which a text begins.
func backticks(text string) string { return text[:len(text)-len(strings.TrimLeft(text, "`"))] }

// forged lists the lines of a stream that a log of CI would obey, or that say something else than the run's verdict.
func forged(stream, verdict string) []string {
	var list []string
	for line := range strings.Lines(stream) {
		line = strings.TrimSpace(line)
		word, isVerdict := strings.CutPrefix(line, "verdict: ")
		switch {
		case strings.HasPrefix(line, "::"), strings.Contains(line, "##["), strings.Contains(line, "##vso["), strings.HasPrefix(line, "##teamcity["),
			isVerdict && !strings.HasPrefix(word, verdict+" "), line == "PASS", strings.HasPrefix(line, "--- PASS"), strings.HasPrefix(line, "ok  "):
			list = append(list, line)
		}
	}
	return list
}

// fileSpecs show that these checks find what they look for, and nothing else.
func fileSpecs() {
	DescribeTable("A file that a run leaves is read as what it is", Label(proof), func(name, content string, right bool) {
		if err := readable(name, []byte(content)); right {
			Expect(err).NotTo(HaveOccurred())
		} else {
			Expect(err).To(HaveOccurred())
		}
	},
		Entry(nil, "a.json", `{"a": "\u202e <img src=x>"}`, true),
		Entry(nil, "a.json", `{"a": 1} {}`, false),
		Entry(nil, "a.json", "{\"a\": \"\u202e\"}", false),
		Entry(nil, "a.har", "{\"a\": \"\u202e\"}", true),
		Entry(nil, "a.har", "{\"a\": \"\x9b\"}", false),
		Entry(nil, "a.har", `{"a": `, false),
		Entry(nil, "a.xml", `<a b="&lt;img src=x">]]&gt;</a>`, true),
		Entry(nil, "a.xml", `<a><b></a>`, false),
		Entry(nil, "a.xml", "<a>\x1b</a>", false),
		Entry(nil, "a.xml", "<a>\u009b</a>", false),
		Entry(nil, "a.md", `# verdict: pass &lt;img src=x onerror=`, true),
		Entry(nil, "a.md", "a "+hostile.Markup+"alert(1)>", false),
		Entry(nil, "a.md", "a `` `"+hostile.Markup+"1> `` b", true),
		Entry(nil, "a.md", "a `` b ` "+hostile.Markup+"1>", false),
		Entry(nil, "a.md", "a ` b ` "+hostile.Markup+"1> ` c `", false),
		Entry(nil, "a.md", "```json\n"+hostile.Markup+"\n```\n", true),
		Entry(nil, "a.md", "````\n```\n````\n"+hostile.Markup, false),
		Entry(nil, "a.md", "a\rb", false),
		Entry(nil, "a.html", `<!doctype html><p title="&lt;img src=x onerror=">on</p>`, true),
		Entry(nil, "a.html", `<!doctype html><p onclick="x()">`, false),
		Entry(nil, "a.html", `<!doctype html><IMG alt="">`, false),
		Entry(nil, "a.html", `<!doctype html><textarea>`+hostile.Markup+`</textarea>`, false),
		Entry(nil, "a.html", "<!doctype html>\u2066", false),
		Entry(nil, "a.txt", "a", false),
	)

	DescribeTable("A line that is not the suite's own is found", Label(proof), func(line string, found bool) {
		list := forged("verdict: fail (complete)\n"+line+"\n", "fail")
		if found {
			Expect(list).To(HaveLen(1))
		} else {
			Expect(list).To(BeEmpty())
		}
	},
		Entry(nil, "verdict: pass (complete), 1 requests", true),
		Entry(nil, "  ::error::x", true),
		Entry(nil, "a ##[error]x", true),
		Entry(nil, "a ##vso[task.complete]x", true),
		Entry(nil, "##teamcity[x]", true),
		Entry(nil, "PASS", true),
		Entry(nil, "--- PASS: TestX", true),
		Entry(nil, "ok  \tx", true),
		Entry(nil, "actual  \"::error::x\" and PASS", false),
		Entry(nil, "v5 PASSED", false),
		Entry(nil, "2.1/Id: verdict: pass", false),
	)
}
