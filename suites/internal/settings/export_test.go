package settings

import "strings"

// Table returns the README's table of all settings, in Markdown.
func Table() string {
	var out strings.Builder
	line := func(cells ...string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line("setting", "flag", "environment", "key in the file", "default", "meaning")
	line("---", "---", "---", "---", "---", "---")
	for _, s := range table(Run) {
		if s.version != "" || s.flag+s.env+s.key == "" {
			continue
		}
		flag := s.flag
		if flag != "" {
			flag = "--" + flag
		}
		if s.ofTarget {
			s.name += " ᵛ"
		}
		line(s.name, codeSpan(flag), codeSpan(s.env), codeSpan(s.key), codeSpan(s.fallback), s.help)
	}
	return out.String()
}

// TokenFault and IdentifierFault return what is wrong with a token or an application id.
func TokenFault(text string) error { return tokenForm.fault(text) }

func IdentifierFault(text string) error {
	_, err := applicationID(text)
	return err
}

func codeSpan(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
