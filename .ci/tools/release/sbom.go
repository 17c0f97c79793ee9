package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom returns the bill of materials of a binary as CycloneDX JSON: its modules with their licenses, and the standard
// library. cyclonedx-gomod reads them from the binary and the module cache. It has no time and no serial number.
func sbom(b *builder, binary string) ([]byte, error) {
	command := exec.Command("go", "tool", "cyclonedx-gomod", "bin", "-json", "-noserial", "-notimestamp", "-std",
		"-licenses", "-version", "v"+b.version, binary)
	command.Dir = filepath.Join(b.root, ".ci", "tools")
	content, err := output(command)
	if err != nil {
		return nil, err
	}
	bom := &cdx.BOM{}
	if err := cdx.NewBOMDecoder(bytes.NewBufferString(content), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		return nil, fmt.Errorf("the SBOM of %s: %w", filepath.Base(binary), err)
	}
	// The tool's own digests differ by the machine that compiled it.
	if tools := bom.Metadata.Tools; tools != nil && tools.Tools != nil {
		for i := range *tools.Tools {
			(*tools.Tools)[i].Hashes = nil
		}
	}
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return out.Bytes(), err
}
