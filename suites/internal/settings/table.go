package settings

import "strings"

// Table is the README's table of all settings, in Markdown.
func Table() string {
	var out strings.Builder
	row := func(cells ...string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row("setting", "flag", "environment", "key in the file", "default", "meaning")
	row("---", "---", "---", "---", "---", "---")
	for _, d := range definitions() {
		flag := d.flag
		if flag != "" {
			flag = "--" + flag
		}
		row(d.name, code(flag), code(d.env), code(d.key), code(d.fallback), d.help)
	}
	return out.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
