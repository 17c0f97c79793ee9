// Package testkit has what the tests of all packages share: the suite, a target of the reference with changes, the
// settings of a run against it, its report folder, a disk that is full, golden files and files of cases. Its functions
// fail the spec that calls them.
package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests
	. "github.com/onsi/gomega"    //lint:ignore ST1001 as in all tests

	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/conformance"
	"authenticator-conformance/suites/internal/command/session"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/spec"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/folder"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/sweep"
)

var suite = sync.OnceValues(func() (*spec.Suite, error) {
	return conformance.Specification(Contract())
})

// Suite is the suite of the embedded contract, made once.
func Suite() *spec.Suite {
	s, err := suite()
	if err != nil {
		panic(err) // it is part of the program
	}
	return s
}

// Changing serves what the service answers, after change has changed the record in it. It is called for each answer
// that is a record, one at a time.
func Changing(service http.Handler, change func(v schemas.Version, record map[string]any)) http.Handler {
	var lock sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := kit.RecordAnswer(service, r)
		value, _ := kit.Decode(answer.Body)
		if record, _ := value.(map[string]any); record["UserId"] != nil {
			lock.Lock()
			change(schemas.Version(strings.Split(r.URL.Path, "/")[2]), record)
			lock.Unlock()
			answer.Body = kit.Encode(record)
		}
		answer.Write(w)
	})
}

// UsersNDJSON is a users file with the users of the fixtures. Unlike fixtures.UsersFile, a sweep reads it too.
func UsersNDJSON() []byte {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, u := range kit.Users() {
		_ = encoder.Encode(exchange.User(u)) // a buffer takes everything
	}
	return lines.Bytes()
}

// RunAndReport carries a run out, and returns its report and its report folder.
func RunAndReport(ctx context.Context, s *settings.Settings, suite *spec.Suite) (*report.Report, string) {
	GinkgoHelper()
	into := Must(folder.Open(GinkgoT().TempDir()))
	defer into.Close()
	n := Must(session.New(s, suite, into))
	defer n.Close()
	Expect(n.Execute(ctx, nil)).To(Succeed())
	Expect(n.Write()).To(Succeed())
	return n.Result, into.Dir()
}

// ReportFolder carries a run out and returns its report folder.
func ReportFolder(ctx context.Context, s *settings.Settings) string {
	GinkgoHelper()
	_, dir := RunAndReport(ctx, s, Suite())
	return dir
}

// Sweep sweeps the users of a users file, or of the fixtures, and returns the summary.
func Sweep(ctx context.Context, s *settings.Settings, suite *spec.Suite) *stats.Summary {
	GinkgoHelper()
	if s.UsersFile == "" {
		s.UsersFile = Write(GinkgoT().TempDir(), "users.ndjson", UsersNDJSON())
	}
	w := sweep.New(s, suite, sweep.Options{Seed: 1, Shard: stats.Shard{Index: 1, Of: 1}},
		sweep.Input{Out: sanitize.New(s, suite.Contract, report.Name)})
	return w.Summary(time.Now(), w.Execute(ctx, sweep.Watch{}))
}

// JudgeAgain judges the evidence in a report folder, and returns the report and the digest of the contract.
func JudgeAgain(ctx context.Context, dir string, suite *spec.Suite) (*report.Report, string) {
	GinkgoHelper()
	into := Must(folder.Open(GinkgoT().TempDir()))
	defer into.Close()
	again, digest, err := session.Again(ctx, filepath.Join(dir, report.EvidenceFile), &settings.Settings{}, suite, into)
	Expect(err).NotTo(HaveOccurred())
	defer again.Close()
	Expect(again.Execute(ctx, nil)).To(Succeed())
	return again.Result, digest
}

// ItemsOf returns the items of a section of a document; none if it has no such section.
func ItemsOf(d *report.Document, name string) []report.Item {
	for _, s := range d.Sections {
		if s.Name == name {
			return s.Items
		}
	}
	return nil
}

// DocumentLines lists the members of a document, each element of a list on a line of its own.
func DocumentLines(d *report.Document) string {
	GinkgoHelper()
	var members map[string]any
	Expect(json.Unmarshal(Must(strictjson.Encode(d)), &members)).To(Succeed())
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list, isList := members[name].([]any)
		if !isList {
			list = []any{members[name]}
		}
		for _, element := range list {
			fmt.Fprintf(&text, "%s: %s\n", name, Must(strictjson.Encode(element)))
		}
	}
	return text.String()
}
