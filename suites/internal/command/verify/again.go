package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/report/folder"
)

// Members of report.json that need not be the same: what another release may word or count in another way, and what
// follows from rows that can't be judged again.
var (
	ofRelease = []string{"excluded", "fingerprints", "observations", "rootCauses", "settings", "suite", "unsteady"}
	ofRows    = []string{"certifies", "complete", "counts", "lacking", "observations", "rootCauses", "unsteady",
		"validUntil", "verdict"}
)

// compareMembers says how the members of the report but its rows differ from those of one made again.
func (c *certificate) compareMembers(again *report.Report, whole, open bool) (differing []string) {
	said, shown := membersOf(&c.report), membersOf(again)
	all := maps.Clone(said)
	maps.Copy(all, shown)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "requirements" || !whole && slices.Contains(ofRelease, name) ||
			open && slices.Contains(ofRows, name) || bytes.Equal(said[name], shown[name]) {
			continue
		}
		differing = append(differing, name+": "+differ(said[name], shown[name]))
	}
	return differing
}

func membersOf(r *report.Report) (members map[string]json.RawMessage) {
	var text, compact bytes.Buffer
	_ = report.WriteJSON(&text, r) // into memory, what is JSON
	_ = json.Compact(&compact, text.Bytes())
	_ = json.Unmarshal(compact.Bytes(), &members)
	return members
}

// differ says how two texts differ, from shortly before their first difference.
func differ(said, shown []byte) string {
	at := 0
	for at < min(len(said), len(shown)) && said[at] == shown[at] {
		at++
	}
	if at -= 50; at <= 0 {
		return fmt.Sprintf("the report says %.100s, the evidence %.100s", said, shown)
	}
	return fmt.Sprintf("the report says …%.100s, the evidence …%.100s", said[at:], shown[at:])
}

// compareFiles makes all files but the evidence and the statement again, and names those that have other bytes. Only
// those of a run that certifies need nothing else: other files name the folder, or an earlier certificate.
func (c *certificate) compareFiles(again *report.Report, store evidence.Store) (differing []string, err error) {
	content := folder.Content{Report: again, Store: store}
	for _, file := range content.Files(nil) {
		if !c.intact[file.Name] {
			continue
		}
		var made bytes.Buffer
		err := file.Write(&made)
		is, other := c.files.read(file.Name)
		if err = cmp.Or(err, other); err != nil {
			return nil, err
		}
		if !bytes.Equal(is, made.Bytes()) {
			differing = append(differing, file.Name+" is not what report and evidence give")
		}
	}
	return differing, nil
}
