package sweep_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/internal/throttle"
	"authenticator-conformance/suites/sweep"
)

// parseOptions are what the command makes of arguments, in a pod with the index 3.
func parseOptions(arguments ...string) (sweep.Options, error) {
	set := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	settings.AddFlags(settings.Sweep, set) // they share the command line
	flags := sweep.AddFlags(set)
	if err := set.Parse(arguments); err != nil {
		return sweep.Options{}, err
	}
	Expect(set.Args()).To(BeEmpty())
	return flags.Options(podEnvironment("3"))
}

var _ = Describe("The flags of a sweep", func() {
	whole := stats.Shard{Index: 1, Of: 1}

	DescribeTable("change nothing if they are not given", func(arguments ...string) {
		Expect(parseOptions(arguments...)).To(Equal(sweep.Options{Seed: 1, Shard: whole}))
	}, Entry("none"), Entry("those of the settings alone", "--concurrency", "3", "--rate", "5"))

	DescribeTable("are taken", func(want sweep.Options, arguments ...string) {
		Expect(parseOptions(arguments...)).To(Equal(want))
	},
		Entry("to resume", sweep.Options{Seed: 1, Shard: whole, Resume: true}, "--resume"),
		Entry("to resume, with the value begun", sweep.Options{Seed: 1, Shard: whole, Resume: true}, "--resume=begun"),
		Entry("to resume or to start", sweep.Options{Seed: 1, Shard: whole, Resume: true, CountStart: true},
			"--resume=if-begun"),
		Entry("to start again", sweep.Options{Seed: 1, Shard: whole}, "--restart"),
		Entry("a sample", sweep.Options{Seed: 7, Shard: whole, Sample: 300_000}, "--sample", "300000", "--seed", "7"),
		Entry("a sample of one", sweep.Options{Seed: 1, Shard: whole, Sample: 1}, "--sample=1"),
		Entry("a sample of the only shard", sweep.Options{Seed: 1, Shard: whole, Sample: 5}, "--sample=5",
			"--shard=1/1"),
		Entry("the largest seed", sweep.Options{Seed: 1<<64 - 1, Shard: whole}, "--seed", "18446744073709551615"),
		Entry("the seed 0", sweep.Options{Shard: whole}, "--seed", "0"),
		Entry("a budget", sweep.Options{Seed: 1, Shard: whole, Budget: 1_000_000_000_000}, "--budget", "1000000000000"),
		Entry("a shard", sweep.Options{Seed: 1, Shard: stats.Shard{Index: 3, Of: 16}}, "--shard", "3/16"),
		Entry("the shard of a pod", sweep.Options{Seed: 1, Shard: stats.Shard{Index: 4, Of: 16}}, "--shard", "*/16"),
		Entry("a shard and its seed", sweep.Options{Seed: 9, Shard: stats.Shard{Index: 3, Of: 16}}, "--shard", "3/16",
			"--seed", "9"),
		Entry("all that go together", sweep.Options{Seed: 9, Shard: stats.Shard{Index: 3, Of: 16}, Budget: 5,
			Resume: true}, "--resume", "--budget", "5", "--seed", "9", "--shard", "3/16"),
	)

	It("take a window of hours", func() {
		o, err := parseOptions("--window", "22:00-06:00")
		Expect(err).NotTo(HaveOccurred())
		want, err := throttle.ParseWindow("22:00-06:00")
		Expect(err).NotTo(HaveOccurred())
		Expect(o.Window).To(Equal(want))
		Expect(o.Window).NotTo(Equal(throttle.Window{}))
	})

	DescribeTable("are named if they are wrong", func(flag, what string, arguments ...string) {
		_, err := parseOptions(arguments...)
		Expect(err).To(MatchError(And(ContainSubstring("--"+flag), ContainSubstring(what))))
	},
		testkit.Entries("wrong-flags"),
	)
})
