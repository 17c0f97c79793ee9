package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// needed prints the specs without which the tests find the same mutants, with their file and line. Each of these could
// go alone; most could go together. Test and fuzz functions are kept, as are the specs that alone find a mutant.
func (o options) needed(ctx context.Context, mutants []mutant, tests []*test) error {
	finds := map[string]map[int]bool{}
	var lock sync.Mutex
	var group sync.WaitGroup
	queue := make(chan mutant)
	done := 0
	for range runtime.NumCPU() {
		group.Go(func() {
			for m := range queue {
				for _, t := range tests {
					if !t.reaches[m.Number] {
						continue
					}
					specs := t.failures(ctx, m.Number)
					lock.Lock()
					for _, s := range specs {
						if finds[s] == nil {
							finds[s] = map[int]bool{}
						}
						finds[s][m.Number] = true
					}
					lock.Unlock()
				}
				lock.Lock()
				done++
				progress("%d of %d mutants", done, len(mutants))
				lock.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() == nil {
			queue <- m
		}
	}
	close(queue)
	group.Wait()
	progress("\n")

	by := map[int][]string{}
	for s, numbers := range finds {
		for n := range numbers {
			by[n] = append(by[n], s)
		}
	}
	keep, covered := map[string]bool{}, map[int]bool{}
	take := func(s string) {
		keep[s] = true
		maps.Copy(covered, finds[s])
	}
	for s := range finds {
		if strings.HasPrefix(s, "func ") {
			take(s)
		}
	}
	for _, specs := range by {
		if len(specs) == 1 {
			take(specs[0])
		}
	}
	fresh := func(s string) (count int) {
		for n := range finds[s] {
			if !covered[n] {
				count++
			}
		}
		return count
	}
	for len(covered) < len(by) {
		take(slices.MaxFunc(slices.Sorted(maps.Keys(finds)), func(a, b string) int {
			return cmp.Compare(fresh(a), fresh(b))
		}))
	}
	fmt.Printf("%d of %d mutants are found by %d specs\n", len(by), len(mutants), len(keep))
	var all []string
	for _, t := range tests {
		if len(t.reaches) > 0 {
			all = append(all, t.specs...)
		}
	}
	slices.Sort(all)
	for _, s := range all {
		if !keep[s] {
			fmt.Printf("spare (finds %d): %s\n", len(finds[s]), s)
		}
	}
	return ctx.Err()
}

// failures returns the specs of a test that fail with a mutant; none if the process dies without a report.
func (t *test) failures(ctx context.Context, n int) []string {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "report.json")
	_, output := t.run(ctx, n, "", 3*t.took+5*time.Second, "-ginkgo.json-report="+file)
	all, failed := specsIn(file, t.dir)
	if n == 0 {
		t.specs = all
	}
	for line := range bytes.Lines(output) {
		if _, after, ok := bytes.Cut(line, []byte("--- FAIL: Fuzz")); ok {
			name, _, _ := bytes.Cut(after, []byte(" "))
			failed = append(failed, "func Fuzz"+string(name))
		}
	}
	return failed
}

// specsIn returns the specs of a report of Ginkgo, and those that failed.
func specsIn(file, dir string) (all, failed []string) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, nil
	}
	var reports []struct {
		SpecReports []struct {
			ContainerHierarchyTexts     []string
			ContainerHierarchyLocations []struct {
				FileName   string
				LineNumber int
			}
			LeafNodeText, LeafNodeType, State string
			LeafNodeLocation                  struct {
				FileName   string
				LineNumber int
			}
		}
	}
	if json.Unmarshal(content, &reports) != nil {
		return nil, nil
	}
	for _, r := range reports {
		for _, s := range r.SpecReports {
			if s.LeafNodeType != "It" {
				continue
			}
			at := s.LeafNodeLocation
			name := fmt.Sprintf("%s:%04d %s %s", filepath.Base(at.FileName), at.LineNumber,
				strings.Join(s.ContainerHierarchyTexts, " "), s.LeafNodeText)
			all = append(all, name)
			if s.State != "passed" && s.State != "skipped" {
				failed = append(failed, name)
			}
		}
	}
	return all, failed
}
