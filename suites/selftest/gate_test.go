package selftest_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/mutants"
)

// gateSpecs lead a baseline through its life: recorded, held against a service that got worse, refreshed, held against one
// that got better; and refuse baselines that say less than the run.
func gateSpecs(r *rig) {
	Describe("A baseline", func() {
		right := func() *httptest.Server { return httptest.NewServer(referenceOf(knownUsers())) }
		broken := func() *httptest.Server {
			m, found := mutants.Find("flags-fraction-v6")
			Expect(found).To(BeTrue())
			return httptest.NewServer(m.Serve(referenceOf(knownUsers())))
		}
		run := func(server *httptest.Server, args ...string) (*report, *outcome) {
			defer server.Close()
			o := r.call(r.certify(server.URL, args...))
			return sound(o), o
		}

		It("names what is new, lets pass what is known, and calls stale what is repaired", func() {
			baseline := filepath.Join(r.work(), "baseline.json")

			_, o := run(right(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(0), o.said())
			_, o = run(right(), "--baseline", baseline)
			Expect(o.code).To(Equal(0), o.said())

			report, o := run(broken(), "--baseline", baseline)
			Expect(o.code).To(Equal(1), o.said())
			Expect(report.Baseline.New).To(ContainElement(HaveField("Requirement", "2.1/Flags")))
			Expect(report.Baseline.Stale).To(BeEmpty())
			Expect(o.stdout).To(ContainSubstring("new: v6 2.1/Flags at /Flags"))

			_, o = run(broken(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(1), o.said())
			report, o = run(broken(), "--baseline", baseline)
			Expect(o.code).To(Equal(0), "what is known may fail: %s", o.said())
			Expect(report.Baseline.New).To(BeEmpty())
			Expect(report.Baseline.Known).To(ContainElement(HaveField("Requirement", "2.1/Flags")))

			report, o = run(right(), "--baseline", baseline)
			Expect(o.code).To(Equal(1), "what is repaired is stale: %s", o.said())
			Expect(report.Baseline.Stale).To(ContainElement(HaveField("Requirement", "2.1/Flags")))
			Expect(o.stdout).To(ContainSubstring("stale: v6 2.1/Flags at /Flags"))

			_, o = run(right(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(0), o.said())
			_, o = run(right(), "--baseline", baseline)
			Expect(o.code).To(Equal(0), o.said())
		})

		It("finds the same causes at another host, for other users, in another order", func() {
			folder := r.work()
			baseline, users := filepath.Join(folder, "baseline.json"), filepath.Join(folder, "users.yaml")
			Expect(os.WriteFile(users, []byte("- {id: fbc1af89-7d69-4938-84f7-18fd250c67f3, userId: \"10021\"}\n"), 0o600)).To(Succeed())
			_, o := run(broken(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(1), o.said())
			server := broken()
			defer server.Close()
			o = r.call(command{args: []string{"run", "--target-url", server.URL, "--users", users, "--baseline", baseline}, env: credentials()})
			Expect(sound(o).Baseline.New).To(BeEmpty(), o.said())
			Expect(o.code).To(Equal(0), o.said())
		})

		DescribeTable("is refused", func(spoil func(map[string]any), reason string, args ...string) {
			baseline := filepath.Join(r.work(), "baseline.json")
			_, o := run(right(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(0), o.said())
			spoilt(baseline, spoil)
			target := count(referenceOf(knownUsers()))
			o = r.call(r.certify(target.URL, append(args, "--baseline", baseline)...))
			Expect(o.code).To(Equal(2), o.said())
			Expect(o.stderr).To(And(ContainSubstring("baseline.json"), ContainSubstring(reason)), o.said())
			Expect(target.requests.Load()).To(BeZero())
		},
			Entry("with a requirement removed", func(r map[string]any) {
				r["requirements"] = r["requirements"].([]any)[1:]
			}, "it lacks 2.1/AuthenticationCountLimit v5"),
			Entry("of another contract", func(r map[string]any) {
				r["suite"].(map[string]any)["contract"] = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
			}, "another contract"),
			Entry("of a narrowed run", func(r map[string]any) { r["complete"] = false }, "not complete"),
			Entry("of a run that was not carried out", func(r map[string]any) { r["verdict"] = "error" }, "could not be carried out"),
			Entry("with an unknown requirement", func(r map[string]any) {
				r["requirements"].([]any)[0].(map[string]any)["id"] = "2.1/Colour"
			}, "2.1/Colour"),
			Entry("with an unknown member", func(r map[string]any) { r["colour"] = "red" }, "colour"),
			Entry("that is no report", func(r map[string]any) { delete(r, "requirements") }, "/requirements"),
			Entry("where the run leaves rows out", func(map[string]any) {}, "leaves out", "--versions", "v5"),
		)

		It("brings nothing to a terminal that does something there", func() {
			baseline := filepath.Join(r.work(), "baseline.json")
			_, o := run(broken(), "--update-baseline", baseline)
			Expect(o.code).To(Equal(1), o.said())
			spoilt(baseline, func(report map[string]any) {
				for _, row := range report["requirements"].([]any) {
					for _, cause := range row.(map[string]any)["causes"].([]any) {
						cause.(map[string]any)["kind"], cause.(map[string]any)["pointer"] = "\x1b[31mred", "/a\x1b]0;x\a"
					}
				}
			})
			_, o = run(right(), "--baseline", baseline) // sound looks for escape bytes
			Expect(o.code).To(Equal(1), o.said())
			Expect(o.stdout).To(ContainSubstring(`stale: v6 2.1/Flags at /a\u001b]0;x\u0007, \u001b[31mred`))
		})

		It("is not written by a run that was narrowed", func() {
			folder := r.work()
			baseline := filepath.Join(folder, "baseline.json")
			_, o := run(right(), "--update-baseline", baseline, "--label-filter", "2.1")
			Expect(o.code).To(Equal(2), o.said())
			Expect(o.stderr).To(ContainSubstring("--update-baseline"))
			Expect(baseline).NotTo(BeAnExistingFile())
		})
	})
}

// spoilt changes a report that stands in a file.
func spoilt(path string, spoil func(map[string]any)) {
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	var value map[string]any
	Expect(json.Unmarshal(content, &value)).To(Succeed())
	spoil(value)
	content, err = json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(path, content, 0o600)).To(Succeed())
}
