// Package openapi writes the contract as an OpenAPI 3.1 document, for tools such as mocks, client generators and
// gateways. It is derived from the JSON Schemas and the catalogue; nothing that these define is written by hand.
package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v4"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/strictjson"
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

// Example has the answers of a conforming service for one user.
type Example struct {
	User          settings.User
	ApplicationID string
	Record        json.RawMessage // §2.1
	Identifiers   []string        // §2.3
}

//go:embed openapi.yaml.tmpl
var source string

var layout = template.Must(template.New("openapi").Funcs(template.FuncMap{
	"json":  func(value any) (string, error) { text, err := strictjson.Encode(value); return string(text), err },
	"upper": func(v schemas.Version) string { return strings.ToUpper(string(v)) },
}).Parse(source))

// document has what the template inserts.
type document struct {
	Suite, Contract, Alike, Parity, Schemas string
	Versions                                []schemas.Version
	Servers                                 []server
	Paths                                   []endpoint
	Examples                                []example
}

type (
	server struct {
		URL     string
		Version schemas.Version // "" if all versions have the same server
	}
	// endpoint is an operation in one version. Request and Answer are references to schemas.
	endpoint struct {
		Path                           string
		Version                        schemas.Version
		Operation                      schemas.Operation
		Server                         *server // nil: that of the document
		Rules, Served, Request, Answer string
		Lists                          bool // the answer may also be a list
	}
	example struct{ Name, Summary, Value string }
)

// New returns the document. An error means that the contract lacks something.
func New(suite *spec.Suite, o Options) (*Document, error) {
	contract := suite.Contract
	named := &components{byName: map[string]*yaml.Node{}, first: contract.Of(o.Versions[0])}
	d := document{Suite: o.Suite, Contract: contract.Digest, Versions: o.Versions, Servers: serversOf(o)}
	for _, r := range contract.Requirements {
		if r.Parity && r.Setting == "" {
			d.Parity += item(r)
		}
	}
	d.Alike = "Both releases are described alike"
	first := contract.Versions[0]
	another := func(v schemas.Version) bool { return contract.Of(v) != contract.Of(first) }
	if len(contract.Versions) != 2 || slices.ContainsFunc(contract.Versions, another) {
		d.Alike = "What releases have in common is described alike"
	}
	identifiers, _ := json.Marshal(o.Example.Identifiers) // strings have a JSON form
	answers := map[schemas.Operation]string{schemas.GetUserAuth: string(o.Example.Record),
		schemas.FindByUserIDs: string(identifiers)}
	for _, op := range schemas.Operations() {
		for _, v := range o.Versions {
			one, err := named.endpointOf(suite, op, v)
			if err != nil {
				return nil, err
			}
			if len(d.Servers) > 1 {
				one.Server = &server{o.Servers[v], v}
			}
			d.Paths = append(d.Paths, one)
		}
		request := exchange.Probe{Operation: op, User: o.Example.User}.Body(named.first.Request(op), exchange.Shown(""),
			o.Example.ApplicationID)
		d.Examples = append(d.Examples, example{string(op) + "Request", "a well-formed request", string(request)},
			example{string(op) + "Answer", "what the reference service answers", answers[op]})
	}
	slices.SortFunc(d.Paths, func(a, b endpoint) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(d.Examples, func(a, b example) int { return strings.Compare(a.Name, b.Name) })
	d.Schemas = string(named.json())
	var text bytes.Buffer
	if err := layout.Execute(&text, d); err != nil {
		return nil, fmt.Errorf("the OpenAPI document can't be written: %w", err)
	}
	root, err := readYAML(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document can't be written: %w", err)
	}
	return &Document{appendJSON(nil, root)}, nil
}

// serversOf returns the servers without duplicates.
func serversOf(o Options) (list []server) {
	for _, v := range o.Versions {
		if url := o.Servers[v]; url != "" && !slices.ContainsFunc(list, func(s server) bool { return s.URL == url }) {
			list = append(list, server{url, v})
		}
	}
	if len(list) == 1 {
		list[0].Version = ""
	}
	return list
}

// endpointOf returns an operation of a version, without its server, and adds its schemas.
func (c *components) endpointOf(suite *spec.Suite, op schemas.Operation, v schemas.Version) (p endpoint, err error) {
	c.version, c.of = v, suite.Contract.Of(v)
	answer := c.of.Identifiers
	p = endpoint{Path: schemas.Path(v, op), Version: v, Operation: op, Rules: "What a right service does:\n\n"}
	if op == schemas.GetUserAuth {
		answer, p.Lists = c.of.Record, true
	}
	for _, r := range suite.Contract.Requirements {
		if !r.In(v) || r.Kind != schemas.Documented || !slices.Contains(r.Operations, op) {
			continue
		}
		if r.Section == "4" {
			p.Served = r.Statement
		}
		if inSchemas := r.Section == "2" || strings.HasPrefix(r.Section, "2."); !r.Parity && !inSchemas {
			p.Rules += item(r)
		}
	}
	if p.Served == "" {
		return p, fmt.Errorf("the catalogue has no requirement for the answers to %s", op)
	}
	if p.Request, err = c.add(c.of.Request(op)); err == nil {
		p.Answer, err = c.add(answer)
	}
	for _, field := range emptyRefused(suite, op) {
		if err == nil {
			err = c.refuseEmpty(p.Request, field)
		}
	}
	return p, err
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

// item formats a requirement as a Markdown list item.
func item(r schemas.Requirement) string { return "- " + r.Statement + " (" + r.ID + ")\n" }
