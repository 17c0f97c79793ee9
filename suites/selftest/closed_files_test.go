package selftest_test

import (
	"fmt"
	"slices"
	"strings"
)

// fileSlips are faults of a configuration file, which the message names with its line.
func fileSlips() []slip {
	var list []slip
	for _, f := range []struct {
		name, content string
		says          []string
	}{
		{"an unknown member", "concurrency: 2\ntargt:\n  url: x\n", []string{"c.yaml:2", "targt", "target"}},
		{"an unknown member of a group", "target:\n  url: http://127.0.0.1:1\n  usr: x\n", []string{"c.yaml:3", "target.usr"}},
		{"a member in another case", "Concurrency: 2\n", []string{"c.yaml:1", "Concurrency"}},
		{"a dotted name", "target.url: http://127.0.0.1:1\n", []string{"c.yaml:1", "target.url"}},
		{"a token in the file", "target:\n  accessToken: secret-in-the-file\n", []string{"c.yaml:2", "target.accessToken", "accessTokenFile"}},
		{"a doubled member", "rate: 1\nrate: 2\n", []string{"c.yaml:2", "rate"}},
		{"a doubled group", "target:\n  url: http://127.0.0.1:1\ntarget:\n  url: http://127.0.0.1:2\n", []string{"c.yaml:3", "target"}},
		{"a list for a group", "target: [x]\n", []string{"c.yaml:1", "target"}},
		{"a list for a value", "rate: [1]\n", []string{"c.yaml:1", "rate"}},
		{"a text for a number", "concurrency: many\n", []string{"c.yaml:1", "concurrency"}},
		{"a number for a duration", "timeout: 10\n", []string{"c.yaml:1", "timeout", "10s"}},
		{"a boolean for a text", "divergence: yes\n", []string{"c.yaml:1", "divergence"}},
		{"null for a URL", "target:\n  url:\n", []string{"c.yaml:2", "target.url"}},
		{"an empty URL", "target:\n  url: ''\n", []string{"c.yaml:2", "target.url"}},
		{"no YAML", "target: {url: x\n", []string{"c.yaml:"}},
		{"a tab for a space", "target:\n\turl: x\n", []string{"c.yaml:2"}},
		{"two documents", "rate: 1\n---\nrate: 2\n", []string{"c.yaml:"}},
		{"nothing", "# later\n", []string{"c.yaml"}},
		{"a text", "run\n", []string{"c.yaml:1"}},
		{"an unknown version", "versions: [v5, v7]\n", []string{"c.yaml:1", "versions", "v7"}},
		{"a header of the suite's own", "target:\n  headers:\n    User-Agent: me\n", []string{"c.yaml:3", "User-Agent"}},
		{"a header that is no name", "target:\n  headers:\n    'X Y': me\n", []string{"c.yaml:3"}},
		{"a header of two lines", "target:\n  headers:\n    X-Tenant: \"a\\nb\"\n", []string{"c.yaml:3", "X-Tenant"}},
		{"a waiver of an unknown requirement", waiver("requirement: 2.1/CreatedOm"), []string{"c.yaml:2", "2.1/CreatedOm", "2.1/CreatedOn"}},
		{"a waiver of an open point", waiver("requirement: open/8/latency"), []string{"c.yaml:2", "open/8/latency"}},
		{"a waiver of what is excluded", waiver("requirement: excluded/6/events"), []string{"c.yaml:2", "excluded/6/events"}},
		{"a waiver with an unknown member", waiver("requirement: 2.1/Id\n  versions: v5"), []string{"c.yaml:3", "versions", "version"}},
		{"a waiver of an unknown version", waiver("requirement: 2.1/Id\n  version: v4"), []string{"c.yaml:3", "v4"}},
		{"a waiver of a pass", waiver("requirement: 2.1/Id\n  verdict: pass"), []string{"c.yaml:3", "pass"}},
		{"a waiver without a reason", "waivers:\n- requirement: 2.1/Id\n  until: 2037-01-31\n", []string{"c.yaml:2", "reason"}},
		{"a waiver without an end", "waivers:\n- requirement: 2.1/Id\n  reason: later\n", []string{"c.yaml:2", "until"}},
		{"a waiver until no day", "waivers:\n- requirement: 2.1/Id\n  reason: later\n  until: 2037-02-30\n", []string{"c.yaml:4", "until"}},
		{"the same waiver twice", waiver("requirement: 2.1/Id") + strings.TrimPrefix(waiver("requirement: 2.1/Id"), "waivers:\n"), []string{"c.yaml:5", "2.1/Id"}},
		{"an ignored place that is no pointer", "parity:\n  ignore:\n  - pointer: Device.Comment\n    reason: free text\n", []string{"c.yaml:3", "Device.Comment"}},
		{"the whole answer ignored", "parity:\n  ignore:\n  - pointer: ''\n    reason: all\n", []string{"c.yaml:3", "pointer"}},
		{"an ignored place without a reason", "parity:\n  ignore:\n  - pointer: /Flags\n", []string{"c.yaml:3", "reason"}},
	} {
		list = append(list, slip{name: "a configuration file with " + f.name, args: full("--config", "c.yaml"), env: credentials(),
			files: map[string]string{"c.yaml": f.content}, says: f.says})
	}
	return append(list, slip{name: "a configuration file that a variable names", args: full(), env: append(credentials(), "AUTHN_CONFIG=c.yaml"),
		files: map[string]string{"c.yaml": "conc: 1\n"}, says: []string{"c.yaml:1", "conc"}})
}

