// Package openapi writes the contract as an OpenAPI 3.1 document, for tools such as mocks, client generators and
// gateways. It is derived from the JSON Schemas and the catalogue; nothing that these define is written by hand.
package openapi

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/spec"
)

// Options are the parts of the document that the contract does not define.
type Options struct {
	// Suite is the version of the suite that writes the document.
	Suite string
	// Versions are the versions of the API to describe.
	Versions []schemas.Version
	// Servers are the base URLs by version, without a trailing slash. If it is empty, paths are relative to the URL of
	// the document.
	Servers map[schemas.Version]string
	// Example is shown in the document, and is what a mock answers.
	Example Example
}

// mediaType is the content type for tools that need one. The specification only says JSON (§4); the content type of an
// answer is open (§4.3).
const mediaType = "application/json"

// New returns the document. An error means that the contract uses a feature that this package can't convert, or lacks a
// requirement.
func New(suite *spec.Suite, o Options) (*Document, error) {
	contract, components := suite.Contract, newConverter(schemas.Files())
	named := map[*schemas.Schema]reference{}
	for _, schema := range []*schemas.Schema{
		contract.GetUserAuthRequest, contract.FindByUserIDsRequest, contract.Record, contract.Identifiers,
	} {
		ref, err := components.add(schema)
		if err != nil {
			return nil, err
		}
		named[schema] = ref
	}
	for _, op := range schemas.Operations() {
		if err := components.refuseEmpty(named[contract.Request(op)], emptyRefused(suite, op)); err != nil {
			return nil, err
		}
	}
	examples, err := examplesOf(contract, o.Example)
	if err != nil {
		return nil, err
	}
	root := root{
		OpenAPI:    "3.1.1",
		Info:       infoOf(contract, o),
		Servers:    serversOf(o),
		Security:   []map[string][]string{},
		Paths:      map[string]pathItem{},
		Components: componentsObject{Schemas: components.schemas, Examples: examples},
	}
	for _, v := range o.Versions {
		root.Tags = append(root.Tags, tag{string(v), fmt.Sprintf("Release %s, below /api/%s.", v, v)})
		for _, op := range schemas.Operations() {
			item, err := pathOf(contract, v, op, named)
			if err != nil {
				return nil, err
			}
			if len(root.Servers) > 1 {
				item.Servers = []server{serverOf(o, v)}
			}
			root.Paths[schemas.Path(v, op)] = item
		}
	}
	var node yaml.Node
	if err := node.Encode(root); err != nil {
		return nil, fmt.Errorf("the OpenAPI document can't be written: %w", err)
	}
	return &Document{appendJSON(nil, &node)}, nil
}

// emptyRefused lists the fields of a request that must not be empty: with an empty one, the request must be refused
// (J13).
func emptyRefused(suite *spec.Suite, op schemas.Operation) (fields []string) {
	for _, r := range suite.Requirements() {
		for _, m := range r.Sends(op) {
			if r.Kind == schemas.Documented && m.Kind == exchange.EmptyToken && !slices.Contains(fields, m.Field) {
				fields = append(fields, m.Field)
			}
		}
	}
	return fields
}

func infoOf(contract *schemas.Contract, o Options) info {
	var parity []string
	for _, r := range contract.Requirements {
		if r.Parity && r.Setting == "" {
			parity = append(parity, item(r))
		}
	}
	return info{
		Title:   "Authenticator API: user authenticator lookup",
		Summary: "The enrolled authenticators of a user, and the identifiers found for one.",
		Description: "Written by conformance " + o.Suite + " from the contract that it judges by.\n\n" +
			"AccessToken and ApplicationId are members of each request body (section 5); whether a service also asks " +
			"for authentication by header is not shown. Both releases are described alike (section 9):\n\n" +
			strings.Join(parity, ""),
		Version:  o.Suite,
		Contract: contract.Digest,
	}
}

// serversOf returns the servers without duplicates.
func serversOf(o Options) []server {
	if len(o.Servers) == 0 {
		return []server{{URL: "/", Description: "where this document is served; no target was given"}}
	}
	var list []server
	for _, v := range o.Versions {
		if s := serverOf(o, v); !slices.ContainsFunc(list, func(other server) bool { return other.URL == s.URL }) {
			list = append(list, s)
		}
	}
	return list
}

// serverOf returns the server of a version. Its description names the version if the versions have different servers.
func serverOf(o Options, v schemas.Version) server {
	s := server{URL: o.Servers[v]}
	if slices.ContainsFunc(o.Versions, func(other schemas.Version) bool { return o.Servers[other] != s.URL }) {
		s.Description = "release " + string(v)
	}
	return s
}

// pathOf returns the path item of an operation in one version.
func pathOf(
	contract *schemas.Contract, v schemas.Version, op schemas.Operation, named map[*schemas.Schema]reference,
) (pathItem, error) {
	served := slices.IndexFunc(contract.Requirements, func(r schemas.Requirement) bool {
		return r.Section == "4" && r.Kind == schemas.Documented && slices.Contains(r.Operations, op)
	})
	if served < 0 {
		return pathItem{}, fmt.Errorf("the catalogue has no requirement for the answers to %s", op)
	}
	answer := schemaOrRef{reference: named[contract.Identifiers]}
	if op == schemas.GetUserAuth {
		record := named[contract.Record]
		answer = schemaOrRef{
			Description: "A record, or a list of records: which one is not shown (section 4.3).",
			OneOf:       []schemaOrRef{{reference: record}, {Type: "array", Items: &schemaOrRef{reference: record}}},
		}
	}
	return pathItem{Post: operation{
		OperationID: string(op) + strings.ToUpper(string(v)),
		Tags:        []string{string(v)},
		Summary:     string(op) + ", release " + string(v),
		Description: rulesText(contract, op),
		RequestBody: body{Required: true,
			Content: content(schemaOrRef{reference: named[contract.Request(op)]}, requestExample(op))},
		Responses: map[string]body{
			"2XX": {Description: contract.Requirements[served].Statement, Content: content(answer, answerExample(op))},
			"default": {Description: "A refusal, of a request that must not be served or for a user who has nothing. " +
				"Its status, headers and body are not shown (section 7); it holds no record and no identifiers."},
		},
	}}, nil
}

// rulesText lists the requirements of an operation beyond the shape of its answers, which the schemas define.
func rulesText(contract *schemas.Contract, op schemas.Operation) string {
	var list strings.Builder
	list.WriteString("What a right service does:\n\n")
	for _, r := range contract.Requirements {
		inSchemas := r.Section == "2" || strings.HasPrefix(r.Section, "2.")
		if r.Kind == schemas.Documented && !r.Parity && !inSchemas && slices.Contains(r.Operations, op) {
			list.WriteString(item(r))
		}
	}
	return list.String()
}

// item formats a requirement as a Markdown list item.
func item(r schemas.Requirement) string { return "- " + r.Statement + " (" + r.ID + ")\n" }
