//go:build manifests

// Package kubernetes_test holds the manifest against the types of Kubernetes, and its arguments against the flags of a
// sweep.
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
	"sigs.k8s.io/yaml"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/tally"
	"authenticator-conformance/suites/sweep"
)

// index is the reference to the variable in which Kubernetes tells a pod its number.
const index = "$(JOB_COMPLETION_INDEX)"

// manifest is what stands in job.yaml.
type manifest struct {
	job    batch.Job
	claims map[string]core.PersistentVolumeClaim
}

// read decodes the manifest; a member that the type does not have, or that stands twice, is an error.
func read() manifest {
	GinkgoHelper()
	text, err := os.ReadFile("job.yaml")
	Expect(err).NotTo(HaveOccurred())
	m := manifest{claims: map[string]core.PersistentVolumeClaim{}}
	documents := strings.Split(string(text), "\n---\n")
	Expect(yaml.UnmarshalStrict([]byte(documents[0]), &m.job)).To(Succeed())
	Expect(m.job.APIVersion + " " + m.job.Kind).To(Equal(batch.SchemeGroupVersion.String() + " Job"))
	for _, document := range documents[1:] {
		var claim core.PersistentVolumeClaim
		Expect(yaml.UnmarshalStrict([]byte(document), &claim)).To(Succeed())
		Expect(claim.APIVersion + " " + claim.Kind).To(Equal("v1 PersistentVolumeClaim"))
		m.claims[claim.Name] = claim
	}
	return m
}

func (m manifest) pod() core.PodSpec { return m.job.Spec.Template.Spec }

func (m manifest) container() core.Container {
	GinkgoHelper()
	Expect(m.pod().Containers).To(HaveLen(1))
	Expect(m.pod().InitContainers).To(BeEmpty())
	return m.pod().Containers[0]
}

// volume is what is mounted where a path stands, and how.
func (m manifest) volume(file string) (core.Volume, core.VolumeMount) {
	GinkgoHelper()
	for _, mount := range m.container().VolumeMounts {
		if !strings.HasPrefix(file, mount.MountPath+"/") {
			continue
		}
		for _, v := range m.pod().Volumes {
			if v.Name == mount.Name {
				return v, mount
			}
		}
	}
	Fail("no volume is mounted where " + file + " stands")
	return core.Volume{}, core.VolumeMount{}
}

// parsed are the flags of a pod, its paths below folder.
func (m manifest) parsed(number int, folder string) (*pflag.FlagSet, *sweep.Flags) {
	GinkgoHelper()
	Expect(m.container().Command).To(BeEmpty(), "the image's entry point is the binary")
	args := m.container().Args
	Expect(args[0]).To(Equal("sweep"))
	fs := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	settings.AddSweepFlags(fs)
	flags := sweep.AddFlags(fs)
	var given []string
	for _, arg := range args[1:] {
		given = append(given, strings.ReplaceAll(strings.Replace(arg, "=/", "="+folder+"/", 1), index, strconv.Itoa(number)))
	}
	Expect(fs.Parse(given)).To(Succeed())
	Expect(fs.Args()).To(BeEmpty())
	return fs, flags
}

func text(fs *pflag.FlagSet, name string) string {
	GinkgoHelper()
	Expect(fs.Changed(name)).To(BeTrue(), "--"+name)
	return fs.Lookup(name).Value.String()
}

