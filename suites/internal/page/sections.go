package page

import "strings"

// heading is what the document calls a section; of an item of a section without headings of its own, such as 9.3, the
// section's. It is "" for a section that the document does not have.
func heading(section string) string {
	headings := map[string]string{
		"2":   "Resources and their fields",
		"2.1": "Authenticator record",
		"2.2": "Device object",
		"2.3": "Identifier list",
		"3":   "States and transitions",
		"4":   "Endpoints",
		"4.1": "getUserAuth",
		"4.2": "findByUserIds",
		"4.3": "Open points",
		"5":   "Authentication",
		"6":   "Events",
		"7":   "Errors",
		"8":   "Limits",
		"9":   "Versioning",
	}
	if title, ok := headings[section]; ok {
		return title
	}
	chapter, _, _ := strings.Cut(section, ".")
	return headings[chapter]
}