// waiver is a configuration file of one waiver, whose first line is given.
func waiver(members string) string {
	return "waivers:\n- " + members + "\n  reason: to be mended\n  until: 2037-01-31\n"
}

// usersSlips are faults of a users file of each form.
func usersSlips() []slip {
	const id = "fbc1af89-7d69-4938-84f7-18fd250c67f3"
	yaml := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	var list []slip
	for _, f := range []struct {
		name, file, content string
		says                []string
	}{
		{"of an unknown form", "u.txt", id + ",10021\n", []string{"u.txt", ".csv"}},
		{"without an extension", "users", id + ",10021\n", []string{"users", ".csv"}},
		{"that is empty", "u.yaml", "", []string{"u.yaml"}},
		{"that is empty", "u.json", "", []string{"u.json"}},
		{"that is empty", "u.ndjson", "", []string{"u.ndjson"}},
		{"that is empty", "u.csv", "", []string{"u.csv", "id,userId"}},
		{"of an empty list", "u.yaml", "[]\n", []string{"u.yaml"}},
		{"of an empty list", "u.json", "[]", []string{"u.json"}},
		{"of a header line only", "u.csv", "id,userId\n", []string{"u.csv"}},
		{"of blank lines", "u.jsonl", "\n\n", []string{"u.jsonl"}},
		{"without a userId", "u.yaml", yaml("- id: "+id, "  userId: a", "- id: "+id), []string{"u.yaml:3", "userId"}},
		{"without an id", "u.json", "[{\n\"userId\":\"a\"}]", []string{"u.json:1", `"id"`}},
		{"with an empty userId", "u.yaml", yaml("- id: "+id, "  userId: ''"), []string{"u.yaml:2", "userId"}},
		{"with an unknown member", "u.yaml", yaml("- id: "+id, "  userId: a", "  enroled: false"), []string{"u.yaml:3", "enroled", "enrolled"}},
		{"with a member in another case", "u.json", `[{"Id":"` + id + `","userId":"a"}]`, []string{"u.json:1", `"Id"`}},
		{"with a doubled member", "u.json", "[{\"id\":\"" + id + "\",\n\"userId\":\"a\",\"userId\":\"b\"}]", []string{"u.json:2", "userId"}},
		{"with a doubled member", "u.yaml", yaml("- id: "+id, "  userId: a", "  userId: b"), []string{"u.yaml:3", "userId"}},
		{"with junk after the list", "u.json", `[{"id":"` + id + `","userId":"a"}] x`, []string{"u.json:1"}},
		{"with a comma too many", "u.json", `[{"id":"` + id + `","userId":"a"},]`, []string{"u.json:1"}},
		{"of YAML by the name of JSON", "u.json", yaml("- id: "+id, "  userId: a"), []string{"u.json:1"}},
		{"that is no list", "u.json", `{"id":"` + id + `","userId":"a"}`, []string{"u.json:1"}},
		{"that is no list", "u.yaml", yaml("id: "+id, "userId: a"), []string{"u.yaml:1"}},
		{"of texts", "u.yaml", yaml("- " + id), []string{"u.yaml:1"}},
		{"with an id that is no GUID", "u.yaml", yaml("- id: 10021", "  userId: a"), []string{"u.yaml:1", `"id"`}},
		{"with an id in braces", "u.csv", "id,userId\n{" + id + "},a\n", []string{"u.csv:2", `"id"`}},
		{"with a number for a userId", "u.yaml", yaml("- id: "+id, "  userId: 10021"), []string{"u.yaml:2", "userId", "quotes"}},
		{"with a number for a userId", "u.ndjson", `{"id":"` + id + `","userId":10021}`, []string{"u.ndjson:1", "userId"}},
		{"with null for a userId", "u.json", `[{"id":"` + id + `","userId":null}]`, []string{"u.json:1", "userId"}},
		{"with a word for enrolled", "u.csv", "id,userId,enrolled\n" + id + ",a,yes\n", []string{"u.csv:2", "enrolled"}},
		{"with a text for enrolled", "u.json", `[{"id":"` + id + `","userId":"a","enrolled":"false"}]`, []string{"u.json:1", "enrolled"}},
		{"with the same user twice", "u.csv", "id,userId\n" + id + ",a\n" + id + ",b\n" + strings.ToUpper(id) + ",a\n", []string{"u.csv:4", "line 2"}},
		{"where nobody is enrolled", "u.csv", "id,userId,enrolled\n" + id + ",a,false\n", []string{"u.csv", "enrolled"}},
		{"without a header line", "u.csv", id + ",a\n", []string{"u.csv:1", "id,userId"}},
		{"with an unknown column", "u.csv", "id,userId,mail\n" + id + ",a,b\n", []string{"u.csv:1", "mail"}},
		{"with a doubled column", "u.csv", "id,userId,id\n" + id + ",a," + id + "\n", []string{"u.csv:1", `"id"`}},
		{"with a column too few", "u.csv", "id\n" + id + "\n", []string{"u.csv:1", "userId"}},
		{"with a field too many", "u.csv", "id,userId\n" + id + ",a,b\n", []string{"u.csv:2"}},
		{"with semicolons", "u.csv", "id;userId\n" + id + ";a\n", []string{"u.csv:1"}},
		{"with a quote that does not end", "u.csv", "id,userId\n" + id + ",\"a\n", []string{"u.csv:"}},
		{"with a broken line", "u.ndjson", `{"id":"` + id + `","userId":"a"}` + "\n\n{\"id\":\n", []string{"u.ndjson:3"}},
		{"with two objects to a line", "u.ndjson", `{"id":"` + id + `","userId":"a"}{"id":"` + id + `","userId":"b"}`, []string{"u.ndjson:1"}},
		{"that is no YAML", "u.yaml", "- id: [\n", []string{"u.yaml:"}},
		{"of two documents", "u.yaml", yaml("- id: "+id, "  userId: a", "---", "- id: "+id, "  userId: b"), []string{"u.yaml:"}},
		{"that is no text", "u.json", "\x00\x01\xff", []string{"u.json:1"}},
		{"in UTF-16", "u.csv", "\xff\xfei\x00d\x00", []string{"u.csv"}},
	} {
		list = append(list, slip{name: fmt.Sprintf("a users file %s: %s", f.name, f.file), args: []string{"--target-url", "{target}", "--users", f.file}, env: credentials(),
			files: map[string]string{f.file: f.content}, says: slices.Concat([]string{"--users"}, f.says)})
	}
	return append(list,
		slip{name: "a users file that is missing", args: []string{"--target-url", "{target}", "--users", "u.yaml"}, env: credentials(), says: []string{"--users", "u.yaml"}},
		slip{name: "a users file that is a folder", args: []string{"--target-url", "{target}", "--users", "u.yaml"}, env: credentials(), files: map[string]string{"u.yaml/x": ""}, says: []string{"--users", "u.yaml"}},
		slip{name: "a users file for the embedded reference", args: []string{"--users", "u.csv"}, files: map[string]string{"u.csv": "id,userId\nx,y\n"}, says: []string{"--users", "u.csv:2"}})
}

