// Package statement makes statement.json: an in-toto Statement with the predicate test-result, which says of the other
// files of a report folder, by their digests, what the run came to. Whoever signs it vouches for all of them.
package statement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/wording"
)

// PredicateType is the URI of in-toto's predicate for test results, which a verifier names too.
const PredicateType = "https://in-toto.io/attestation/test-result/v0.1"

// The results that the predicate knows.
const (
	resultPassed = "PASSED"
	resultWarned = "WARNED"
	resultFailed = "FAILED"
)

// File is a file of the report folder, by its name there and the SHA-256 digest of its content.
type File struct {
	Name   string
	Digest [sha256.Size]byte
}

// Of makes statement.json about the other files of a report folder, each named once, in any order. The result is PASSED
// only for a run that certifies; any other pass, and a run that is inconclusive, is WARNED, and everything else FAILED.
// Names of tests are those of rows, such as `2.1/CreatedOn v5`: rows that are inconclusive, waived or known from the
// baseline stand among the warned ones. The same report and digests give the same bytes. It is an error to name no
// file, and where the library finds the statement not to be valid.
func Of(r *report.Report, files []File) ([]byte, error) {
	predicate, err := predicateOf(r)
	if err != nil {
		return nil, fmt.Errorf("the predicate of the statement can't be made: %w", err)
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects(files), PredicateType: PredicateType, Predicate: predicate}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("the statement about %d files is not a valid one: %w", len(files), err)
	}
	content, err := protojson.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("the statement can't be written as JSON: %w", err)
	}
	return tidy(content)
}

// DigestOf is the digest, sha256:…, that statement.json has of a file; "" where it does not name it. It is an error
// where the content is no statement.
func DigestOf(content []byte, file string) (string, error) {
	s := &intoto.Statement{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(content, s); err != nil {
		return "", fmt.Errorf("it is no in-toto statement: %w", err)
	}
	for _, subject := range s.GetSubject() {
		if subject.GetName() == file {
			return "sha256:" + subject.GetDigest()[intoto.AlgorithmSHA256.String()], nil
		}
	}
	return "", nil
}

// subjects are the files by name.
func subjects(files []File) []*intoto.ResourceDescriptor {
	var list []*intoto.ResourceDescriptor
	for _, file := range slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		list = append(list, &intoto.ResourceDescriptor{Name: file.Name, Digest: sha256Of(hex.EncodeToString(file.Digest[:]))})
	}
	return list
}

func sha256Of(digest string) map[string]string {
	return map[string]string{intoto.AlgorithmSHA256.String(): digest}
}

// predicateOf is what the run came to.
func predicateOf(r *report.Report) (*structpb.Struct, error) {
	outcome := &testresult.TestResult{Result: result(r), Configuration: configuration(r)}
	for _, descriptor := range outcome.Configuration {
		if err := descriptor.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", descriptor.GetName(), err)
		}
	}
	for i := range r.Requirements {
		row := &r.Requirements[i]
		list := listOf(outcome, row)
		*list = append(*list, ledger.Key{ID: row.ID, Version: row.Version}.String())
	}
	content, err := protojson.Marshal(outcome)
	if err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	if err := protojson.Unmarshal(content, predicate); err != nil {
		return nil, err
	}
	// A policy asks whether failedTests is empty; a list that is not there would leave it to guess.
	for _, name := range []string{"passedTests", "warnedTests", "failedTests"} {
		if predicate.Fields[name] == nil {
			predicate.Fields[name] = structpb.NewListValue(&structpb.ListValue{})
		}
	}
	return predicate, nil
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
func listOf(outcome *testresult.TestResult, row *report.Row) *[]string {
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
func configuration(r *report.Report) []*intoto.ResourceDescriptor {
	list := []*intoto.ResourceDescriptor{{Name: "contract", Digest: digestOf(r.Suite.Contract)}}
	for _, v := range schemas.Versions() {
		if base, tested := r.Target[v]; tested {
			list = append(list, &intoto.ResourceDescriptor{Name: "target " + string(v), Uri: base})
		}
		if proxy, used := r.Proxy[v]; used {
			list = append(list, &intoto.ResourceDescriptor{Name: "proxy " + string(v), Uri: proxy})
		}
	}
	if r.Users != nil {
		list = append(list, &intoto.ResourceDescriptor{Name: wording.Count(r.Users.Count, "user"), Digest: digestOf(r.Users.Digest)})
	}
	if r.Gate != nil && r.Gate.Digest != "" {
		list = append(list, &intoto.ResourceDescriptor{Name: "baseline", Digest: digestOf(r.Gate.Digest)})
	}
	if r.JudgedAgain != nil {
		list = append(list, &intoto.ResourceDescriptor{Name: "evidence, judged again", Digest: digestOf(r.JudgedAgain.Evidence)})
	}
	for _, s := range r.Settings {
		if s.Name == "parity" && s.Value == "shape" {
			list = append(list, &intoto.ResourceDescriptor{Name: "parity of shapes only", Uri: "setting:parity=shape"})
		}
	}
	for _, row := range r.Requirements {
		if row.Waiver != nil {
			list = append(list, &intoto.ResourceDescriptor{
				Name: fmt.Sprintf("waiver of %s %s until %s", row.ID, row.Version, row.Waiver.Until),
				Uri:  "requirement:" + row.ID + "?version=" + url.QueryEscape(string(row.Version)),
			})
		}
	}
	return list
}

// digestOf is a digest, sha256:…, as a statement has it.
func digestOf(digest string) map[string]string {
	return sha256Of(strings.TrimPrefix(digest, "sha256:"))
}

// tidy gives JSON the white space of this suite's files: that of protojson differs between builds of a program, on
// purpose.
func tidy(content []byte) ([]byte, error) {
	var indented bytes.Buffer
	if err := json.Indent(&indented, content, "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}
