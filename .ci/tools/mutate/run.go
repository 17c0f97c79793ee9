package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
)

type options struct {
	root, since, found, among, tests string
	packages                         []string
	needs                            bool
	limit                            int
	seed                             uint64
}

// survives stands in the file of -found for a mutant that no test found.
const survives = "SURVIVES"

// reasons has a line for each mutant that changes nothing: its key, " # ", and why.
//
//go:embed reasons.txt
var reasons string

// A test is a test binary, with the mutants that it reaches.
type test struct {
	path, dir, binary string
	took              time.Duration
	reaches           map[int]bool
	specs             []string
}

func run(ctx context.Context, o options) (int, error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	root, err := filepath.Abs(o.root)
	if err != nil {
		return 0, err
	}
	o.root = root
	mutants, overlay, err := o.mutants(work)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%d mutants of %d packages\n", len(mutants), len(o.packages))
	tests, err := o.build(ctx, work, overlay)
	if err != nil {
		return 0, err
	}
	if err := o.reach(ctx, work, tests); err != nil {
		return 0, err
	}
	chosen, err := o.chosen(mutants)
	if err != nil {
		return 0, err
	}
	if o.needs {
		for _, t := range tests {
			if len(t.reaches) > 0 {
				t.failures(ctx, 0)
			}
		}
		return 0, o.needed(ctx, chosen, tests)
	}
	return o.judge(ctx, chosen, tests)
}

// mutants writes the changed files and returns the overlay that has them.
func (o options) mutants(work string) ([]mutant, string, error) {
	loaded, err := packages.Load(&packages.Config{Dir: o.root, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, o.packages...)
	if err != nil {
		return nil, "", err
	}
	var all []mutant
	replace, next := map[string]string{}, 0
	write := func(path string, content []byte) error {
		to := filepath.Join(work, strconv.Itoa(len(replace))+".go")
		replace[path] = to
		return os.WriteFile(to, content, 0o600)
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, "", p.Errors[0]
		}
		for _, tree := range p.Syntax {
			path := p.Fset.Position(tree.Package).Filename
			name, err := filepath.Rel(o.root, path)
			if err != nil {
				return nil, "", err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, "", err
			}
			changed, mutants := mutated(name, content, p, tree, &next)
			all = append(all, mutants...)
			if err := write(path, changed); err != nil {
				return nil, "", err
			}
		}
		if err := write(filepath.Join(filepath.Dir(p.GoFiles[0]), "zz_mutant.go"),
			fmt.Appendf(nil, behind, p.Name)); err != nil {
			return nil, "", err
		}
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return all, overlay, os.WriteFile(overlay, content, 0o600)
}

// build compiles the tests that depend on a changed package.
func (o options) build(ctx context.Context, work, overlay string) ([]*test, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-test", "-f",
		"{{if .ForTest}}{{.ForTest}}\t{{.Dir}}\t{{join .Deps \" \"}}{{end}}"}, strings.Fields(o.tests)...)...)
	list.Dir, list.Stderr = o.root, os.Stderr
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var tests []*test
	for line := range strings.Lines(string(output)) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) < 2 || slices.ContainsFunc(tests, func(t *test) bool { return t.path == part[0] }) {
			continue
		}
		t := &test{path: part[0], dir: part[1], binary: filepath.Join(work, fmt.Sprintf("%d.test", len(tests))),
			reaches: map[int]bool{}}
		tests = append(tests, t)
	}
	for i, t := range tests {
		progress("compiling %d of %d tests", i+1, len(tests))
		compile := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-trimpath", "-overlay", overlay, "-o",
			t.binary,
			t.path)
		compile.Dir, compile.Env = o.root, append(os.Environ(), "CGO_ENABLED=0")
		if output, err := compile.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s can't be compiled: %w\n%s", t.path, err, output)
		}
	}
	return tests, nil
}

// reach runs each test without a mutant, and notes which mutants it reaches; then with all at once, the control.
func (o options) reach(ctx context.Context, work string, tests []*test) error {
	found := false
	for _, t := range tests {
		file := filepath.Join(work, "reached")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		_, _ = t.run(ctx, 0, file, 20*time.Minute) // a spec that counts allocations may fail
		started := time.Now()
		if failed, output := t.run(ctx, 0, "", 20*time.Minute); failed {
			return fmt.Errorf("%s fails without a mutant:\n%s", t.path, output)
		}
		t.took = time.Since(started)
		reached, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for n := range strings.FieldsSeq(string(reached)) {
			number, _ := strconv.Atoi(n)
			t.reaches[number] = true
		}
		if len(t.reaches) == 0 {
			continue
		}
		if failed, _ := t.run(ctx, -1, "", t.limit()); !failed {
			if slices.ContainsFunc(o.packages, func(p string) bool { return t.dir == filepath.Join(o.root, p) }) {
				return fmt.Errorf("%s passes with all its mutants at once: the result is void", t.path)
			}
			fmt.Printf("%s passes with all mutants at once, so it is left out\n", t.path)
			clear(t.reaches)
			continue
		}
		found = true
		fmt.Printf("%6.1f s %5d mutants reached by %s\n", t.took.Seconds(), len(t.reaches), t.path)
	}
	if !found {
		return errors.New("no test fails with all mutants at once: the result is void")
	}
	slices.SortFunc(tests, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

func (t *test) limit() time.Duration { return 3*t.took + 20*time.Second }

// run reports whether the test fails with a mutant, and with what output.
func (t *test) run(ctx context.Context, n int, reached string, limit time.Duration, flags ...string) (bool, []byte) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if flags == nil {
		flags = []string{"-ginkgo.fail-fast"}
	}
	command := exec.CommandContext(ctx, t.binary, append(flags, "-test.count=1", "-ginkgo.no-color",
		"-ginkgo.succinct")...)
	command.Dir = t.dir
	command.WaitDelay = time.Second
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "AUTHN_") {
			command.Env = append(command.Env, v)
		}
	}
	command.Env = append(command.Env, "MUTANT="+strconv.Itoa(n), "MUTANT_REACHED="+reached)
	output, err := command.CombinedOutput()
	return err != nil, output
}