// filterSlips select nothing, or not what was meant.
func filterSlips() []slip {
	var list []slip
	for _, filter := range []string{"(", "v5 &&", "read ||", "/(/", "!auth-failur", "auth_failure", "v5 && !negativ", "/^nothing$/", "v7", "v5 && v6", "!v5 && !v6 && !v5=v6", "excluded"} {
		list = append(list,
			slip{name: "the label filter " + filter, args: full("--label-filter", filter), env: credentials(), says: []string{"--label-filter"}})
	}
	for _, focus := range []string{"(", "*", "2.1/CreatedOm", "v5 2.1/Id and no more", "[[:nothing:]]"} {
		list = append(list, slip{name: "the focus " + focus, args: full("--focus", focus), env: credentials(), says: []string{"--focus"}})
	}
	return append(list,
		slip{name: "a focus and a filter that leave nothing", args: full("--label-filter", "v5", "--focus", "^.* v6 "), env: credentials(), says: []string{"--label-filter", "--focus"}},
		slip{name: "a filter of a version that is not tested", args: full("--versions", "v5", "--label-filter", "v6"), env: credentials(), says: []string{"--label-filter"}},
		slip{name: "a filter on the embedded reference", args: []string{"--label-filter", "!auth-failur"}, says: []string{"--label-filter", "auth-failur"}})
}

