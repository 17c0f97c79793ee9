package settings

import "strings"

// Table returns the README's table of all settings, in Markdown.
func Table() string {
	var out strings.Builder
	line := func(cells ...string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line("setting", "flag", "environment", "key in the file", "default", "meaning")
	line("---", "---", "---", "---", "---", "---")
	for _, s := range table() {
		flag := s.flag
		if flag != "" {
			flag = "--" + flag
		}
		line(s.name, code(flag), code(s.env), code(s.key), code(s.fallback), s.help)
	}
	return out.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
