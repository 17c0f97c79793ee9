package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "urn:authenticator-conformance:make-release:1"
	builderID     = "urn:authenticator-conformance:make"
)

// provenance returns an in-toto Statement with the SLSA provenance of the files: the commit, the toolchain and the
// build settings. It names no time and no machine, so it is the same for each build of a commit.
func provenance(b *builder, all artifacts) ([]byte, error) {
	parameters, err := structpb.NewStruct(map[string]any{"version": b.version})
	if err != nil {
		return nil, err
	}
	settings, err := structpb.NewStruct(map[string]any{
		"flags": strings.Join(b.flags(), " "), "environment": strings.Join(buildSettings, " "),
	})
	if err != nil {
		return nil, err
	}
	origin := &intoto.ResourceDescriptor{Name: "source", Uri: b.uri, Digest: map[string]string{"gitCommit": b.commit}}
	predicate, err := asStruct(&slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{
			BuildType: buildType, ExternalParameters: parameters, InternalParameters: settings,
			ResolvedDependencies: []*intoto.ResourceDescriptor{origin},
		},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: builderID,
			Version: map[string]string{"go": b.toolchain}}},
	})
	if err != nil {
		return nil, err
	}
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, PredicateType: predicateType, Predicate: predicate}
	for _, name := range all.names() {
		subject := &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{"sha256": all.digest(name)}}
		statement.Subject = append(statement.Subject, subject)
	}
	if err := statement.Validate(); err != nil {
		return nil, fmt.Errorf("the provenance is not a valid in-toto Statement: %w", err)
	}
	content, err := protojson.Marshal(statement)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer // protojson's white space is random
	err = json.Indent(&out, content, "", "  ")
	return append(out.Bytes(), '\n'), err
}

// asStruct returns a message as a JSON object, the type of a Statement's predicate.
func asStruct(message proto.Message) (*structpb.Struct, error) {
	content, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	object := &structpb.Struct{}
	return object, protojson.Unmarshal(content, object)
}
