// Package statement makes statement.json, an in-toto Statement with the predicate test-result. It names the other files
// of a report folder by their digests, and the run's result. A signature on it covers all of them.
package statement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/ledger"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/judge/wording"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

const statementType = "https://in-toto.io/Statement/v1"

// PredicateType is the URI of in-toto's predicate for test results. Verifiers need it too.
const PredicateType = "https://in-toto.io/attestation/test-result/v0.1"

// The results that the predicate allows.
const (
	resultPassed = "PASSED"
	resultWarned = "WARNED"
	resultFailed = "FAILED"
)

// document is an in-toto Statement, version 1. We define these three structs because in-toto's library adds protobuf,
// 1.8 MB, to the binary. The tests read them with that library.
type document struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     testResult   `json:"predicate"`
}

// testResult is the predicate test-result. A policy checks that failedTests is empty, so empty lists are written too.
type testResult struct {
	Configuration []descriptor `json:"configuration"`
	FailedTests   []string     `json:"failedTests"`
	PassedTests   []string     `json:"passedTests"`
	Result        string       `json:"result"`
	WarnedTests   []string     `json:"warnedTests"`
}

// descriptor is an in-toto ResourceDescriptor.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

// Marshal returns statement.json for the other files of a report folder, given by name with their digests, sha256:….
// Equal reports and digests give equal bytes.
//
// The result is PASSED only for a run that certifies. Any other pass and an inconclusive run are WARNED, and everything
// else is FAILED. Test names are those of rows, such as `2.1/CreatedOn v5`. Rows that are inconclusive, waived or known
// from the baseline are warned tests.
//
// It is an error if there is no file, or if a text is not UTF-8.
func Marshal(r *report.Report, digests map[string]string) ([]byte, error) {
	if len(digests) == 0 {
		return nil, errors.New("expected a statement about at least one file, got none")
	}
	var text bytes.Buffer
	whole := &document{Type: statementType, PredicateType: PredicateType, Predicate: predicateOf(r)}
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		whole.Subject = append(whole.Subject, descriptor{Name: name, Digest: sha256Of(digests[name])})
	}
	if err := strictjson.WriteComplete(&text, whole, false); err != nil {
		return nil, fmt.Errorf("the statement can't be written as JSON: %w", err)
	}
	return text.Bytes(), nil
}

// Digests returns the digests of the files that a statement.json names, as sha256:…. It is an error if content is not
// an in-toto statement about files.
func Digests(content []byte) (map[string]string, error) {
	var s struct {
		Subject []descriptor `json:"subject"`
	}
	err := strictjson.Valid(content)
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("it is not an in-toto statement: %w", err)
	}
	digests := map[string]string{}
	for _, subject := range s.Subject {
		digest := subject.Digest[algorithm]
		if decoded, err := hex.DecodeString(digest); err != nil || len(decoded) != sha256.Size || subject.Name == "" ||
			digests[subject.Name] != "" {
			return nil, errors.New("it is not an in-toto statement about files, each once with its SHA-256 digest")
		}
		digests[subject.Name] = "sha256:" + digest
	}
	return digests, nil
}

// algorithm is in-toto's name for SHA-256.
const algorithm = "sha256"

// sha256Of returns a digest, sha256:…, in the form of in-toto.
func sha256Of(digest string) map[string]string {
	return map[string]string{algorithm: strings.TrimPrefix(digest, algorithm+":")}
}

// predicateOf returns the result of the run, its tests and its configuration.
func predicateOf(r *report.Report) testResult {
	outcome := testResult{Result: result(r), Configuration: configuration(r)}
	for _, row := range r.Requirements {
		list := &outcome.FailedTests
		switch {
		case row.Waiver != nil, row.Known, row.Verdict == ledger.Inconclusive:
			list = &outcome.WarnedTests
		case row.Verdict == ledger.Pass:
			list = &outcome.PassedTests
		}
		*list = append(*list, ledger.Key{ID: row.ID, Version: row.Version}.String())
	}
	return outcome
}

// result returns the run's verdict as the predicate's result.
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

// configuration returns what the run depended on. It has the contract, the users, the baseline and any evidence that
// was judged again, by digest. It also has each version's target and proxy by URL, and each row with a waiver.
func configuration(r *report.Report) (list []descriptor) {
	named := func(name, uri string) { list = append(list, descriptor{Name: name, URI: uri}) }
	digested := func(name, digest string) { list = append(list, descriptor{Name: name, Digest: sha256Of(digest)}) }
	if r.Embedded {
		named(report.BuiltInReference, "target:built-in-reference")
	}
	digested("contract", r.Suite.Contract)
	for _, v := range schemas.InOrder(r.Target) {
		named("target "+string(v), r.Target[v])
		if proxy, used := r.Proxy[v]; used {
			named("proxy "+string(v), proxy)
		}
	}
	if subject := r.Subject.String(); subject != "" {
		named(subject, "subject:product")
	}
	if r.ValidUntil != nil {
		named("valid until "+*r.ValidUntil, "validity:until")
	}
	if r.Subject != nil {
		for _, v := range schemas.InOrder(r.Subject.Observed) {
			if certificate := r.Subject.Observed[v].TLS; certificate != nil {
				digested("certificate key of "+string(v), certificate.Key)
			}
		}
	}
	if r.Users != nil {
		digested(wording.Count(r.Users.Count, "user"), r.Users.Digest)
	}
	if r.Gate != nil && r.Gate.Digest != "" {
		digested("baseline", r.Gate.Digest)
	}
	if r.JudgedAgain != nil {
		digested("evidence, judged again", r.JudgedAgain.Evidence)
	}
	if r.Values == settings.ValuesHide {
		named("values of users are hidden", "setting:values=hide")
	}
	shapes := func(s report.Setting) bool { return s.Name == "parity" && s.Value == "shape" }
	if slices.ContainsFunc(r.Settings, shapes) {
		named("parity of shapes only", "setting:parity=shape")
	}
	for _, row := range r.Requirements {
		if row.Waiver != nil {
			named(fmt.Sprintf("waiver of %s %s until %s", row.ID, row.Version, row.Waiver.Until),
				"requirement:"+row.ID+"?version="+url.QueryEscape(string(row.Version)))
		}
	}
	return list
}
