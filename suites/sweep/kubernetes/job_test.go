package kubernetes_test

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/sweep"
)

// arguments are those of the pod with an index, its files below folder, and its environment.
func (p pod) arguments(index int, folder string) (args, environ []string) {
	GinkgoHelper()
	below := func(list []string) (moved []string) {
		for _, text := range list {
			moved = append(moved, strings.Replace(text, "=/", "="+folder+"/", 1))
		}
		return moved
	}
	args = p.args(index)
	Expect(args[0]).To(Equal("sweep"))
	return below(args[1:]), below(p.environ(index))
}

// sweepFlags are the flags of the pod with an index, its files below folder, and its environment.
func (p pod) sweepFlags(index int, folder string) (*pflag.FlagSet, *sweep.Flags, []string) {
	GinkgoHelper()
	args, environ := p.arguments(index, folder)
	fs := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	settings.AddFlags(settings.Sweep, fs)
	flags := sweep.AddFlags(fs)
	Expect(fs.Parse(args)).To(Succeed())
	Expect(fs.Args()).To(BeEmpty())
	return fs, flags, environ
}

func flagText(fs *pflag.FlagSet, name string) string {
	GinkgoHelper()
	Expect(fs.Changed(name)).To(BeTrue(), "--"+name)
	return fs.Lookup(name).Value.String()
}

// onExitCodes is a rule for exit codes of the container.
func onExitCodes(action batch.PodFailurePolicyAction, codes ...int32) any {
	return And(HaveField("Action", action), HaveField("OnPodConditions", BeEmpty()),
		HaveField("OnExitCodes", And(HaveField("Operator", batch.PodFailurePolicyOnExitCodesOpIn),
			HaveField("ContainerName", HaveValue(Equal("conformance"))), HaveField("Values", Equal(codes)))))
}

// onDisruption is the rule for pods that are evicted, preempted or drained.
func onDisruption() any {
	condition := batch.PodFailurePolicyOnPodConditionsPattern{Type: core.DisruptionTarget, Status: core.ConditionTrue}
	return And(HaveField("Action", batch.PodFailurePolicyActionIgnore), HaveField("OnExitCodes", BeNil()),
		HaveField("OnPodConditions", HaveExactElements(condition)))
}

