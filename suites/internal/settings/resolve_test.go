package settings_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"authenticator-conformance/suites/internal/settings"
	testkit "authenticator-conformance/suites/internal/testkit/light"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/spf13/pflag"
)

// commands are all that read settings; without a name it is run.
var commands = map[string]settings.Command{"": settings.Run, "plan": settings.Plan, "sweep": settings.Sweep,
	"judge": settings.Judge, "merge": settings.Merge}

// resolution is a case of testdata/taken.yaml and testdata/refused.yaml.
type resolution struct {
	Name, Command, Config, Says string
	Given, Environment, Flags   []string
	Files                       map[string]string
}

// variablesOf returns what is given of a deployed target.
func variablesOf(given ...string) (environ []string) {
	for _, what := range given {
		environ = append(environ, map[string]string{"url": "AUTHN_TARGET_URL=https://auth.example",
			"token": "AUTHN_ACCESS_TOKEN=" + token, "application": "AUTHN_APPLICATION_ID=app",
			"users": "AUTHN_USERS=users.csv"}[what])
	}
	return environ
}

// enterFolder makes a folder with the files of the case the working folder, and adds what it gives to the flags and the
// environment. key is that of the CA in the folder.
func (r *resolution) enterFolder() (key string) {
	GinkgoHelper()
	certificate, key := selfSigned()
	_, other := selfSigned()
	files := map[string]string{"users.csv": "id,userId\n" + firstID + ",a\n", "token": token + "\n",
		"cert.pem": certificate, "key.pem": key, "other.pem": other}
	if r.Config != "" {
		files["conformance.yaml"] = r.Config
		r.Flags = append(r.Flags, "--config", "conformance.yaml")
	}
	maps.Copy(files, r.Files)
	var pairs []string
	for name, content := range files {
		pairs = append(pairs, name, content)
	}
	r.Environment = append(r.Environment, variablesOf(r.Given...)...)
	GinkgoT().Chdir(writeFiles(pairs...))
	return key
}

// describeSettings lists the settings that differ from those of a base.
func describeSettings(s, base *settings.Settings) string {
	var text strings.Builder
	for _, e := range s.Effective {
		if !slices.Contains(base.Effective, e) {
			fmt.Fprintf(&text, "%s: %s (%s)\n", e.Name, e.Value, e.Source)
		}
	}
	value, other := reflect.ValueOf(*s), reflect.ValueOf(*base)
	for i, field := range reflect.VisibleFields(value.Type()) {
		is := value.Field(i)
		switch {
		case field.Name == "Effective" || reflect.DeepEqual(is.Interface(), other.Field(i).Interface()):
		case field.Name == "Targets":
			for _, v := range s.Versions {
				text.WriteString(describeTarget(string(v), s, s.Targets[v], base.Targets[v]))
			}
		case is.Kind() == reflect.Slice && is.Len() > 1:
			for at := range is.Len() {
				fmt.Fprintf(&text, "%s[%d] = %+v\n", field.Name, at, is.Index(at))
			}
		default:
			fmt.Fprintf(&text, "%s = %+v\n", field.Name, is)
		}
	}
	return text.String()
}

// describeTarget lists the fields of a version's target that differ from those of a base.
func describeTarget(version string, s *settings.Settings, t, base *settings.Target) string {
	var text strings.Builder
	if base == nil {
		base = &settings.Target{}
	}
	value, other := reflect.ValueOf(*t), reflect.ValueOf(*base)
	for i, field := range reflect.VisibleFields(value.Type()) {
		is := value.Field(i)
		switch {
		case !field.IsExported() || reflect.DeepEqual(is.Interface(), other.Field(i).Interface()):
		case field.Name == "AccessToken" && !slices.Contains(s.Secrets, t.AccessToken):
			fmt.Fprintf(&text, "%s: %s = at random\n", version, field.Name)
		case is.Kind() == reflect.Pointer && field.Name != "URL" && field.Name != "Proxy":
			fmt.Fprintf(&text, "%s: %s is set\n", version, field.Name)
		default:
			fmt.Fprintf(&text, "%s: %s = %+v\n", version, field.Name, is)
		}
	}
	return text.String()
}

var _ = Describe("Settings are taken, and listed with their source and without a secret:", func() {
	const file = "testdata/taken.yaml"
	for _, r := range testkit.Cases[resolution](file) {
		It(r.Name, func() {
			golden, base := testkit.Must(filepath.Abs(file)), &settings.Settings{}
			isBase := len(r.Flags)+len(r.Environment)+len(r.Config) == 0
			r.enterFolder()
			command := commands[r.Command]
			if !isBase && r.Given == nil {
				base = testkit.Must(resolveFor(command, nil))
			} else if !isBase {
				base = testkit.Must(resolveFor(command, variablesOf("url", "token", "application", "users")))
			}
			s := testkit.Must(resolveFor(command, r.Environment, r.Flags...))
			testkit.Says(golden, r.Name, r.Says, errors.New(describeSettings(s, base)))
			Expect(settings.Read(command, nil, r.Flags, r.Environment).ReportDir()).To(Equal(s.ReportDir))
			for _, e := range s.Effective {
				expectFault(errors.New(e.Value + " " + e.Source))
				Expect(e.Value).NotTo(ContainSubstring(referenceDefaults().AccessToken))
			}
		})
	}

	It("users of the reference, which the caller may change", func() {
		defaults, in := referenceDefaults(), settings.Read(settings.Run, nil, nil, nil)
		s := testkit.Must(in.Resolve(defaults, testkit.Contract(), noonOfToday()))
		s.Users[0].UserID = "changed"
		Expect(defaults.Users[0].UserID).To(Equal("reference-user"))
	})
})

var _ = Describe("Settings are refused in words that name their place and show no secret:", func() {
	for _, file := range []string{"testdata/refused.yaml", "testdata/refused-targets.yaml"} {
		for _, r := range testkit.Cases[resolution](file) {
			It(r.Name, func() {
				golden := testkit.Must(filepath.Abs(file))
				key := r.enterFolder()
				Expect(commands).To(HaveKey(r.Command))
				_, err := resolveFor(commands[r.Command], r.Environment, r.Flags...)
				testkit.Says(golden, r.Name, r.Says, err)
				expectFault(err)
				Expect(err.Error()).NotTo(ContainSubstring(key))
			})
		}
	}

	It("if they are given as nothing, whatever their source", func() {
		newFlags(settings.Run).VisitAll(func(f *pflag.Flag) {
			_, variable, _ := strings.Cut(strings.TrimSuffix(f.Usage, ")"), "(AUTHN_")
			for _, nothing := range []string{"", " \t"} {
				_, err := resolveRun(nil, "--"+f.Name+"="+nothing)
				expectFault(err, "--"+f.Name+": is empty: leave it out or give a value")
				if variable != "" {
					_, err = resolveRun([]string{"AUTHN_" + variable + "=" + nothing})
					expectFault(err, "AUTHN_"+variable+": is empty: leave it out or give a value")
				}
			}
		})
	})
})