// folderSlips name a report folder that can't be written, or name it in each way beside another slip.
func folderSlips() []slip {
	return []slip{
		{name: "a file in the place of the report folder", args: full("--report-dir", "r"), env: credentials(), files: map[string]string{"r": "file"}, says: []string{"r", "--report-dir"}, unwritable: true},
		{name: "a report folder below a file", args: full("--report-dir", "r/s"), env: credentials(), files: map[string]string{"r": "file"}, says: []string{"r/s", "reportDir"}, unwritable: true},
		{name: "a folder in the place of report.json", args: full("--report-dir", "r"), env: credentials(), files: map[string]string{"r/report.json/x": ""}, says: []string{"AUTHN_REPORT_DIR"}, unwritable: true},
		{name: "a folder in the place of junit.xml", args: full("--report-dir", "r"), env: credentials(), files: map[string]string{"r/junit.xml/x": ""}, says: []string{"AUTHN_REPORT_DIR"}, unwritable: true},
		{name: "a slip beside --report-dir", args: full("--report-dir", "r", "--rate", "-1"), env: credentials(), says: []string{"--rate"}, reports: "r"},
		{name: "a slip before --report-dir", args: full("--nonsense", "--report-dir=r/s"), env: credentials(), says: []string{"--nonsense"}, reports: "r/s"},
		{name: "a slip beside AUTHN_REPORT_DIR", args: full("--rate", "-1"), env: append(credentials(), "AUTHN_REPORT_DIR=r"), says: []string{"--rate"}, reports: "r"},
		{name: "a slip beside reportDir", args: full("--config", "in/c.yaml"), env: credentials(), files: map[string]string{"in/c.yaml": "reportDir: r\nrat: 1\n"}, says: []string{"c.yaml:2"}, reports: "in/r"},
		{name: "a file that is no YAML beside reportDir", args: full("--config", "c.yaml"), env: credentials(), files: map[string]string{"c.yaml": "reportDir: r\nrate: [\n"}, says: []string{"c.yaml:"}, reports: "r"},
	}
}
