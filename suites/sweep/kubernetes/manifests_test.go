// Package kubernetes_test checks the files of this folder: as Kustomize builds them, against the types of Kubernetes,
// and their arguments and settings against those of the commands.
package kubernetes_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// kustomize is the release that builds the folder: the last one that the module's version of Go compiles.
const kustomize = "sigs.k8s.io/kustomize/kustomize/v5@v5.8.2"

// objects are what files declare, each kind by name.
type objects struct {
	jobs     map[string]batch.Job
	pods     map[string]core.Pod
	claims   map[string]core.PersistentVolumeClaim
	settings map[string]core.ConfigMap
}

// decodeObjects reads a stream of YAML documents. A member that the type does not have, or that is there twice, is an
// error.
func decodeObjects(text string) objects {
	GinkgoHelper()
	o := objects{map[string]batch.Job{}, map[string]core.Pod{}, map[string]core.PersistentVolumeClaim{},
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

// readFile reads a file of this folder.
func readFile(name string) string {
	GinkgoHelper()
	content, err := os.ReadFile(name)
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// buildObjects is what Kustomize makes of this folder after changes of kustomization.yaml: pairs of old and new text.
func buildObjects(changes ...string) objects {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	Expect(os.CopyFS(folder, os.DirFS("."))).To(Succeed())
	text := readFile("kustomization.yaml")
	for i := 0; i < len(changes); i += 2 {
		Expect(strings.Count(text, changes[i])).To(Equal(1), changes[i])
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	Expect(os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600)).To(Succeed())
	var out, faults bytes.Buffer
	command := exec.Command(kustomizeBinary, "build", folder)
	command.Stdout, command.Stderr = &out, &faults
	Expect(command.Run()).To(Succeed(), faults.String())
	return decodeObjects(out.String())
}

var kustomizeBinary string

var _ = BeforeSuite(func() {
	folder := GinkgoT().TempDir()
	install := exec.Command("go", "install", kustomize)
	install.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	output, err := install.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(output))
	kustomizeBinary = filepath.Join(folder, "kustomize")
})

// pod is the template of a Job's pods, with the settings that it reads.
type pod struct {
	core.PodSpec
	settings map[string]core.ConfigMap
}

func (o objects) pod(job string) pod {
	GinkgoHelper()
	Expect(o.jobs).To(HaveKey(job))
	return pod{o.jobs[job].Spec.Template.Spec, o.settings}
}

func (p pod) container() core.Container {
	GinkgoHelper()
	Expect(p.Containers).To(HaveLen(1))
	return p.Containers[0]
}

// environ is the environment of the pod with an index, as Kubernetes makes it.
func (p pod) environ(index int) []string {
	GinkgoHelper()
	list := []string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(index)}
	for _, source := range p.container().EnvFrom {
		Expect(source.SecretRef).To(BeNil(), "a secret is a file")
		Expect(p.settings).To(HaveKey(source.ConfigMapRef.Name))
		for name, value := range p.settings[source.ConfigMapRef.Name].Data {
			list = append(list, name+"="+value)
		}
	}
	for _, e := range p.container().Env {
		Expect(e.ValueFrom).To(BeNil(), "a secret is a file")
		list = append(list, e.Name+"="+e.Value)
	}
	return list
}

// args are the arguments of the pod with an index, after Kubernetes put its variables into them.
func (p pod) args(index int) []string {
	GinkgoHelper()
	Expect(p.container().Command).To(BeEmpty(), "the image's entry point is the binary")
	var pairs []string
	for _, entry := range p.environ(index) {
		name, value, _ := strings.Cut(entry, "=")
		pairs = append(pairs, "$("+name+")", value)
	}
	var list []string
	for _, arg := range p.container().Args {
		list = append(list, strings.NewReplacer(pairs...).Replace(arg))
	}
	Expect(strings.Join(list, " ")).NotTo(ContainSubstring("$("), "a variable that is not known")
	return list
}

// volume is what is mounted at the folder of a file, and how.
func (p pod) volume(file string) (core.Volume, core.VolumeMount) {
	GinkgoHelper()
	for _, mount := range p.container().VolumeMounts {
		if !strings.HasPrefix(file, mount.MountPath+"/") {
			continue
		}
		for _, v := range p.Volumes {
			if v.Name == mount.Name {
				return v, mount
			}
		}
	}
	Fail("no volume is mounted for " + file)
	return core.Volume{}, core.VolumeMount{}
}
