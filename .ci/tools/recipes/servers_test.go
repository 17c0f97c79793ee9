package recipes_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
)

const (
	actionFile   = ".github/actions/conformance/action.yml"
	workflowFile = ".github/workflows/conformance.yml"
)

// gitHub runs steps as GitHub's runner does: each script with bash, and with only the environment that a runner sets.
// actionlint checks the expressions and the inputs, so that here a value takes the place of each name.
type gitHub struct {
	project *project
	folder  string // has the workspace, which is empty before the first step
	path    string
	out     strings.Builder
	failed  bool
}

// step is a step of a job or of a composite action.
type step struct {
	If, Uses, Run string
	Env, With     map[string]string
}

var expression = regexp.MustCompile(`\$\{\{ ([^}]*) \}\}`)

// expandAll returns the values with those of the context in place of expressions.
func expandAll(list, context map[string]string, prefix string) map[string]string {
	expanded := map[string]string{}
	for name, value := range list {
		expanded[prefix+name] = expression.ReplaceAllStringFunc(value, func(found string) string {
			return context[expression.FindStringSubmatch(found)[1]]
		})
	}
	return expanded
}

// runSteps runs steps in order; after one that failed, only those that always run.
func (g *gitHub) runSteps(steps []step, context map[string]string) {
	GinkgoHelper()
	for _, s := range steps {
		switch {
		case g.failed && s.If != "always()":
		case s.Run != "":
			g.runScript(s.Run, expandAll(s.Env, context, ""))
		case strings.HasPrefix(s.Uses, "./"):
			var action struct {
				Inputs map[string]struct{ Default string }
				Runs   struct{ Steps []step }
			}
			Expect(yaml.Unmarshal([]byte(readFile(g.folder, "workspace", s.Uses, "action.yml")), &action)).To(Succeed())
			inputs := map[string]string{"runner.temp": g.folder, "runner.os": "Linux", "runner.arch": "X64"}
			for name, input := range action.Inputs {
				inputs["inputs."+name] = input.Default
			}
			maps.Copy(inputs, expandAll(s.With, context, "inputs."))
			g.runSteps(action.Runs.Steps, inputs)
		case strings.HasPrefix(s.Uses, "actions/checkout@"):
			runShell(g.folder, "git", "clone", "-q", g.project.origin, "workspace")
		case strings.HasPrefix(s.Uses, "actions/upload-artifact@"):
			with := expandAll(s.With, context, "")
			if from := filepath.Join(g.folder, "workspace", with["path"]); len(readFolder(from)) > 0 {
				Expect(os.CopyFS(filepath.Join(g.folder, with["name"]), os.DirFS(from))).To(Succeed())
			}
		default:
			Fail("the test doesn't know the action " + s.Uses)
		}
	}
}

func (g *gitHub) runScript(script string, environ map[string]string) {
	GinkgoHelper()
	writeFile(script, g.folder, "step.sh")
	writeFile("", g.folder, "path")
	command := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(g.folder, "step.sh"))
	command.Dir = filepath.Join(g.folder, "workspace")
	command.Env = []string{"PATH=" + g.path, "HOME=" + g.folder, "GITHUB_ACTIONS=true", "GITHUB_OUTPUT=/dev/null",
		"GITHUB_PATH=" + filepath.Join(g.folder, "path"),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(g.folder, "summary.md")}
	for name, value := range environ {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stdout, command.Stderr = &g.out, &g.out
	g.failed = command.Run() != nil
	for _, folder := range strings.Fields(readFile(g.folder, "path")) {
		g.path = folder + ":" + g.path
	}
}

func readFolder(path string) []os.DirEntry {
	entries, _ := os.ReadDir(path)
	return entries
}

