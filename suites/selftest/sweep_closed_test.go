package selftest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sweepSlip is a sweep that can't be carried out. In its texts {target} stands for the URL of a right service and {users}
// for a file of its users.
type sweepSlip struct {
	name    string
	args    []string // after "sweep"
	env     []string
	files   map[string]string
	says    []string
	reports string
	nowhere bool // there is no folder in which to report
	sends   bool // requests are sent before the fault shows
}

func fullSweep(more ...string) []string {
	return append([]string{"--target-url", "{target}", "--users", "{users}"}, more...)
}

func usersSweep(name string, more ...string) []string {
	return append([]string{"--target-url", "{target}", "--users", name}, more...)
}

// yesterday is a sweep that passed.
const yesterday = `{"format":"1.0","verdict":"pass","complete":true,"error":null}`

func sweepSlips(p people) []sweepSlip {
	with := credentials()
	csv := p.csv()
	lines := strings.SplitAfter(csv, "\n")
	bad := strings.Join(lines[:4999], "") + "no-guid,person-004999\n" + strings.Join(lines[4999:], "")
	short := p[:300].csv()
	packed := string(gzippedOf(short))
	list := []sweepSlip{
		{name: "an unknown flag", args: fullSweep("--usres", "x"), env: with, says: []string{"--usres"}},
		{name: "a flag of a run", args: fullSweep("--baseline", "x"), env: with, says: []string{"--baseline"}},
		{name: "an argument", args: fullSweep("users.csv"), env: with, says: []string{"users.csv"}},
		{name: "an unknown variable", args: fullSweep(), env: append(with, "AUTHN_SHARD=3/16"), says: []string{"AUTHN_SHARD"}},
		{name: "an empty variable", args: []string{"--users", "{users}"}, env: append(with, "AUTHN_TARGET_URL="), says: []string{"AUTHN_TARGET_URL", "empty"}},
		{name: "one version only", args: fullSweep("--versions", "v5"), env: with, says: []string{"--versions"}},
		{name: "no users", args: []string{"--target-url", "{target}"}, env: with, says: []string{"--users"}},
		{name: "no token", args: fullSweep(), env: []string{"AUTHN_APPLICATION_ID=a"}, says: []string{"AUTHN_ACCESS_TOKEN"}},
		{name: "a users file that is missing", args: usersSweep("missing.csv"), env: with, says: []string{"missing.csv"}},
		{name: "a users file that is a folder", args: usersSweep("folder.csv"), files: map[string]string{"folder.csv/x": ""}, env: with, says: []string{"folder.csv"}},
		{name: "a users file of no known form", args: usersSweep("users.txt"), files: map[string]string{"users.txt": csv}, env: with, says: []string{"users.txt"}},
		{name: "an empty users file", args: usersSweep("users.csv"), files: map[string]string{"users.csv": ""}, env: with, says: []string{"users.csv:1:"}},
		{name: "a header line alone", args: usersSweep("users.csv"), files: map[string]string{"users.csv": "id,userId\n"}, env: with, says: []string{"users.csv"}},
		{name: "an empty users file of lines", args: usersSweep("users.ndjson"), files: map[string]string{"users.ndjson": "\n\n"}, env: with, says: []string{"users.ndjson"}},
		{name: "a packed file named as if it were none", args: usersSweep("users.csv"), files: map[string]string{"users.csv": packed}, env: with, says: []string{"users.csv", "gzip"}},
		{name: "a file named as if it were packed", args: usersSweep("users.csv.gz"), files: map[string]string{"users.csv.gz": csv}, env: with, says: []string{"users.csv.gz", "gzip"}},
		{name: "a packed file that was cut", args: usersSweep("users.csv.gz"), files: map[string]string{"users.csv.gz": packed[:len(packed)-20]}, env: with, says: []string{"users.csv.gz", "cut"}, sends: true},
		{name: "a packed file of nothing", args: usersSweep("users.csv.gz"), files: map[string]string{"users.csv.gz": string(gzippedOf(""))}, env: with, says: []string{"users.csv.gz"}},
		{name: "users who are all not enrolled", args: usersSweep("users.csv"), files: map[string]string{"users.csv": "id,userId,enrolled\n" + guidOf(1) + ",person-000001,false\n"},
			env: with, says: []string{"users.csv", "enrolled"}, sends: true},
		{name: "line 5000 is bad", args: usersSweep("users.csv"), files: map[string]string{"users.csv": bad}, env: with, says: []string{"users.csv:5000", "no-guid"}, sends: true},
		{name: "a users file with something behind", args: usersSweep("users.csv"), files: map[string]string{"users.csv": short + "\x00\x01"}, env: with, says: []string{"users.csv", "users.csv:302"}, sends: true},
		{name: "standard input that has nothing", args: usersSweep("-"), env: with, says: []string{"standard input"}},
		{name: "the standard input of the embedded reference", args: []string{"--users", "-"}, says: []string{"--users"}},
		{name: "no checkpoint", args: fullSweep("--resume"), env: with, says: []string{"--resume", "checkpoint"}},
		{name: "a checkpoint that is none", args: fullSweep("--resume"), files: map[string]string{defaultReports + "/" + checkpointFile: "{}"}, env: with, says: []string{"--resume", checkpointFile}},
		{name: "a checkpoint that was cut", args: fullSweep("--resume=if-begun"), files: map[string]string{defaultReports + "/" + checkpointFile: `{"format":"1.0",`}, env: with, says: []string{"--resume", checkpointFile}},
		{name: "a folder in the place of the findings", args: fullSweep(), files: map[string]string{defaultReports + "/" + findingsFile + "/x": ""}, env: with, says: []string{findingsFile}},
		{name: "a folder in the place of the checkpoint", args: fullSweep(), files: map[string]string{defaultReports + "/" + checkpointFile + "/x": ""}, env: with, says: []string{checkpointFile}},
		{name: "a report folder that is a file", args: fullSweep("--report-dir", "taken"), files: map[string]string{"taken": "x"}, env: with, says: []string{"taken", "--report-dir"}, nowhere: true},
		{name: "a report folder below a file", args: fullSweep("--report-dir", "taken/deep"), files: map[string]string{"taken": "x"}, env: with, says: []string{"taken/deep"}, nowhere: true},
		{name: "a report folder elsewhere", args: fullSweep("--report-dir", "elsewhere", "--rate", "-1"), env: with, says: []string{"--rate"}, reports: "elsewhere"},
		{name: "a port that nobody listens at", args: []string{"--target-url", "http://127.0.0.1:1", "--users", "{users}"}, env: with, says: []string{"answered no request", "127.0.0.1:1"}},
		{name: "a sample of a shard", args: fullSweep("--sample", "3", "--shard", "1/2"), env: with, says: []string{"--sample", "--shard"}},
	}
	for flag, values := range map[string][]string{
		"shard":      {"0/16", "17/16", "3", "3/", "/16", "a/b", "-1/2", "1/0", "*/4", "", "1/2/3", "1/1000000", "1.0/2"},
		"window":     {"22-06", "22:00", "25:00-26:00", "22:00-22:00", "", "22:00-06:00-07:00", "now"},
		"budget":     {"0", "-1", "many", "1e3", ""},
		"sample":     {"0", "-1", "all", ""},
		"seed":       {"-1", "x", ""},
		"target-url": {"", "ftp://127.0.0.1", "localhost"},
		"deadline":   {"0s", "yes"},
		"timeout":    {"0s", "11m"},
		"versions":   {"v6", "v5,v7", ""},
		"parity":     {"none", ""},
	} {
		for _, value := range values {
			args := fullSweep("--"+flag, value)
			if flag == "target-url" {
				args = []string{"--users", "{users}", "--target-url", value}
			}
			list = append(list, sweepSlip{name: fmt.Sprintf("--%s %q", flag, value), args: args, env: with, says: []string{"--" + flag}})
		}
	}
	list = append(list, sweepSlip{name: "--resume=yes", args: fullSweep("--resume=yes"), env: with, says: []string{"--resume"}},
		sweepSlip{name: "--resume twice", args: fullSweep("--resume", "--resume"), env: with, says: []string{"--resume"}},
		sweepSlip{name: "--shard twice", args: fullSweep("--shard", "1/2", "--shard", "2/2"), env: with, says: []string{"--shard"}},
		sweepSlip{name: "--budget twice", args: fullSweep("--budget", "1", "--budget", "2"), env: with, says: []string{"--budget"}})
	slices.SortFunc(list, func(a, b sweepSlip) int { return strings.Compare(a.name, b.name) })
	return list
}