var _ = Describe("The manifest", func() {
	var m manifest
	BeforeEach(func() { m = read() })

	It("is one of which each member is known", func() {
		content, err := os.ReadFile("job.yaml")
		Expect(err).NotTo(HaveOccurred())
		for _, wrong := range []string{"completion: 16", "completions: sixteen", "completions: 16\n  completions: 16"} {
			changed := strings.Replace(string(content), "completions: 16", wrong, 1)
			Expect(yaml.UnmarshalStrict([]byte(strings.Split(changed, "\n---\n")[0]), &batch.Job{})).NotTo(Succeed(), wrong)
		}
	})

	It("sweeps each shard by one pod of an Indexed Job", func() {
		spec := m.job.Spec
		Expect(*spec.CompletionMode).To(Equal(batch.IndexedCompletion))
		pods := int(*spec.Completions)
		Expect(*spec.Parallelism).To(BeNumerically("<=", pods))
		folders, shards := map[string]bool{}, map[tally.Shard]bool{}
		for i := range pods {
			fs, flags := m.parsed(i, "")
			options, err := flags.Options([]string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(i)})
			Expect(err).NotTo(HaveOccurred())
			Expect(options.Shard).To(Equal(tally.Shard{Index: i + 1, Of: pods}))
			shards[options.Shard] = true
			folders[text(fs, "report-dir")] = true
		}
		Expect(shards).To(HaveLen(pods))
		Expect(folders).To(HaveLen(pods), "each shard has a report folder of its own")
		_, flags := m.parsed(pods, "")
		_, err := flags.Options([]string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(pods)})
		Expect(err).To(HaveOccurred())
	})

	It("goes on where a pod stopped, and begins where none did", func() {
		_, flags := m.parsed(0, "")
		options, err := flags.Options([]string{"JOB_COMPLETION_INDEX=0"})
		Expect(err).NotTo(HaveOccurred())
		Expect(options).To(And(HaveField("Resume", true), HaveField("BeginToo", true)))
	})

	It("starts no pod again that has a verdict, and each that has none", func() {
		Expect(m.pod().RestartPolicy).To(Equal(core.RestartPolicyNever), "a pod failure policy takes no other")
		Expect(*m.job.Spec.BackoffLimitPerIndex).To(BeNumerically(">", 0))
		Expect(m.job.Spec.BackoffLimit).To(BeNil(), "one shard's failures are no matter of the others")
		rules := m.job.Spec.PodFailurePolicy.Rules
		Expect(rules).To(HaveLen(2))
		Expect(rules[0].Action).To(Equal(batch.PodFailurePolicyActionIgnore))
		Expect(rules[0].OnPodConditions).To(HaveExactElements(batch.PodFailurePolicyOnPodConditionsPattern{Type: core.DisruptionTarget, Status: core.ConditionTrue}))
		Expect(rules[1].Action).To(Equal(batch.PodFailurePolicyActionFailIndex))
		codes := rules[1].OnExitCodes
		Expect(codes.Operator).To(Equal(batch.PodFailurePolicyOnExitCodesOpIn))
		Expect(codes.Values).To(HaveExactElements(int32(1), int32(3)), "2 is an error, and may be gone")
		Expect(*codes.ContainerName).To(Equal(m.container().Name))
	})

	It("gives the token as a file of a secret, and in no other way", func() {
		fs, _ := m.parsed(0, "")
		file := text(fs, "access-token-file")
		volume, mount := m.volume(file)
		Expect(volume.Secret).NotTo(BeNil())
		Expect(mount.ReadOnly).To(BeTrue())
		Expect(volume.Secret.Items).To(HaveExactElements(HaveField("Path", path.Base(file))))
		Expect(*volume.Secret.DefaultMode&0o007).To(BeZero(), "it is readable for nobody else")
		Expect(*volume.Secret.DefaultMode&0o040).NotTo(BeZero(), "it is readable for the group of the pod")
		container := m.container()
		Expect(container.EnvFrom).To(BeEmpty())
		for _, e := range container.Env {
			Expect(e.Name).NotTo(ContainSubstring("TOKEN"))
			if e.ValueFrom != nil {
				Expect(e.ValueFrom.SecretKeyRef).To(BeNil(), e.Name)
			}
		}
		Expect(strings.Join(container.Args, " ")).NotTo(MatchRegexp(`(?i)token(=|-file=[^/])`))
	})

	It("reads the users from a volume, and writes to one alone", func() {
		fs, _ := m.parsed(0, "")
		users, mounted := m.volume(text(fs, "users"))
		Expect(mounted.ReadOnly).To(BeTrue())
		Expect(m.claims).To(HaveKey(users.PersistentVolumeClaim.ClaimName))
		reports, mounted := m.volume(text(fs, "report-dir"))
		Expect(mounted.ReadOnly).To(BeFalse())
		claim := m.claims[reports.PersistentVolumeClaim.ClaimName]
		Expect(claim.Spec.AccessModes).To(HaveExactElements(core.ReadWriteMany), "pods of several nodes write there")
		Expect(m.claims).To(HaveLen(2))
		for _, mount := range m.container().VolumeMounts {
			Expect(mount.ReadOnly).To(Equal(mount.Name != reports.Name), mount.Name)
		}
	})

	It("takes no rights that a sweep does not need", func() {
		pod, container := m.pod(), m.container()
		Expect(*pod.AutomountServiceAccountToken).To(BeFalse())
		Expect(*pod.SecurityContext.RunAsNonRoot).To(BeTrue())
		Expect(*pod.SecurityContext.RunAsUser).NotTo(BeZero())
		Expect(*pod.SecurityContext.RunAsGroup).NotTo(BeZero())
		Expect(*pod.SecurityContext.FSGroup).To(Equal(*pod.SecurityContext.RunAsGroup), "the token is readable for that group, the reports writable")
		Expect(pod.SecurityContext.SeccompProfile.Type).To(Equal(core.SeccompProfileTypeRuntimeDefault))
		Expect(*container.SecurityContext.AllowPrivilegeEscalation).To(BeFalse())
		Expect(*container.SecurityContext.ReadOnlyRootFilesystem).To(BeTrue())
		Expect(container.SecurityContext.Capabilities.Drop).To(HaveExactElements(core.Capability("ALL")))
		Expect(container.SecurityContext.Capabilities.Add).To(BeEmpty())
		Expect(container.SecurityContext.Privileged).To(BeNil())
		Expect(pod.HostNetwork || pod.HostPID || pod.HostIPC).To(BeFalse())
	})

	It("asks for what a sweep takes, and no more than that", func() {
		resources := m.container().Resources
		Expect(resources.Requests.Cpu().IsZero()).To(BeFalse())
		Expect(resources.Requests.Memory().Value()).To(BeNumerically(">=", 96<<20))
		Expect(resources.Limits.Memory().Value()).To(BeNumerically(">=", resources.Requests.Memory().Value()))
	})

	It("has settings that a sweep takes", func() {
		folder := GinkgoT().TempDir()
		Expect(os.MkdirAll(filepath.Join(folder, "secrets"), 0o700)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "secrets", "token"), []byte("a-token-of-the-target\n"), 0o600)).To(Succeed())
		fs, _ := m.parsed(3, folder)
		var environ []string
		for _, e := range m.container().Env {
			value := e.Value
			if strings.HasSuffix(e.Name, "_URL") {
				value = "https://authenticator.example/api-of-8.2"
			} else if e.ValueFrom != nil {
				value = "module"
			}
			environ = append(environ, e.Name+"="+value)
		}
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		s, err := settings.ResolveForSweep(fs, environ, settings.Defaults{}, contract, time.Now())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.AccessToken).To(Equal("a-token-of-the-target"))
		Expect(s.Embedded).To(BeFalse())
		Expect(s.UsersFile).To(HavePrefix(folder))
		Expect(s.ReportDir).To(Equal(filepath.Join(folder, "reports", "shard-3")))
		Expect(s.Rate).To(BeNumerically(">", 0), "a live service is not asked as fast as it can answer")
	})
})
