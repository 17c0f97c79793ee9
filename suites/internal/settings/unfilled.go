package settings

import (
	"errors"
	"regexp"
)

// insertion is how templates, shells and CI servers write the place of a value inside a text.
const insertion = `\$\{.*\}|\$\(.*\)|\{\{.*\}\}|#\{.*\}#?|<[^<>]+>|%[A-Za-z_][\w.]*%|%!?[A-Za-z]+\([^()]*\)%?|` +
	`__[A-Za-z]\w*__|@{1,2}[A-Za-z_]\w*@{1,2}`

// unfilled has the forms of what is in the place of a token, an application id or the value of a header that was never
// filled in. A form is narrow enough that no token of a server has it by chance.
var unfilled = []*regexp.Regexp{
	regexp.MustCompile(`^(` + insertion + `)$`),
	regexp.MustCompile(`^\$[\w.:]+$`),                         // a shell that took it between single quotation marks
	regexp.MustCompile(`^(?i:null|nil|none|undefined|todo)$`), // a program that had no value
	// A program that wrote the type of the value.
	regexp.MustCompile(`^(\[object \w+\]|System\.(Object|String|Byte|Char|Security|Management|Collections)(\.\w+)*` +
		`(\[\])?)$`),
	// A log that hides it.
	regexp.MustCompile(`^(\*+|[•.xX]{3,}|` +
		`[\[(](?i:masked|redacted|hidden|filtered|removed|secret|null|none|\*+)[\])])$`),
	// An expression or a call that nobody evaluated, or an encrypted text that nobody decrypted.
	regexp.MustCompile(`^((process\.env|secrets)\.[\w-]+|(env|vars)\.[A-Z_][A-Z0-9_]*|![A-Za-z]\w* .+|` +
		`(?i:enc|env|getenv|secrets?|vault|lookup|decrypt|file|os\.environ|process\.env)[(\[].*[)\]]|` +
		`\$ANSIBLE_VAULT;.*)$`),
	// A reference that nobody resolved: of 1Password, Vault, helmfile, Azure, AWS, Google Cloud and others.
	regexp.MustCompile(`^((op|file|env|secrets?|secretref|awssm|ssm|akv|gsm|kms|keyring|keychain|sops)://|vault:|` +
		`file:/|ref\+\w+://|@Microsoft\.KeyVault\(|arn:aws[\w-]*:(secretsmanager|ssm):|projects/[^/]+/secrets/)`),
	// A document from which a command was copied.
	regexp.MustCompile(`^(?i:…|change[-_ ]?me|replace[-_ ]?me|(your|insert|enter|paste)[-_ ].*(token|id|key|here))$`),
}

// noValue is what a program or a person writes for no value. The value of a header may be such a word.
var noValue = regexp.MustCompile(`^([^\pL\pN]+|(?i:n/?a|nan|true|false|unset|not[-_ ]set|tbd|fixme|placeholder|` +
	`masked|redacted|hidden|filtered|removed|secret))$`)

// copied has the forms of what is copied instead of a token or an application id, with what an error says.
var copied = []struct {
	form *regexp.Regexp
	says string
}{
	{regexp.MustCompile(`^-----BEGIN `), "is a key or certificate (PEM): expected it alone, on one line"},
	{regexp.MustCompile(`^<(?i:!doctype|html|head|body|title)\b`), "is an HTML page, such as that of a login: " +
		"expected it alone, on one line"},
	{regexp.MustCompile(`^(?i)(export +|set +|-+|\$env:)?[\w.-]*(token|secret|password|authorization|api[-_]?key|` +
		`access[-_]?key|(application|app|client)[-_]?id)(_v\d)?( *:?= *| *: +)[^=\s]`),
		"begins with the name of a setting or header: give what follows it"},
	{regexp.MustCompile(`^(~|\.{1,2}|[A-Za-z]:)?[/\\](run|var|etc|mnt|tmp|home|root|opt|usr|srv|vault|secrets|Users)` +
		`[/\\][\w./\\-]+$`), "is the name of a file: give what is in the file"},
}

// copiedText returns what is wrong with a text that was copied instead of a token or an application id; "" if it is
// none that is known.
func copiedText(text string) string {
	for _, c := range copied {
		if c.form.MatchString(text) {
			return c.says
		}
	}
	return ""
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