func gzippedOf(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func zstandardOf(text string) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// make calls the binary with a slip, where an earlier sweep passed.
func (s sweepSlip) make(r *rig, right http.Handler, users string) (*outcome, int64) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		right.ServeHTTP(w, request)
	}))
	defer server.Close()
	folder := r.work()
	reports := filepath.Join(folder, defaultReports)
	if s.reports != "" {
		reports = filepath.Join(folder, s.reports)
	}
	mustDo(os.MkdirAll(reports, 0o755))
	write(reports, sweepJSON, []byte(yesterday))
	for name, content := range s.files {
		mustDo(os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		write(folder, name, []byte(content))
	}
	fill := strings.NewReplacer("{target}", server.URL, "{users}", users)
	args := []string{"sweep"}
	for _, a := range s.args {
		args = append(args, fill.Replace(a))
	}
	o := r.call(command{args: args, env: s.env, folder: folder})
	if s.reports != "" {
		mustDo(os.RemoveAll(o.reports()))
		mustDo(os.Rename(reports, o.reports()))
	}
	return o, requests.Load()
}

func sweepClosedSpecs(r *rig) {
	type closed struct {
		*outcome
		requests int64
	}
	p := peopleOf(5800, everybody)
	right := p.known()
	users := write(r.work(), "users.csv", []byte(p.csv()))
	list := sweepSlips(p)
	var jobs []func() closed
	for _, s := range list {
		jobs = append(jobs, func() closed {
			o, requests := s.make(r, right, users)
			return closed{o, requests}
		})
	}
	results := runAhead(r, jobs...)

	Describe("that can't be carried out, where another passed yesterday", func() {
		for i, s := range list {
			It(s.name, func() {
				o := results.result(i)
				Expect(o.err).NotTo(HaveOccurred())
				Expect(o.expired).To(BeFalse())
				Expect(o.code).To(Equal(2), o.said())
				if !s.sends {
					Expect(o.requests).To(BeZero())
				}
				Expect(odd(o.stdout + o.stderr)).To(BeEmpty())
				for _, words := range s.says {
					Expect(o.stdout + o.stderr).To(ContainSubstring(words))
				}
				Expect(o.stdout + o.stderr).NotTo(Or(ContainSubstring("panic"), ContainSubstring("defect"), ContainSubstring("goroutine")))
				if !s.nowhere {
					failedSweep(o.outcome, s.says...)
				}
			})
		}

		It("a target that never answers", func() {
			url, end := listen(hold)
			DeferCleanup(end)
			failedSweep(r.call(r.sweepOf(url, users, "--timeout", "200ms")), "answered no request", "timeout")
		})

		It("a target that never speaks HTTP", func() {
			url, end := listen(func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n") })
			DeferCleanup(end)
			failedSweep(r.call(r.sweepOf(url, users)), "answered no request")
		})
	})
}