// runGitHub runs a job of the workflow. folder has the reports, the summary and the arguments of gh.
func runGitHub(p *project, job string) (folder, out string, succeeded bool) {
	GinkgoHelper()
	var workflow struct {
		Env  map[string]string
		Jobs map[string]struct{ Steps []step }
	}
	Expect(yaml.Unmarshal([]byte(readFile(p.cloneRepository(), workflowFile)), &workflow)).To(Succeed())
	Expect(workflow.Jobs).To(HaveKey(job))
	g := &gitHub{project: p, folder: GinkgoT().TempDir()}
	g.path = filepath.Join(g.folder, "bin") + ":/usr/bin:/bin"
	// gh would need GitHub, so it is replaced by a script that records its arguments.
	writeFile("#!/bin/sh\nprintf '%s\\n' \"$@\" > "+g.folder+"/gh.txt\n", g.folder, "bin", "gh")
	context := expandAll(workflow.Env, nil, "env.")
	maps.Copy(context, map[string]string{"secrets.AUTHN_ACCESS_TOKEN": token, "github.ref_name": "main",
		"github.run_id": "7", "github.token": "token-of-the-job"})
	g.runSteps(workflow.Jobs[job].Steps, context)
	return g.folder, g.out.String(), !g.failed
}

// runGitLab runs a job of the pipeline with gitlab-ci-local, which first validates the file by GitLab's schema. folder
// is the repository with the reports.
func runGitLab(p *project, job string) (folder, out string, succeeded bool) {
	GinkgoHelper()
	folder, home := p.cloneRepository(), GinkgoT().TempDir()
	variables := "AUTHN_ACCESS_TOKEN: " + token + "\nBASELINE_PUSH_TOKEN: token-of-the-push\n"
	if job != "conformance" {
		variables += "UPDATE_BASELINE: \"yes\"\n"
	}
	writeFile(variables, folder, ".gitlab-ci-local-variables.yml")
	writeFile("/.gitlab-ci-local*\n", folder, ".git", "info", "exclude")
	// gitlab-ci-local takes the project's URL from the remote.
	const remote = "https://gitlab.example.com/team/service.git"
	runShell(folder, "git", "remote", "set-url", "origin", remote)
	command := exec.Command(filepath.Join(root, ".ci", "node_modules", ".bin", "gitlab-ci-local"),
		"--force-shell-executor", "--no-color", job)
	command.Dir = folder
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + p.origin + ".pushInsteadOf", "GIT_CONFIG_VALUE_0=" + remote}
	content, err := command.CombinedOutput()
	// Its own exit code is 0 if the job has allow_failure.
	return folder, string(content), err == nil && !regexp.MustCompile(`(?m)^ *FAIL +`).Match(content)
}

// runJenkins runs the scripts of two stages as Jenkins does, the second one only if the first succeeds.
func runJenkins(p *project, stage string) (folder, out string, succeeded bool) {
	GinkgoHelper()
	folder = p.cloneRepository()
	file := readFile(folder, "Jenkinsfile")
	scripts := map[string]string{}
	for _, stage := range strings.Split(file, "stage('")[1:] {
		name, _, _ := strings.Cut(stage, "'")
		found := regexp.MustCompile(`(?s)sh[ (].*?'''(.*?)'''`).FindAllStringSubmatch(stage, -1)
		Expect(found).To(HaveLen(1), name)
		scripts[name] = found[0][1]
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + GinkgoT().TempDir(), "BUILD_NUMBER=7",
		"AUTHN_ACCESS_TOKEN=" + token}
	for _, variable := range regexp.MustCompile(`(?m)^ +(CONFORMANCE_\w+) = '(.*)'$`).FindAllStringSubmatch(file, -1) {
		environ = append(environ, variable[1]+"="+variable[2])
	}
	Expect(slices.Collect(maps.Keys(scripts))).To(ContainElements("Get the binary", stage))
	for _, name := range []string{"Get the binary", stage} {
		command := exec.Command("sh", "-xe", "-c", scripts[name])
		command.Dir, command.Env = folder, environ
		content, err := command.CombinedOutput()
		if out += string(content); err != nil {
			return folder, out, false
		}
	}
	return folder, out, true
}
