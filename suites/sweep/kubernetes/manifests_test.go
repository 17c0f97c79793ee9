// Package kubernetes_test checks the files of this folder: as Kustomize builds them, against the types of Kubernetes,
// and their arguments and settings against those of the commands.
package kubernetes_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

// kustomize is the release that builds the folder: the last one that the module's version of Go compiles.
const kustomize = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.2"

// The folder as it is, and with all that kustomization.yaml offers to change, as Kustomize builds them.
var built, changed objects

func TestKubernetes(t *testing.T) { testkit.Specs(t, "the files for Kubernetes") }

var _ = BeforeSuite(func() {
	folder := GinkgoT().TempDir()
	install := exec.Command("go", "install", kustomize)
	install.Env = append(os.Environ(), "GOBIN="+folder)
	output, err := install.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	built = buildObjects(folder)
	changed = buildObjects(folder, "newTag: 0.1.0", "newTag: 9.9.9", "SHARDS=16", "SHARDS=40", "PODS=16", "PODS=8",
		"AUTHN_RATE=50", "AUTHN_RATE=7", "https://access.example.com", "https://other.example",
		"# - AUTHN_CA=", "- AUTHN_CA=", "# components:", "components:", "#   - users-from-url", "  - users-from-url",
		"# patches:", "patches:", "#   - target", "  - target", "#     patch", "    patch")
})

// objects are what files declare: their text, and each kind by name.
type objects struct {
	text     string
	jobs     map[string]batch.Job
	pods     map[string]core.Pod
	claims   map[string]core.PersistentVolumeClaim
	settings map[string]core.ConfigMap
}

// buildObjects is what Kustomize makes of this folder after changes of kustomization.yaml: pairs of old and new text.
func buildObjects(binaries string, changes ...string) objects {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	Expect(os.CopyFS(folder, os.DirFS("."))).To(Succeed())
	text := string(testkit.Read("kustomization.yaml"))
	for i := 0; i < len(changes); i += 2 {
		Expect(strings.Count(text, changes[i])).To(Equal(1), changes[i])
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	testkit.Write(folder, "kustomization.yaml", []byte(text))
	var out, faults bytes.Buffer
	command := exec.Command(filepath.Join(binaries, "kustomize"), "build", folder)
	command.Stdout, command.Stderr = &out, &faults
	Expect(command.Run()).To(Succeed(), faults.String())
	return decodeObjects(out.String())
}

// decodeObjects reads a stream of YAML documents. A member that the type does not have, or that is there twice, is an
// error.
func decodeObjects(text string) objects {
	GinkgoHelper()
	o := objects{text, map[string]batch.Job{}, map[string]core.Pod{}, map[string]core.PersistentVolumeClaim{},
		map[string]core.ConfigMap{}}
	for _, document := range strings.Split(text, "\n---\n") {
		var kind struct{ APIVersion, Kind string }
		Expect(yaml.Unmarshal([]byte(document), &kind)).To(Succeed())
		switch kind.APIVersion + " " + kind.Kind {
		case "batch/v1 Job":
			putObject(o.jobs, document, func(j batch.Job) string { return j.Name })
		case "v1 Pod":
			putObject(o.pods, document, func(p core.Pod) string { return p.Name })
		case "v1 PersistentVolumeClaim":
			putObject(o.claims, document, func(c core.PersistentVolumeClaim) string { return c.Name })
		case "v1 ConfigMap":
			putObject(o.settings, document, func(c core.ConfigMap) string { return c.Name })
		default:
			Fail("no known kind: " + document)
		}
	}
	return o
}

func putObject[T any](into map[string]T, document string, name func(T) string) {
	GinkgoHelper()
	var value T
	Expect(yaml.UnmarshalStrict([]byte(document), &value)).To(Succeed(), document)
	Expect(into).NotTo(HaveKey(name(value)))
	into[name(value)] = value
}

// podSpecs are the pods of Jobs, and those that are declared, by name.
func (o objects) podSpecs() map[string]core.PodSpec {
	specs := map[string]core.PodSpec{}
	for name, job := range o.jobs {
		specs[name] = job.Spec.Template.Spec
	}
	for name, p := range o.pods {
		specs[name] = p.Spec
	}
	return specs
}

// sweepCommand is the command of one pod of the sweep, with the variables that Kubernetes gives it.
type sweepCommand struct {
	args, environ []string
	set           *pflag.FlagSet
	flags         *sweep.Flags
}

// commandOf is the command of the pod with an index, its files below a folder.
func (o objects) commandOf(index int, folder string) sweepCommand {
	GinkgoHelper()
	container := o.podSpecs()["conformance-sweep"].Containers[0]
	Expect(container.Command).To(BeEmpty(), "the image's entry point is the binary")
	c := sweepCommand{set: pflag.NewFlagSet("sweep", pflag.ContinueOnError)}
	c.environ = []string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(index)}
	variables := maps.Clone(o.settings[container.EnvFrom[0].ConfigMapRef.Name].Data)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		c.environ = append(c.environ, strings.Replace(name+"="+variables[name], "=/", "="+folder+"/", 1))
	}
	Expect(container.Args[0]).To(Equal("sweep"))
	for _, arg := range container.Args[1:] {
		arg = strings.ReplaceAll(strings.Replace(arg, "=/", "="+folder+"/", 1), "$(SHARDS)", variables["SHARDS"])
		Expect(arg).NotTo(ContainSubstring("$("), "a variable that is not known")
		c.args = append(c.args, arg)
	}
	settings.AddFlags(settings.Sweep, c.set)
	c.flags = sweep.AddFlags(c.set)
	Expect(c.set.Parse(c.args)).To(Succeed())
	Expect(c.set.Args()).To(BeEmpty())
	return c
}

