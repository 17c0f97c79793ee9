package folder

import (
	"io/fs"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/redact"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/settings"
)

// GuardOf looks for the secrets of the settings in all files that are written, but not for those that the catalogue,
// the schemas and the suite's name have in them.
func GuardOf(s *settings.Settings) (*redact.Guard, error) {
	var own strings.Builder
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
		own.Write(content)
	}
	own.WriteString(report.Name + "/" + report.Version)
	return redact.NewGuard(own.String(), s.Secrets...), nil
}
