package sweep_test

import (
	"errors"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// flagCase has flags in a pod with an index, and perhaps the name of a report folder.
type flagCase struct {
	Name     string
	Args     []string
	Pod, Dir string
	Says     string
}

// parseFlags is what becomes of the flags, or of the report folder if there is one, in words.
func (c flagCase) parseFlags() (string, error) {
	set := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	settings.AddFlags(settings.Sweep, set) // they share the command line
	flags := sweep.AddFlags(set)
	if err := set.Parse(c.Args); err != nil {
		return "", err
	}
	Expect(set.Args()).To(BeEmpty())
	pod := []string{"PATH=/bin", "JOB_COMPLETION_INDEX=" + c.Pod, "HOME=/"}
	if c.Dir != "" {
		return sweep.ReportDir(c.Dir, set.Lookup("shard").Value.String(), pod)
	}
	options, err := flags.Options(settings.Read(settings.Sweep, set, c.Args, nil), pod)
	return fmt.Sprintf("%+v", options), err
}

var _ = Describe("The flags of a sweep", func() {
	const file = "testdata/flags.yaml"
	for _, c := range testkit.Cases[flagCase](file) {
		It("lead to options, a folder or an error that names them: "+c.Name, func() {
			if c.Pod == "" {
				c.Pod = "3"
			}
			text, err := c.parseFlags()
			if err == nil {
				err = errors.New(text)
			}
			testkit.Says(file, c.Name, c.Says, err)
		})
	}

	It("need the index of the pod for */16", func() {
		for _, environ := range [][]string{nil, {"JOB_COMPLETION_INDEX"}, {"JOB_COMPLETION_INDEX="},
			{"JOB_COMPLETION_INDEX_=3"}, {"XJOB_COMPLETION_INDEX=3"}, {"job_completion_index=3"}} {
			_, err := sweep.ParseShard("*/16", environ)
			Expect(err).To(MatchError(ContainSubstring("JOB_COMPLETION_INDEX")), strings.Join(environ, " "))
		}
	})
})
