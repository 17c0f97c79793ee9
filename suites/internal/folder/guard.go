package folder

import (
	"io/fs"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
)

// GuardOf returns a guard that finds the settings' secrets in all written files. It ignores a secret whose text is also
// in the catalogue, the schemas or the suite's name.
func GuardOf(s *settings.Settings) (*sanitize.Guard, error) {
	var vocabulary strings.Builder
	files := schemas.Files()
	names, err := fs.Glob(files, "*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		vocabulary.Write(content)
	}
	vocabulary.WriteString(report.Name + "/" + report.Version)
	return sanitize.NewGuard(vocabulary.String(), s.Secrets...), nil
}
