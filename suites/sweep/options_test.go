package sweep_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// podEnvironment is the environment of a pod of an Indexed Job.
func podEnvironment(index string) []string {
	return []string{"PATH=/bin", "JOB_COMPLETION_INDEX=" + index, "HOME=/"}
}

// folderOf is what a report folder's name becomes with arguments, in a pod with the index 3.
func folderOf(dir string, arguments ...string) (string, error) {
	set := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	sweep.AddFlags(set)
	Expect(set.Parse(arguments)).To(Succeed())
	return sweep.ReportDir(dir, set.Lookup("shard").Value.String(), podEnvironment("3"))
}

var _ = Describe("A shard", func() {
	DescribeTable("is read", func(text string, index, of int) {
		Expect(sweep.ParseShard(text, nil)).To(Equal(stats.Shard{Index: index, Of: of}))
	},
		Entry("where it is not given: the whole", "", 1, 1), Entry("the only one", "1/1", 1, 1),
		Entry("the first", "1/16", 1, 16),
		Entry("one of them", "3/16", 3, 16), Entry("the last", "16/16", 16, 16),
		Entry("of many", "100000/100000", 100_000, 100_000),
	)

	DescribeTable("is refused if it is none", func(text string) {
		_, err := sweep.ParseShard(text, podEnvironment("3"))
		Expect(err).To(MatchError(And(HavePrefix("--shard: expected a shard"), ContainSubstring("such as"),
			ContainSubstring(fmt.Sprintf("%q", text)))))
	},
		testkit.Entries("wrong-options"),
	)

	DescribeTable("is taken from the index of the pod", func(text, index string, want int) {
		shard, err := sweep.ParseShard(text, podEnvironment(index))
		Expect(err).NotTo(HaveOccurred())
		Expect(shard.Index).To(Equal(want), "shards count from 1, pods from 0")
		Expect(text).To(HaveSuffix(fmt.Sprintf("/%d", shard.Of)))
	},
		Entry("the first", "*/16", "0", 1), Entry("one of them", "*/16", "2", 3), Entry("the last", "*/16", "15", 16),
		Entry("the only one", "*/1", "0", 1),
	)

	DescribeTable("is refused if the index of the pod is wrong", func(text, index string) {
		_, err := sweep.ParseShard(text, podEnvironment(index))
		Expect(err).To(MatchError(And(HavePrefix("--shard "+text), ContainSubstring("JOB_COMPLETION_INDEX"),
			ContainSubstring("Indexed Job"), ContainSubstring(fmt.Sprintf("%q", index)))))
	},
		Entry("past the last", "*/16", "16"), Entry("below zero", "*/16", "-1"), Entry("nothing", "*/16", ""),
		Entry("a line break", "*/16", "3\n"),
		Entry("a whole shard", "*/16", "3/16"), Entry("the manifest's own text", "*/16", "$(JOB_COMPLETION_INDEX)"))

	It("is refused if the pod has no index", func() {
		for _, environ := range [][]string{nil, {"JOB_COMPLETION_INDEX"}, {"JOB_COMPLETION_INDEX_=3"},
			{"XJOB_COMPLETION_INDEX=3"}, {"job_completion_index=3"}} {
			_, err := sweep.ParseShard("*/16", environ)
			Expect(err).To(MatchError(ContainSubstring("JOB_COMPLETION_INDEX")), strings.Join(environ, " "))
		}
	})

	DescribeTable("has a folder by its number", func(shard, dir, want string) {
		Expect(folderOf(dir, "--shard", shard)).To(Equal(want))
	},
		Entry("the first", "1/16", "reports/shard-{shard}", "reports/shard-1"),
		Entry("the last", "16/16", "{shard}", "16"),
		Entry("that of the pod 3", "*/16", "/reports/shard-{shard}", "/reports/shard-4"),
		Entry("twice", "3/16", "{shard}/of-{shard}", "3/of-3"),
		Entry("none", "3/16", "reports/{shards}", "reports/{shards}"),
	)

	It("has no folder if its number is not known", func() {
		_, err := folderOf("shard-{shard}")
		Expect(err).To(MatchError(And(ContainSubstring("{shard}"), ContainSubstring("there is no --shard"))))
		_, err = folderOf("shard-{shard}", "--shard", "17/16")
		Expect(err).To(MatchError(ContainSubstring(`from 1 to 16, such as 1/16, found "17/16"`)))
		_, err = folderOf("shard-{shard}", "--shard", "*/3")
		Expect(err).To(MatchError(ContainSubstring("JOB_COMPLETION_INDEX")))
		Expect(folderOf("reports", "--shard", "17/16")).To(Equal("reports"),
			"what is wrong with the shard is said later")
	})

	It("needs no index of a pod if it is given as a number", func() {
		Expect(sweep.ParseShard("3/16", podEnvironment("nonsense"))).To(Equal(stats.Shard{Index: 3, Of: 16}))
		Expect(sweep.ParseShard("", podEnvironment("3"))).To(Equal(stats.Shard{Index: 1, Of: 1}))
	})
})
