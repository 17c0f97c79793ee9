// Package statement makes statement.json: an in-toto Statement with the predicate test-result, which says of the other
// files of a report folder, by their digests, what the run came to. Whoever signs it vouches for all of them.
package statement

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

const statementType = "https://in-toto.io/Statement/v1"

// PredicateType is the URI of in-toto's predicate for test results. A verifier needs it too.
const PredicateType = "https://in-toto.io/attestation/test-result/v0.1"

// The results that the predicate knows.
const (
	resultPassed = "PASSED"
	resultWarned = "WARNED"
	resultFailed = "FAILED"
)

// document is an in-toto Statement, version 1. The library of in-toto brings protobuf with it, 1.8 MB of the binary, to
// write these three structs; the tests read them with it.
type document struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     testResult   `json:"predicate"`
}

// testResult is the predicate test-result. A policy asks whether failedTests is empty, so a list is never left out.
type testResult struct {
	Configuration []descriptor `json:"configuration"`
	FailedTests   []string     `json:"failedTests"`
	PassedTests   []string     `json:"passedTests"`
	Result        string       `json:"result"`
	WarnedTests   []string     `json:"warnedTests"`
}

// descriptor is a ResourceDescriptor.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

// File is a file of the report folder, by its name there and the SHA-256 digest of its content.
type File struct {
	Name   string
	Digest [sha256.Size]byte
}

// Of makes statement.json about the other files of a report folder, each named once, in any order. The result is PASSED
// only for a run that certifies; any other pass, and a run that is inconclusive, is WARNED, and everything else FAILED.
// Names of tests are those of rows, such as `2.1/CreatedOn v5`: rows that are inconclusive, waived or known from the
// baseline are warned ones. The same report and digests give the same bytes. It is an error to name no file, and if a
// digest of the report is not one of SHA-256 or a text is no UTF-8.
func Of(r *report.Report, files []File) ([]byte, error) {
	if len(files) == 0 {
		return nil, errors.New("the statement about 0 files is not a valid one: it needs at least one")
	}
	predicate, err := predicateOf(r)
	if err != nil {
		return nil, fmt.Errorf("the predicate of the statement can't be made: %w", err)
	}
	content, err := json.Marshal(&document{Type: statementType, Subject: subjects(files), PredicateType: PredicateType,
		Predicate: predicate},
		jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("the statement can't be written as JSON: %w", err)
	}
	return append(content, '\n'), nil
}

// DigestOf returns the digest, sha256:…, that statement.json has for a file, or "" if it does not name the file. It is
// an error if the content is no statement.
func DigestOf(content []byte, file string) (string, error) {
	var s struct {
		Subject []descriptor `json:"subject"`
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return "", fmt.Errorf("it is no in-toto statement: %w", err)
	}
	for _, subject := range s.Subject {
		if subject.Name == file {
			return "sha256:" + subject.Digest[algorithm], nil
		}
	}
	return "", nil
}

// subjects are the files by name.
func subjects(files []File) []descriptor {
	list := make([]descriptor, 0, len(files))
	for _, file := range slices.SortedFunc(slices.Values(files),
		func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		list = append(list, descriptor{Name: file.Name, Digest: sha256Of(hex.EncodeToString(file.Digest[:]))})
	}
	return list
}

// algorithm is what in-toto calls SHA-256.
const algorithm = "sha256"

func sha256Of(digest string) map[string]string { return map[string]string{algorithm: digest} }

// predicateOf is what the run came to.
func predicateOf(r *report.Report) (testResult, error) {
	outcome := testResult{Result: result(r), Configuration: configuration(r)}
	for _, d := range outcome.Configuration {
		for _, digest := range d.Digest {
			if decoded, err := hex.DecodeString(digest); err != nil || len(decoded) != sha256.Size {
				return outcome, fmt.Errorf("%s: %q is not the SHA-256 digest of anything", d.Name, digest)
			}
		}
	}
	for i := range r.Requirements {
		row := &r.Requirements[i]
		list := listOf(&outcome, row)
		*list = append(*list, ledger.Key{ID: row.ID, Version: row.Version}.String())
	}
	return outcome, nil
}

// result is the run's verdict in the predicate's words.
func result(r *report.Report) string {
	switch {
	case r.Verdict == ledger.Pass && r.Certifies:
		return resultPassed
	case r.Verdict == ledger.Pass, r.Verdict == ledger.Inconclusive:
		return resultWarned
	default:
		return resultFailed
	}
}

// listOf is the list in which a row belongs.
func listOf(outcome *testResult, row *report.Row) *[]string {
	switch {
	case row.Waiver != nil, row.Known, row.Verdict == ledger.Inconclusive:
		return &outcome.WarnedTests
	case row.Verdict == ledger.Pass:
		return &outcome.PassedTests
	default:
		return &outcome.FailedTests
	}
}

// configuration is what was judged by and what was judged: the contract and the users by their digests, the target of
// each version by URL, with the proxy through which it was asked, the baseline, the evidence that was judged again, and
// each row that a waiver sets aside.
func configuration(r *report.Report) []descriptor {
	list := []descriptor{{Name: "contract", Digest: digestOf(r.Suite.Contract)}}
	for _, v := range schemas.Versions() {
		if base, tested := r.Target[v]; tested {
			list = append(list, descriptor{Name: "target " + string(v), URI: base})
		}
		if proxy, used := r.Proxy[v]; used {
			list = append(list, descriptor{Name: "proxy " + string(v), URI: proxy})
		}
	}
	if r.Users != nil {
		list = append(list, descriptor{Name: wording.Count(r.Users.Count, "user"), Digest: digestOf(r.Users.Digest)})
	}
	if r.Gate != nil && r.Gate.Digest != "" {
		list = append(list, descriptor{Name: "baseline", Digest: digestOf(r.Gate.Digest)})
	}
	if r.JudgedAgain != nil {
		list = append(list, descriptor{Name: "evidence, judged again", Digest: digestOf(r.JudgedAgain.Evidence)})
	}
	for _, s := range r.Settings {
		if s.Name == "parity" && s.Value == "shape" {
			list = append(list, descriptor{Name: "parity of shapes only", URI: "setting:parity=shape"})
		}
	}
	for _, row := range r.Requirements {
		if row.Waiver != nil {
			list = append(list, descriptor{
				Name: fmt.Sprintf("waiver of %s %s until %s", row.ID, row.Version, row.Waiver.Until),
				URI:  "requirement:" + row.ID + "?version=" + url.QueryEscape(string(row.Version)),
			})
		}
	}
	return list
}

// digestOf is a digest, sha256:…, as a statement has it.
func digestOf(digest string) map[string]string {
	return sha256Of(strings.TrimPrefix(digest, "sha256:"))
}
