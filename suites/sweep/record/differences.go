package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report/stats"
)

// Source is a findings.ndjson from which differences.csv is made.
type Source struct {
	Folder string
	Digest string      // of all its lines but the footer, from sweep.json
	Shard  stats.Shard // that is merged; zero: the sweep that writes the list
}

// WriteDifferences writes differences.csv: a header, and a line for each user, operation and cause that differs or
// breaks the contract, with a column for what each version shows, headed by heads. Waived findings, and users who could
// not be compared, are left out. It holds one user at a time in memory.
//
// The error names a file that is incomplete or does not have its digest.
func WriteDifferences(w io.Writer, heads map[schemas.Version]string, sources []Source) error {
	out := &differences{csv: csv.NewWriter(w), versions: slices.Sorted(maps.Keys(heads))}
	out.csv.UseCRLF = true // RFC 4180
	out.write(heads, DifferencesHead()...)
	for _, s := range sources {
		path := filepath.Join(s.Folder, stats.FindingsFile)
		err := out.read(path, s.Digest)
		if err != nil && s.Shard.Of > 0 {
			err = fmt.Errorf("%w; copy the folder of shard %s again, whole, or sweep that shard again", err, s.Shard)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	out.csv.Flush()
	return out.csv.Error()
}

// DifferencesHead returns the first cells of the first line of differences.csv, those before the versions.
func DifferencesHead() []string {
	return []string{"user", "id", "operation", "requirement", "place", "kind"}
}

// IsFormula reports whether a spreadsheet would evaluate a cell as a formula, if it did not begin with apostrophes.
func IsFormula(cell string) bool {
	text := strings.TrimLeft(cell, "'")
	return text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0]))
}

// differences buffers the findings of one user, because a cause that both versions show becomes one line.
type differences struct {
	csv      *csv.Writer
	versions []schemas.Version
	user     []stats.Finding
}

func (d *differences) read(path, digest string) error {
	_, found, err := ReadFindings(path, d.add)
	if err != nil {
		return err
	}
	d.flush()
	if found != digest {
		return fmt.Errorf("belongs to another sweep, or was changed: its digest is %s, and %s beside it says %s", found,
			stats.SummaryFile, digest)
	}
	return nil
}

// ErrNotComplete means that a findings.ndjson has no last line.
var ErrNotComplete = errors.New("has no footer, so it is not complete")

// ReadFindings calls each for the findings of a findings.ndjson. It returns the header, and the digest of all lines but
// the footer. It is an error if there is no footer. Errors do not contain the path.
func ReadFindings(path string, each func(stats.Finding)) (header Header, digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return header, "", errors.Unwrap(err)
	}
	defer file.Close()
	reader, lines := bufio.NewReaderSize(file, 1<<16), sha256.New()
	isKind := func(line []byte, kind string) bool { return bytes.HasPrefix(line, []byte(`{"line":"`+kind+`"`)) }
	for {
		line, err := reader.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return header, "", ErrNotComplete
		case err != nil:
			return header, "", err
		case isKind(line, footerLine):
			return header, fmt.Sprintf("sha256:%x", lines.Sum(nil)), nil
		}
		_, _ = lines.Write(line) // a hash never fails
		switch {
		case isKind(line, findingLine):
			var f stats.Finding
			if err = json.Unmarshal(line, &f); err == nil {
				each(f)
			}
		case isKind(line, headerLine):
			if err = json.Unmarshal(line, &header); err != nil {
				break
			}
			if err = strictjson.CheckFormat(header.Format, header.Suite); err != nil {
				err = fmt.Errorf("%w; sweep again with --restart", err)
			}
		}
		if err != nil {
			return header, "", err
		}
	}
}

func (d *differences) add(f stats.Finding) {
	if !f.Differs() && !f.Violates() {
		return
	}
	if len(d.user) > 0 && d.user[0].User.Index != f.User.Index {
		d.flush()
	}
	for i := range d.user {
		if other := &d.user[i]; sameCause(other, &f) && other.Version != f.Version {
			other.SetValue(f.Version, f.Values[f.Version])
			return
		}
	}
	d.user = append(d.user, f)
}

func sameCause(a, b *stats.Finding) bool {
	return a.Operation == b.Operation && a.Requirement == b.Requirement && a.Pointer == b.Pointer && a.Kind == b.Kind
}

func (d *differences) flush() {
	for i := range d.user {
		f := &d.user[i]
		d.write(f.Values, f.User.UserID, f.User.ID, string(f.Operation), f.Requirement, f.Pointer, f.Kind)
	}
	d.user = d.user[:0]
}

// write writes a line, and last what each version has. A cell that a spreadsheet would evaluate as a formula gets a
// leading apostrophe.
func (d *differences) write(values map[schemas.Version]string, cells ...string) {
	for _, v := range d.versions {
		cells = append(cells, values[v])
	}
	for i, cell := range cells {
		if IsFormula(cell) {
			cells[i] = "'" + cell
		}
	}
	_ = d.csv.Write(cells) // Flush reports the error
}
