package selftest_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sweepResumedSpecs go on with sweeps as they were begun, and otherwise.
func sweepResumedSpecs(r *rig) {
	town := townOf(200, plants())

	// begun is a sweep that was stopped in the middle, whose folder is kept as it was then.
	begun := func(target *befallen, more ...string) (command, map[string]string) {
		GinkgoHelper()
		folder := r.work()
		write(folder, "users.csv", []byte(town.csv()))
		c := r.sweepOf(target.URL, "users.csv", append(more, "--budget", "700")...)
		c.folder = folder
		o := r.call(c)
		report, _ := swept(o)
		Expect(report.Tally.Users).To(BeNumerically("~", 110, 70))
		c.args = slices.Clone(c.args[:len(c.args)-2])
		return c, filesOf(o.reports())
	}

	It("goes on only as it was begun, and only with the same users", func() {
		target := befall(town.target())
		DeferCleanup(target.Close)
		other := befall(town.target())
		DeferCleanup(other.Close)
		c, files := begun(target)
		reports := filepath.Join(c.folder, defaultReports)

		changed := func(change func(p people) people) string {
			return write(r.work(), "users.csv", []byte(change(slices.Clone(town.people)).csv()))
		}
		users := map[string]string{
			"one user changed":            changed(func(p people) people { p[20].UserID = "person-999999"; return p }),
			"the first user's id changed": changed(func(p people) people { p[0].ID = guidOf(999); return p }),
			"one user removed":            changed(func(p people) people { return slices.Delete(p, 10, 11) }),
			"one user inserted":           changed(func(p people) people { return slices.Insert(p, 30, p[199]) }),
			"two users in another order":  changed(func(p people) people { p[4], p[5] = p[5], p[4]; return p }),
			"fewer users":                 changed(func(p people) people { return p[:20] }),
			"users marked enrolled":       write(r.work(), "users.csv", []byte(strings.Replace(strings.ReplaceAll(town.csv(), "\n", ",true\n"), "userId,true", "userId,enrolled", 1))),
		}

		sent := target.requests.Load()
		attempt := func(says string, change func(c *command)) {
			GinkgoHelper()
			again := c
			again.args = append(slices.Clone(c.args), "--resume")
			change(&again)
			failedSweep(r.call(again), "--resume", says)
			left := filesOf(reports)
			for _, name := range []string{findingsFile, checkpointFile} {
				Expect(left[name] == files[name]).To(BeTrue(), "%s was changed", name)
			}
		}
		replace := func(c *command, old, now string) {
			c.args[slices.Index(c.args, old)] = now
		}
		for name, file := range users {
			By(name)
			attempt("users", func(c *command) { replace(c, "users.csv", file) })
		}
		attempt("another target", func(c *command) { replace(c, target.URL, other.URL) })
		attempt("parity", func(c *command) { c.args = append(c.args, "--parity", "shape") })
		attempt("sample", func(c *command) { c.args = append(c.args, "--seed", "2") })
		attempt("sample", func(c *command) { c.args = append(c.args, "--sample", "3") })
		attempt("shard", func(c *command) { c.args = append(c.args, "--shard", "1/2") })
		attempt("settings", func(c *command) { c.args = append(c.args, "--application-id", "another") })
		write(c.folder, "ignore.yaml", []byte("parity:\n  ignore:\n    - pointer: /Comment\n      reason: it is of no matter\n"))
		attempt("parity", func(c *command) { c.args = append(c.args, "--config", "ignore.yaml") })

		write(reports, findingsFile, []byte(files[findingsFile]+"{}\n")) // as a process leaves it that was killed while it wrote
		Expect(target.requests.Load()).To(Equal(sent), "nothing is sent before it is known to be the same sweep")
		again := c
		again.args = append(slices.Clone(c.args), "--resume", "--concurrency", "3", "--timeout", "9s")
		report, findings := swept(r.call(again))
		town.matches(report, findings)
	})

	It("goes on with the same users in another form", func() {
		target := befall(town.target())
		DeferCleanup(target.Close)
		c, _ := begun(target)
		c.args[slices.Index(c.args, "users.csv")] = write(r.work(), "users.ndjson.gz", gzippedOf(town.ndjson()))
		c.args = append(c.args, "--resume")
		report, findings := swept(r.call(c))
		town.matches(report, findings)
	})

	It("goes on behind a bad line, once that is mended", func() {
		target := befall(town.target())
		DeferCleanup(target.Close)
		lines := strings.SplitAfter(town.csv(), "\n")
		lines[150] = "no-guid,x\n"
		c := r.sweepOf(target.URL, "users.csv")
		c.folder = r.work()
		write(c.folder, "users.csv", []byte(strings.Join(lines, "")))
		failedSweep(r.call(c), "users.csv:151")
		write(c.folder, "users.csv", []byte(town.csv()))
		c.args = append(c.args, "--resume")
		report, findings := swept(r.call(c))
		town.matches(report, findings)
	})

	DescribeTable("does not go on with findings or a checkpoint that were changed", func(name string, change func(text string) string) {
		target := befall(town.target())
		DeferCleanup(target.Close)
		c, files := begun(target)
		reports := filepath.Join(c.folder, defaultReports)
		if changed := change(files[name]); changed != files[name] {
			write(reports, name, []byte(changed))
		} else {
			Expect(os.Remove(filepath.Join(reports, name))).To(Succeed())
		}
		c.args = append(c.args, "--resume")
		sent := target.requests.Load()
		failedSweep(r.call(c), "--resume")
		Expect(target.requests.Load()).To(Equal(sent))
	},
		Entry("findings that are gone", findingsFile, func(text string) string { return text }),
		Entry("findings that were cut", findingsFile, func(text string) string { return text[:len(text)/2] }),
		Entry("one finding changed", findingsFile, func(text string) string { return strings.Replace(text, "changed", "CHANGED", 1) }),
		Entry("findings of another sweep", findingsFile, func(text string) string { return strings.Replace(text, `"sweep":"`, `"sweep":"0`, 1) }),
		Entry("a checkpoint of more users", checkpointFile, func(text string) string { return strings.Replace(text, `"users":`, `"users":1`, 1) }),
		Entry("a checkpoint of negative users", checkpointFile, func(text string) string { return strings.ReplaceAll(text, `"users":`, `"users":-`) }),
		Entry("a checkpoint without a tally", checkpointFile, func(text string) string { return strings.Replace(text, `"tally":`, `"telly":`, 1) }),
		Entry("a checkpoint with something behind", checkpointFile, func(text string) string { return text + text }),
		Entry("a checkpoint of a later format", checkpointFile, func(text string) string { return strings.Replace(text, `"format":"1.0"`, `"format":"9.0"`, 1) }),
		Entry("a checkpoint whose findings end elsewhere", checkpointFile, func(text string) string { return strings.Replace(text, `"size":`, `"size":-`, 1) }),
	)

	It("reads a population of any form, and counts the same", func() {
		few := townOf(200, plants())
		target := httptest.NewServer(few.target())
		DeferCleanup(target.Close)
		csv, lines := few.csv(), few.ndjson()
		list := "[" + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", ",") + "]"
		var first map[string]any
		for _, form := range []struct {
			name, content string
			fed           bool // by standard input
		}{
			{"users.csv", csv, false},
			{"users.csv", "\ufeff" + strings.ReplaceAll(csv, "\n", "\r\n"), false},
			{"users.csv.gz", string(gzippedOf(csv)), false},
			{"users.csv.zst", string(zstandardOf(csv)), false},
			{"users.ndjson", lines, false},
			{"users.ndjson.gz", string(gzippedOf(lines[:5000])) + string(gzippedOf(lines[5000:])), false},
			{"users.ndjson.zst", string(zstandardOf(lines)), false},
			{"users.json", list, false},
			{"users.yaml", list, false},
			{"users", csv, true},
			{"users", lines, true},
			{"users", string(gzippedOf(csv)), true},
			{"users", string(gzippedOf(lines)), true},
			{"users", string(zstandardOf(lines)), true},
		} {
			c := r.sweepOf(target.URL, form.name)
			if form.fed {
				c = r.fed(r.sweepOf(target.URL, "-"), form.name)
			}
			c.folder = r.work()
			write(c.folder, form.name, []byte(form.content))
			o := r.call(c)
			report, findings := swept(o)
			few.matches(report, findings)
			if first == nil {
				first = counts(o)
			}
			Expect(counts(o)).To(Equal(first), "%s, by standard input %t", form.name, form.fed)
		}
	})

	It("goes on with standard input that is given again", func() {
		target := befall(town.target())
		DeferCleanup(target.Close)
		c := r.fed(r.sweepOf(target.URL, "-", "--budget", "1200", "--resume=if-begun"), "users")
		c.folder = r.work()
		write(c.folder, "users", []byte(town.ndjson()))
		swept(r.call(c))
		report, findings := swept(r.call(c))
		town.matches(report, findings)
	})
}

// fed is a command whose standard input is a file.
func (r *rig) fed(c command, file string) command {
	c.args = append([]string{"-c", `exec "$0" "$@" <"$INPUT"`, r.binary}, c.args...)
	c.binary, c.env = "sh", append(c.env, "INPUT="+file)
	return c
}
