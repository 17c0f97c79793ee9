package kubernetes_test

import (
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// expectRestricted asserts that the Pod Security Standard "restricted" admits a pod, and that it is the user of all
// others.
func expectRestricted(p core.PodSpec) {
	GinkgoHelper()
	Expect(*p.AutomountServiceAccountToken).To(BeFalse())
	Expect(*p.SecurityContext.RunAsNonRoot).To(BeTrue())
	ids := []int64{*p.SecurityContext.RunAsUser, *p.SecurityContext.RunAsGroup, *p.SecurityContext.FSGroup}
	Expect(ids).To(HaveEach(int64(65532)))
	Expect(p.SecurityContext.SeccompProfile.Type).To(Equal(core.SeccompProfileTypeRuntimeDefault))
	Expect(p.HostNetwork || p.HostPID || p.HostIPC).To(BeFalse())
	for _, c := range append(p.InitContainers, p.Containers...) {
		Expect(*c.SecurityContext.AllowPrivilegeEscalation).To(BeFalse())
		Expect(*c.SecurityContext.ReadOnlyRootFilesystem).To(BeTrue())
		Expect(c.SecurityContext.Capabilities.Drop).To(HaveExactElements(core.Capability("ALL")))
		Expect(c.SecurityContext.Capabilities.Add).To(BeEmpty())
		Expect(c.SecurityContext.Privileged).To(BeNil())
		Expect(c.Resources.Requests.Cpu().IsZero()).To(BeFalse())
		Expect(c.Resources.Limits.Memory().IsZero()).To(BeFalse())
	}
}

var _ = Describe("The folder", func() {
	It("has no member that the types of Kubernetes do not have", func() {
		names, err := filepath.Glob("*.yaml")
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(ConsistOf("claims.yaml", "files.yaml", "job.yaml", "kustomization.yaml", "merge.yaml"))
		for _, name := range []string{"claims.yaml", "files.yaml", "job.yaml", "merge.yaml",
			"users-from-url/job.yaml"} {
			decodeObjects(readFile(name))
		}
		for _, wrong := range []string{"completion: 16", "completions: sixteen", "completions: 16\n  completions: 16"} {
			changed := strings.Replace(readFile("job.yaml"), "completions: 16", wrong, 1)
			Expect(yaml.UnmarshalStrict([]byte(changed), &batch.Job{})).NotTo(Succeed(), wrong)
		}
	})

	It("takes no rights that it does not need", func() {
		all := buildObjects("# components:", "components:", "#   - users-from-url", "  - users-from-url")
		Expect(all.jobs).To(HaveLen(2))
		for _, job := range all.jobs {
			expectRestricted(job.Spec.Template.Spec)
		}
		expectRestricted(decodeObjects(readFile("files.yaml")).pods["conformance-files"].Spec)
		Expect(readFile("Dockerfile")).To(ContainSubstring("\nUSER 65532:65532\n"))
	})

	It("deletes no volume with the Jobs: the claims are in a file of their own", func() {
		Expect(buildObjects().claims).To(BeEmpty())
		claims := decodeObjects(readFile("claims.yaml")).claims
		Expect(claims).To(And(HaveLen(2), HaveKey("conformance-users"), HaveKey("conformance-reports")))
		for _, claim := range claims {
			Expect(claim.Spec.AccessModes).To(HaveExactElements(core.ReadWriteMany), "pods of several nodes use it")
		}
	})

	It("has a pod that may write to both volumes", func() {
		p := decodeObjects(readFile("files.yaml")).pods["conformance-files"].Spec
		files := pod{PodSpec: p}
		for path, claim := range map[string]string{"/users/x": "conformance-users",
			"/reports/x": "conformance-reports"} {
			volume, mount := files.volume(path)
			Expect(volume.PersistentVolumeClaim).To(Equal(&core.PersistentVolumeClaimVolumeSource{ClaimName: claim}))
			Expect(mount.ReadOnly).To(BeFalse())
		}
	})

	It("merges the shards by a Job, which waits for them and has the verdict of the whole", func() {
		all := buildObjects()
		job, merge := all.jobs["conformance-merge"].Spec, all.pod("conformance-merge")
		Expect(*job.Suspend).To(BeTrue())
		Expect(job.PodFailurePolicy.Rules).To(HaveExactElements(onDisruption(),
			onExitCodes(batch.PodFailurePolicyActionFailJob, 1, 3)))
		Expect(merge.RestartPolicy).To(Equal(core.RestartPolicyNever), "a pod failure policy takes no other")
		Expect(merge.args(0)).To(HaveExactElements("merge", "--wait", "/reports", "--report-dir=/reports/whole"))
		reports, mount := merge.volume("/reports/whole")
		swept, _ := all.pod("conformance-sweep").volume("/reports/shard-1")
		Expect(reports).To(Equal(swept))
		Expect(mount.ReadOnly).To(BeFalse())
	})

	It("has a README whose commands name what there is", func() {
		known := map[string]bool{}
		for _, name := range []string{"claims.yaml", "files.yaml"} {
			o := decodeObjects(readFile(name))
			collectNames(known, o.pods, o.claims)
		}
		all := buildObjects("# components:", "components:", "#   - users-from-url", "  - users-from-url")
		for name, job := range all.jobs {
			known[name] = true
			for _, v := range job.Spec.Template.Spec.Volumes {
				if v.Secret != nil {
					known[v.Secret.SecretName] = true
				}
				if v.ConfigMap != nil {
					known[v.ConfigMap.Name] = true
				}
			}
		}
		named := regexp.MustCompile(`\bconformance-[a-z-]+`).FindAllString(readFile("README.md"), -1)
		Expect(len(named)).To(BeNumerically(">", 10))
		for _, name := range named {
			Expect(known).To(HaveKey(name))
		}
		for name := range known {
			Expect(named).To(ContainElement(name))
		}
		files := regexp.MustCompile(`-f ([a-z-]+\.yaml)`).FindAllStringSubmatch(readFile("README.md"), -1)
		Expect(files).NotTo(BeEmpty())
		for _, name := range files {
			Expect(name[1]).To(BeAnExistingFile())
		}
	})
})

func collectNames(into map[string]bool, pods map[string]core.Pod, claims map[string]core.PersistentVolumeClaim) {
	for name := range pods {
		into[name] = true
	}
	for name := range claims {
		into[name] = true
	}
}
