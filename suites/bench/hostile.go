package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"authenticator-conformance/fixtures/hostile"
)

// largest names the hostile targets whose answers take the most memory. One sends many wrong records, the other a
// decoded body of the maximum size. The self-test checks that no other target exceeds the bound.
func largest() []string { return []string{"body-many-wrong-records", "bound-decoded-body-at"} }

// hostile measures the peak memory of a run against the hostile targets that need the most.
func (w *workbench) hostile(t table) error {
	worst, name := int64(0), ""
	for _, target := range hostile.All() {
		if !slices.Contains(largest(), target.Name) {
			continue
		}
		peak, err := w.hostilePeak(target)
		if err != nil {
			return err
		}
		if peak > worst {
			worst, name = peak, target.Name
		}
	}
	t.memory("run, peak memory at the hostile target "+name, worst, hostileMemory)
	return nil
}

func (w *workbench) hostilePeak(target hostile.Target) (int64, error) {
	line, stop, err := w.start(hostileMode, target.Name, w.folder)
	if err != nil {
		return 0, err
	}
	defer stop()
	var flags []string
	if err := json.Unmarshal([]byte(line), &flags); err != nil {
		return 0, fmt.Errorf("the hostile target %s: %w", target.Name, err)
	}
	file, err := w.writeUsers(target.Users())
	if err != nil {
		return 0, err
	}
	s, err := measure(w.command(append([]string{"run", "--users", file, "--report-dir",
		filepath.Join(w.folder, "report")},
		flags...)...), target.ExitCodes...)
	return s.peak, err
}
