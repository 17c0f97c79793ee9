// Package schemas is the contract of the Authenticator API as data: JSON Schemas (draft-07) of its messages, the
// catalogue of its requirements, and the small amount of code that embeds, checks and compiles them, and accepts right
// answers quickly.
//
// The schema files and requirements.yaml are the contract; nothing in the Go code repeats what they say. A test refuses
// files that another draft-07 validator could read differently. So a service's owner can judge with the schema files
// alone and get the same result.
package schemas

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed *.schema.json requirements.yaml versions.yaml
var embedded embed.FS

// The files that the code names more than once.
const (
	recordFile    = "authenticator.schema.json"
	formatsFile   = "formats.schema.json"
	catalogueFile = "requirements.yaml"
	versionsFile  = "versions.yaml"
)

// contractFiles lists the schema files of the contract. It excludes those of the suite's own output (report, baseline,
// summary of a sweep, findings), which do not concern a target's answers.
func contractFiles() []string {
	return []string{
		recordFile, "device.schema.json", "find-by-user-ids-request.schema.json", formatsFile,
		"get-user-auth-request.schema.json", "guid-array.schema.json",
	}
}

// Contract is what the document shows, ready to be judged against. It is safe for concurrent use as long as nobody
// changes its fields.
type Contract struct {
	// Shapes are those of all versions together, with each member that any version has. Of returns those of one.
	Shapes
	// Versions are the releases of the API, and Pairs those that are compared, in the document's order.
	Versions []Version
	Pairs    []Pair
	// Requirements is the catalogue, in the document's order.
	Requirements []Requirement
	// Digest identifies this contract: "sha256:" and the hex digest over the names and bytes of the contract's files.
	// It excludes the schemas of the suite's own output.
	Digest string

	of    map[Version]*Shapes
	inOne map[Pair][]string

	formerly []string
}

// Load checks and compiles the embedded contract. An error names the file and the place in it. The shipped files cause
// none.
func Load() (*Contract, error) { return LoadFiles(embedded) }

// LoadFiles is Load for another edition of the contract: its files, with the names of those of Files.
func LoadFiles(files fs.FS) (*Contract, error) {
	c := &Contract{}
	if err := c.readVersions(files); err != nil {
		return nil, err
	}
	if err := c.readCatalogue(files); err != nil {
		return nil, err
	}
	if err := c.readShapes(files); err != nil {
		return nil, err
	}
	digest, err := digestOf(files)
	c.Digest = digest
	return c, err
}

// FoldName returns the name of a member without what near misses of it differ in: case, hyphens and underscores (J8).
func FoldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// Is reports whether a digest is that of this contract, or of earlier files that say the same.
func (c *Contract) Is(digest string) bool {
	return digest == c.Digest || slices.Contains(c.formerly, digest)
}

// Requirement returns a row of the catalogue by its id, or false if there is none.
func (c *Contract) Requirement(id string) (Requirement, bool) {
	for _, r := range c.Requirements {
		if r.ID == id {
			return r, true
		}
	}
	return Requirement{}, false
}

// OutputSchema returns the schema of a file that the suite writes: report, baseline, sweep or findings, which is that
// of a line. Members that it does not name are allowed, so that later versions of the suite may add some. It is
// compiled once: a merge reads many summaries.
func OutputSchema(name string) *Schema {
	compiled, _ := outputSchemas.LoadOrStore(name, sync.OnceValue(func() *Schema {
		file := name + ".schema.json"
		return must(compile(must(readSchemas(embedded, formatsFile, "findings.schema.json", file))))[file]
	}))
	return compiled.(func() *Schema)()
}

var outputSchemas sync.Map // of functions, by name

// Files returns the embedded *.schema.json files and requirements.yaml, unchanged.
func Files() fs.FS { return embedded }

// Digest returns the digest of the embedded contract, as Contract.Digest, without loading it.
func Digest() (string, error) { return digestOf(embedded) }

// digestOf hashes names and contents of the contract's files, each preceded by its length, so that different sets of
// files can't give the same input.
func digestOf(files fs.FS) (string, error) {
	hash := sha256.New()
	for _, name := range append(contractFiles(), catalogueFile, versionsFile) {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return "", fmt.Errorf("the contract's file %s can't be read: %w", name, err)
		}
		fmt.Fprintf(hash, "%d %s %d ", len(name), name, len(content))
		hash.Write(content)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