var _ = Describe("The Job of a sweep", Ordered, func() {
	const name = "conformance-sweep"
	var job batch.JobSpec
	var swept pod
	BeforeAll(func() {
		all := buildObjects()
		job, swept = all.jobs[name].Spec, all.pod(name)
	})

	It("waits for a patch, until the users are there", func() { Expect(*job.Suspend).To(BeTrue()) })

	It("sweeps each shard by one pod, in a folder of the shard's number", func() {
		Expect(*job.CompletionMode).To(Equal(batch.IndexedCompletion))
		pods := int(*job.Completions)
		Expect(pods).To(Equal(16))
		Expect(*job.Parallelism).To(BeEquivalentTo(16))
		for i := range pods {
			fs, flags, environ := swept.sweepFlags(i, "")
			options, err := flags.Options(environ)
			Expect(err).NotTo(HaveOccurred())
			Expect(options.Shard).To(Equal(stats.Shard{Index: i + 1, Of: pods}))
			Expect(sweep.ReportDir(flagText(fs, "report-dir"), flagText(fs, "shard"), environ)).To(
				Equal("/reports/shard-" + strconv.Itoa(i+1)))
		}
		_, flags, environ := swept.sweepFlags(pods, "")
		_, err := flags.Options(environ)
		Expect(err).To(HaveOccurred())
	})

	It("continues a shard that has a checkpoint, and begins one that has none", func() {
		_, flags, environ := swept.sweepFlags(0, "")
		options, err := flags.Options(environ)
		Expect(err).NotTo(HaveOccurred())
		Expect(options).To(And(HaveField("Resume", true), HaveField("CountStart", true)))
	})

	It("starts a pod again only if it has no verdict", func() {
		Expect(swept.RestartPolicy).To(Equal(core.RestartPolicyNever), "a pod failure policy takes no other")
		Expect(*job.BackoffLimitPerIndex).To(BeNumerically(">=", 10), "an outage at the beginning may last")
		Expect(job.BackoffLimit).To(BeNil(), "one shard's failures are no matter of the others")
		Expect(job.MaxFailedIndexes).To(BeNil(), "a shard in which a difference was found stops no other")
		Expect(job.PodFailurePolicy.Rules).To(HaveExactElements(onDisruption(),
			onExitCodes(batch.PodFailurePolicyActionIgnore, 4),
			onExitCodes(batch.PodFailurePolicyActionFailIndex, 1, 3)))
		Expect(swept.container().Name).To(Equal("conformance"))
	})

	It("gets the token as a file of a secret, and in no other way", func() {
		fs, _, environ := swept.sweepFlags(0, "")
		file := flagText(fs, "access-token-file")
		volume, mount := swept.volume(file)
		Expect(volume.Secret).NotTo(BeNil())
		Expect(mount.ReadOnly).To(BeTrue())
		Expect(volume.Secret.Items).To(HaveExactElements(HaveField("Path", path.Base(file))))
		Expect(*volume.Secret.DefaultMode&0o007).To(BeZero(), "it is readable for nobody else")
		Expect(*volume.Secret.DefaultMode&0o040).NotTo(BeZero(), "it is readable for the group of the pod")
		Expect(environ).NotTo(ContainElement(ContainSubstring("TOKEN")))
		Expect(strings.Join(swept.args(0), " ")).NotTo(MatchRegexp(`(?i)token(=|-file=[^/])`))
	})

	It("reads the users from a volume, and writes to one alone", func() {
		fs, _, environ := swept.sweepFlags(0, "")
		Expect(environ).To(ContainElement("AUTHN_USERS=/users/users.csv.zst"))
		users, mounted := swept.volume("/users/users.csv.zst")
		Expect(users.PersistentVolumeClaim.ClaimName).To(Equal("conformance-users"))
		Expect(users.PersistentVolumeClaim.ReadOnly && mounted.ReadOnly).To(BeTrue())
		reports, _ := swept.volume(flagText(fs, "report-dir"))
		Expect(reports.PersistentVolumeClaim.ClaimName).To(Equal("conformance-reports"))
		for _, mount := range swept.container().VolumeMounts {
			Expect(mount.ReadOnly).To(Equal(mount.Name != reports.Name), mount.Name)
		}
	})

	It("may trust a private CA, of a config map that need not be there", func() {
		with := buildObjects("# - AUTHN_CA=", "- AUTHN_CA=").pod(name)
		Expect(with.environ(0)).To(ContainElement("AUTHN_CA=/ca/ca.pem"))
		volume, mount := with.volume("/ca/ca.pem")
		Expect(volume.ConfigMap.Name).To(Equal("conformance-ca"))
		Expect(*volume.ConfigMap.Optional && mount.ReadOnly).To(BeTrue())
	})

	It("asks for what a sweep takes, and no more than that", func() {
		resources := swept.container().Resources
		Expect(resources.Requests.Cpu().MilliValue()).To(BeEquivalentTo(50))
		Expect(resources.Limits).NotTo(HaveKey(core.ResourceCPU))
		Expect(resources.Requests.Memory().Value()).To(BeNumerically(">=", 96<<20))
		Expect(resources.Limits.Memory().Value()).To(BeNumerically(">=", resources.Requests.Memory().Value()))
	})

	It("has settings that a sweep takes", func() {
		folder := GinkgoT().TempDir()
		Expect(os.MkdirAll(filepath.Join(folder, "secrets"), 0o700)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "secrets", "token"), []byte("a-token-of-the-target\n"), 0o600)).To(
			Succeed())
		fs, _, _ := swept.sweepFlags(3, folder)
		args, environ := swept.arguments(3, folder)
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		s, err := settings.Read(settings.Sweep, fs, args, environ).Resolve(settings.Defaults{}, contract, time.Now())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal("a-token-of-the-target"))
		Expect(s.Embedded).To(BeFalse())
		Expect(s.UsersFile).To(HavePrefix(folder))
		Expect(s.ReportDir).To(Equal(filepath.Join(folder, "reports", "shard-{shard}")))
		Expect(s.Rate).To(BeNumerically(">", 0), "a live service is not asked as fast as it can answer")
	})

	It("has image, shards, pods, rate and target in one place", func() {
		all := buildObjects("newTag: 0.1.0", "newTag: 9.9.9", "SHARDS=16", "SHARDS=40", "PODS=16", "PODS=8",
			"AUTHN_RATE=50", "AUTHN_RATE=7", "https://access.example.com", "https://other.example")
		spec, other := all.jobs[name].Spec, all.pod(name)
		Expect([]int32{*spec.Completions, *spec.Parallelism}).To(Equal([]int32{40, 8}))
		for _, one := range []pod{other, all.pod("conformance-merge")} {
			Expect(one.container().Image).To(Equal("registry.example.com/conformance:9.9.9"))
		}
		_, flags, environ := other.sweepFlags(39, "")
		options, err := flags.Options(environ)
		Expect(err).NotTo(HaveOccurred())
		Expect(options.Shard).To(Equal(stats.Shard{Index: 40, Of: 40}))
		Expect(environ).To(ContainElements("AUTHN_RATE=7", "AUTHN_TARGET_URL=https://other.example"))
	})

	It("takes more flags by a patch", func() {
		args := buildObjects("# patches:", "patches:", "#   - target", "  - target", "#     patch",
			"    patch").pod(name).args(0)
		Expect(args).To(Equal(append(swept.args(0), "--window=22:00-06:00")))
	})

	It("fetches the users from a URL, if the component is taken", func() {
		fetching := buildObjects("# components:", "components:", "#   - users-from-url", "  - users-from-url").pod(name)
		Expect(fetching.InitContainers).To(HaveLen(1))
		fetch := fetching.InitContainers[0]
		Expect(fetch.Args).To(ContainElement("$(AUTHN_USERS)"))
		Expect(fetch.EnvFrom).To(Equal(fetching.container().EnvFrom), "where the pod looks for them")
		users, _ := fetching.volume("/users/users.csv.zst")
		Expect(users.EmptyDir).NotTo(BeNil())
		Expect(users.PersistentVolumeClaim).To(BeNil())
		Expect(fetch.VolumeMounts).To(ContainElement(core.VolumeMount{Name: users.Name, MountPath: "/users"}))
	})
})