var _ = Describe("The files for Kubernetes", func() {
	It("become what the golden files show, as they are and with all that kustomization.yaml offers to change", func() {
		testkit.ExpectGolden("testdata/built.yaml", built.text)
		testkit.ExpectGolden("testdata/changed.yaml", changed.text)
		testkit.ExpectNoOtherGolden("testdata", "built", "changed")
	})

	It("declare pods that the Pod Security Standard restricted admits, all of them as the user of the image", func() {
		user, yes, no := int64(65532), true, false
		pods := decodeObjects(string(testkit.Read("files.yaml"))).podSpecs()
		maps.Copy(pods, changed.podSpecs())
		Expect(pods).To(HaveLen(3))
		for name, p := range pods {
			Expect(p.SecurityContext).To(HaveValue(And(HaveField("RunAsNonRoot", &yes), HaveField("RunAsUser", &user),
				HaveField("RunAsGroup", &user), HaveField("FSGroup", &user),
				HaveField("SeccompProfile.Type", core.SeccompProfileTypeRuntimeDefault))), name)
			Expect(p.AutomountServiceAccountToken).To(Equal(&no), name)
			Expect(p.HostNetwork || p.HostPID || p.HostIPC).To(BeFalse(), name)
			for _, c := range append(p.InitContainers, p.Containers...) {
				Expect(c.SecurityContext).To(Equal(&core.SecurityContext{AllowPrivilegeEscalation: &no,
					ReadOnlyRootFilesystem: &yes, Capabilities: &core.Capabilities{Drop: []core.Capability{"ALL"}},
				}), c.Name)
			}
		}
		Expect(testkit.Read("Dockerfile")).To(ContainSubstring("\nUSER 65532:65532\n"))
	})

	It("sweep each shard by one pod, which continues it if it was begun, in a folder of the shard's number", func() {
		for pods, all := range map[int]objects{16: built, 40: changed} {
			for i := range pods {
				c := all.commandOf(i, "")
				options, err := c.flags.Options(settings.Read(settings.Sweep, c.set, c.args, nil), c.environ)
				Expect(err).NotTo(HaveOccurred())
				Expect(options.Shard).To(Equal(stats.Shard{Index: i + 1, Of: pods}))
				Expect(options.Resume && options.CountStart).To(BeTrue())
				Expect(sweep.ReportDir(c.set.Lookup("report-dir").Value.String(), c.set.Lookup("shard").Value.String(),
					c.environ)).To(Equal("/reports/shard-" + strconv.Itoa(i+1)))
			}
			past := all.commandOf(pods, "")
			_, err := past.flags.Options(settings.Read(settings.Sweep, past.set, past.args, nil), past.environ)
			Expect(err).To(HaveOccurred())
		}
	})

	It("have settings that a sweep takes, with the token from a file and each file in a volume of the pod", func() {
		folder := GinkgoT().TempDir()
		Expect(os.Mkdir(filepath.Join(folder, "secrets"), 0o700)).To(Succeed())
		testkit.Write(folder, "secrets/token", []byte("a-token-of-the-target\n"))
		c := built.commandOf(3, folder)
		s, err := settings.Read(settings.Sweep, c.set, c.args, c.environ).Resolve(settings.Defaults{},
			testkit.Contract(), time.Now())
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Targets[schemas.V5].AccessToken).To(Equal("a-token-of-the-target"))
		Expect(c.environ).NotTo(ContainElement(ContainSubstring("TOKEN")), "others may read the environment")
		Expect(s.Embedded).To(BeFalse())
		Expect(s.UsersFile).To(HavePrefix(folder))
		Expect(s.ReportDir).To(Equal(filepath.Join(folder, "reports", "shard-{shard}")))
		Expect(s.Rate).To(BeNumerically(">", 0), "a live service is not asked as fast as it can answer")

		c = changed.commandOf(3, "")
		Expect(c.environ).To(ContainElement("AUTHN_CA=/ca/ca.pem"))
		files := regexp.MustCompile(`=(/[a-z]+)/`).FindAllStringSubmatch(
			strings.Join(slices.Concat(c.args, c.environ), " "), -1)
		Expect(files).To(HaveLen(4))
		for _, file := range files {
			mounts := changed.podSpecs()["conformance-sweep"].Containers[0].VolumeMounts
			Expect(mounts).To(ContainElement(HaveField("MountPath", file[1])))
		}
	})

	It("have a README whose commands name what there is, and all of it", func() {
		readme, known := string(testkit.Read("README.md")), map[string]bool{}
		for _, name := range []string{"claims.yaml", "files.yaml"} {
			o := decodeObjects(string(testkit.Read(name)))
			for name := range o.claims {
				known[name] = true
			}
			for name := range o.pods {
				known[name] = true
			}
		}
		for name, p := range changed.podSpecs() {
			known[name] = true
			for _, v := range p.Volumes {
				switch {
				case v.Secret != nil:
					known[v.Secret.SecretName] = true
				case v.ConfigMap != nil:
					known[v.ConfigMap.Name] = true
				case v.PersistentVolumeClaim != nil:
					Expect(known).To(HaveKey(v.PersistentVolumeClaim.ClaimName), "of claims.yaml")
				}
			}
		}
		named := regexp.MustCompile(`\bconformance-[a-z-]+`).FindAllString(readme, -1)
		slices.Sort(named)
		Expect(slices.Compact(named)).To(Equal(slices.Sorted(maps.Keys(known))))
		for _, file := range regexp.MustCompile(`-f ([a-z-]+\.yaml)`).FindAllStringSubmatch(readme, -1) {
			Expect(file[1]).To(BeAnExistingFile())
		}
	})
})
