package recipes_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

// step is a step of a job or of a composite action.
type step struct {
	ID, If, Uses, Run string
	Env, With         map[string]string
}

// job runs steps as GitHub's runner does: each script with bash, and with only the environment that a runner sets.
type job struct {
	origin    string // the repository that is checked out
	workspace string // empty before the first step
	temp      string
	artifacts string // folder of the uploaded files
	path      string
	log       bytes.Buffer
	ran       int // the number of scripts
}

func newJob(origin string) *job {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	j := &job{origin: origin, workspace: filepath.Join(folder, "workspace"), temp: filepath.Join(folder, "temp"),
		artifacts: filepath.Join(folder, "artifacts"), path: filepath.Join(folder, "bin") + ":/usr/bin:/bin"}
	for _, name := range []string{j.workspace, j.temp, j.artifacts} {
		Expect(os.Mkdir(name, 0o755)).To(Succeed())
	}
	// gh would need GitHub, so it is replaced by a script that records its arguments.
	writeFile("#!/bin/sh\nprintf '%s\\n' \"$@\" > "+folder+"/gh.txt\n", folder, "bin", "gh")
	Expect(os.Chmod(filepath.Join(folder, "bin", "gh"), 0o755)).To(Succeed())
	return j
}

// run runs steps in order and reports whether all succeeded. It adds the outputs of the steps to the context.
func (j *job) run(steps []step, context values) bool {
	GinkgoHelper()
	failed := false
	outputs := values{}
	context["steps"] = outputs
	for _, s := range steps {
		if !context.condition(s.If, failed) {
			continue
		}
		with := map[string]string{}
		for name, value := range s.With {
			with[name] = context.expand(value)
		}
		switch {
		case s.Run != "":
			set, err := j.script(s, context)
			failed = failed || err != nil
			outputs[s.ID] = values{"outputs": set}
		case strings.HasPrefix(s.Uses, "./"):
			failed = !j.action(filepath.Join(j.workspace, s.Uses, "action.yml"), with, context) || failed
		case strings.HasPrefix(s.Uses, "actions/checkout@"):
			runShell(j.workspace, "git", "clone", "-q", j.origin, ".")
		case strings.HasPrefix(s.Uses, "actions/upload-artifact@"):
			if from := filepath.Join(j.workspace, with["path"]); fileExists(from) {
				Expect(os.CopyFS(filepath.Join(j.artifacts, with["name"]), os.DirFS(from))).To(Succeed())
			}
		default:
			Fail("the test doesn't know the action " + s.Uses)
		}
	}
	return !failed
}

// action runs a composite action.
func (j *job) action(file string, with map[string]string, context values) bool {
	GinkgoHelper()
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct{ Steps []step }
	}
	Expect(yaml.Unmarshal([]byte(readFile(file)), &action)).To(Succeed())
	inputs := values{}
	for name, input := range action.Inputs {
		value, given := with[name]
		Expect(given || !input.Required).To(BeTrue(), "input %s", name)
		if inputs[name] = value; !given {
			inputs[name] = input.Default
		}
		delete(with, name)
	}
	Expect(with).To(BeEmpty(), "inputs that the action doesn't have")
	runner := values{"temp": j.temp, "os": "Linux", "arch": "X64"}
	return j.run(action.Runs.Steps, values{"inputs": inputs, "runner": runner, "github": context["github"]})
}

// script runs the script of a step and returns its outputs.
func (j *job) script(s step, context values) (values, error) {
	GinkgoHelper()
	j.ran++
	file := filepath.Join(j.temp, fmt.Sprintf("step-%d", j.ran))
	writeFile(s.Run, file+".sh")
	command := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file+".sh")
	command.Dir = j.workspace
	command.Env = []string{"PATH=" + j.path, "HOME=" + j.temp, "GITHUB_ACTIONS=true", "GITHUB_OUTPUT=" + file + ".out",
		"GITHUB_PATH=" + file + ".path", "GITHUB_STEP_SUMMARY=" + filepath.Join(j.temp, "summary.md")}
	for name, value := range s.Env {
		command.Env = append(command.Env, name+"="+context.expand(value))
	}
	command.Stdout, command.Stderr = &j.log, &j.log
	err := command.Run()
	outputs := values{}
	for _, line := range fileLines(file + ".out") {
		name, value, _ := strings.Cut(line, "=")
		outputs[name] = value
	}
	for _, folder := range fileLines(file + ".path") {
		j.path = folder + ":" + j.path
	}
	return outputs, err
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fileLines returns the lines of a file, none if there is no such file.
func fileLines(path string) []string {
	content, _ := os.ReadFile(path)
	return strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
}
