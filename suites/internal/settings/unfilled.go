package settings

import (
	"errors"
	"regexp"
)

// insertion is how templates, shells and CI servers write the place of a value inside a text.
const insertion = `\$\{.*\}|\$\(.*\)|\{\{.*\}\}|#\{.*\}#?|<[^<>]+>|%[A-Za-z_][\w.]*%|__[A-Za-z]\w*__`

// unfilled has the forms of what is in the place of a token, an application id or the value of a header that was never
// filled in.
var unfilled = []*regexp.Regexp{
	regexp.MustCompile(`^(` + insertion + `)$`),
	regexp.MustCompile(`^\$\w+$`),                               // a shell that took it between single quotation marks
	regexp.MustCompile(`^(?i:null|nil|none|undefined|todo)$`),   // a program that had no value
	regexp.MustCompile(`^(\*+|[•.xX]{3,})$`),                    // a log that hides it
	regexp.MustCompile(`^\[(?i:masked|redacted|hidden|\*+)\]$`), // likewise
	// A reference that nobody resolved: of 1Password, Vault, helmfile, Azure, AWS and Google Cloud.
	regexp.MustCompile(`^(op://|vault:|ref\+\w+://|@Microsoft\.KeyVault\(|arn:aws[\w-]*:(secretsmanager|ssm):|` +
		`projects/[^/]+/secrets/)`),
	// A document from which a command was copied.
	regexp.MustCompile(`^(?i:change[-_ ]?me|replace[-_ ]?me|(your|insert|enter|paste)[-_ ].*(token|id|key|here))$`),
}

// unfilledInURL is what was never filled in within a URL, such as https://<host>/am.
var unfilledInURL = regexp.MustCompile(insertion + `|\{\w+\}`)

var errUnfilled = errors.New("is a placeholder that was never filled in: give the value itself")

// isUnfilled reports whether a text stands for a value that was never filled in.
func isUnfilled(text string) bool {
	for _, form := range unfilled {
		if form.MatchString(text) {
			return true
		}
	}
	return false
}