// chosen leaves out the mutants that are not asked for, and those of reasons.txt.
func (o options) chosen(all []mutant) ([]mutant, error) {
	excused := map[string]bool{}
	for line := range strings.Lines(reasons) {
		key, _, _ := strings.Cut(line, " # ")
		excused[key] = true
	}
	changed := o.changedLines()
	among := map[string]bool{}
	if o.among != "" {
		content, err := os.ReadFile(o.among)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(content)) {
			key, by, _ := strings.Cut(strings.TrimSpace(line), "\t")
			among[key] = by == survives
		}
	}
	all = slices.DeleteFunc(all, func(m mutant) bool {
		return excused[m.Key] || changed != nil && !changed[m.File][m.Line] || o.among != "" && !among[m.Key]
	})
	if o.limit > 0 && o.limit < len(all) {
		random := rand.New(rand.NewPCG(o.seed, 0))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:o.limit]
	}
	return all, nil
}

// changedLines are those that git diff shows, by file; nil for all.
func (o options) changedLines() map[string]map[int]bool {
	if o.since == "" {
		return nil
	}
	command := exec.Command("git", "-C", o.root, "diff", "--unified=0", o.since, "--", "*.go")
	output, _ := command.Output()
	changed, name := map[string]map[int]bool{}, ""
	for line := range strings.Lines(string(output)) {
		if after, ok := strings.CutPrefix(line, "+++ b/"); ok {
			name = strings.TrimSpace(after)
			changed[name] = map[int]bool{}
		}
		var from, count int
		if _, after, ok := strings.Cut(line, " +"); ok && strings.HasPrefix(line, "@@") {
			count = 1
			_, _ = fmt.Sscanf(after, "%d,%d", &from, &count)
			for i := range count {
				changed[name][from+i] = true
			}
		}
	}
	return changed
}

// judge runs the tests for each mutant and returns how many survive.
func (o options) judge(ctx context.Context, mutants []mutant, tests []*test) (int, error) {
	var log *os.File
	if o.found != "" {
		var err error
		if log, err = os.Create(o.found); err != nil {
			return 0, err
		}
		defer log.Close()
	}
	type count struct{ killed, all int }
	counts := map[string]*count{}
	var survivors []string
	var lock sync.Mutex
	var group sync.WaitGroup
	queue := make(chan mutant)
	done := 0
	for range runtime.NumCPU() {
		group.Go(func() {
			for m := range queue {
				by := killer(ctx, m, tests)
				if ctx.Err() != nil {
					continue
				}
				lock.Lock()
				done++
				dir := filepath.Dir(m.File)
				if counts[dir] == nil {
					counts[dir] = &count{}
				}
				counts[dir].all++
				if by != "" {
					counts[dir].killed++
				} else {
					survivors = append(survivors, fmt.Sprintf("%s:%d\t%s", m.File, m.Line, m.Key))
				}
				if log != nil {
					fmt.Fprintf(log, "%s\t%s\n", m.Key, cmp.Or(by, survives))
				}
				progress("%d of %d mutants, %d survive ", done, len(mutants), len(survivors))
				lock.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		queue <- m
	}
	close(queue)
	group.Wait()
	progress("\n")
	slices.Sort(survivors)
	for _, s := range survivors {
		fmt.Println("survives:", s)
	}
	for _, dir := range slices.Sorted(func(yield func(string) bool) {
		for d := range counts {
			if !yield(d) {
				return
			}
		}
	}) {
		fmt.Printf("%-30s %4d of %4d mutants found\n", dir, counts[dir].killed, counts[dir].all)
	}
	if done == 0 {
		return 0, errors.New("no mutant was tried")
	}
	return len(survivors), ctx.Err()
}

// progress writes a line over the last one, on a terminal only.
func progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r"+format, args...)
	}
}

// killer returns the test that finds a mutant: its package, and the text of the first spec that fails.
func killer(ctx context.Context, m mutant, tests []*test) string {
	own := func(t *test) bool { return strings.HasSuffix(t.dir, "/"+filepath.Dir(m.File)) }
	for _, first := range []bool{true, false} {
		for _, t := range tests {
			if own(t) != first || !t.reaches[m.Number] {
				continue
			}
			if failed, output := t.run(ctx, m.Number, "", t.limit()); failed {
				return filepath.Base(t.path) + ": " + firstFailure(output)
			}
		}
	}
	return ""
}

func firstFailure(output []byte) string {
	for line := range bytes.Lines(output) {
		for _, word := range []string{"[FAIL] ", "[PANICKED!] ", "[TIMEDOUT] "} {
			if _, after, ok := bytes.Cut(line, []byte(word)); ok {
				return string(bytes.TrimSpace(after))
			}
		}
	}
	return "it ends without a failed spec"
}
